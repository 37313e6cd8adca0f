// vLLM: the periodic log line in its three forms, per-request metrics, Prometheus.
import type { CaptureBuilder } from './builder';
import { roundsFromMean, type Stated } from './counts';
import { listAt, objectAt } from './jsonText';
import { SpecDecodeCounters, SpecDecodeGauges } from './prometheus';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LineReader, type LogLine } from './reader';
import { after, labelled, leadingNumber, ratioOf, ratiosOf } from './text';

const formats = formatsOf('vllm', 'vllm', {
  v0: ['periodic log, V0 engine', 'D', 'totals', false, 'interval, all requests'],
  v1First: ['periodic log, first V1 form', 'D', 'totals', false, 'interval, all requests'],
  v1: ['periodic log, current V1 form', 'C', 'mean length with bonus, per-position survival', true, 'interval, all requests'],
  prometheus: ['Prometheus counters', 'C', 'counters, per position', false, 'cumulative, all requests'],
  gauges: ['Prometheus gauges of the V0 engine', 'D', 'rate over drafts', false, 'interval, all requests'],
  detailed: ['per-request metrics, detailed', 'B', 'accepted drafts; mean length with bonus', false, 'round'],
  summary: ['per-request metrics, summary', 'C', 'histogram of accepted drafts', false, 'request'],
});

const v0Anchor = 'Speculative metrics: ';
const v1Anchor = 'SpecDecoding metrics: ';

function readV0(capture: CaptureBuilder, at: LogLine): void {
  const fields = labelled(after(at.text, v0Anchor), ', ');
  const number = (label: string): number | null => capture.count(leadingNumber(fields.get(label))?.replace(/\.$/, ''), label, at);
  const specTokens = number('Number of speculative tokens');
  const stated: Stated = {
    acceptedSum: number('Number of accepted tokens'),
    proposedSum: number('Number of draft tokens'),
    acceptanceRate: ratioOf(fields.get('Draft acceptance rate')),
    width: specTokens === null ? null : specTokens + 1,
  };
  const facts = { emitted: number('Number of emitted tokens'), specTokens, systemEfficiency: ratioOf(fields.get('System efficiency'))?.value ?? null };
  capture.interval({ format: formats.v0, stated, at, facts });
}

function readV1(capture: CaptureBuilder, at: LogLine): void {
  const fields = labelled(after(at.text, v1Anchor), /, (?=[A-Z])/);
  const number = (label: string): number | null => capture.count(leadingNumber(fields.get(label)), label, at);
  const positions = fields.get('Per-position acceptance rate');
  const perPosition = positions === undefined ? null : ratiosOf(positions);
  const meanLengthWithBonus = ratioOf(fields.get('Mean acceptance length'));
  const acceptedSum = number('Accepted');
  const proposedSum = number('Drafted');
  const stated: Stated = {
    acceptedSum,
    proposedSum,
    meanLengthWithBonus,
    roundCount: roundsFromMean(acceptedSum, proposedSum, meanLengthWithBonus, perPosition?.length ?? 0),
    perPosition,
    acceptanceRate: ratioOf(fields.get('Avg Draft acceptance rate') ?? fields.get('Draft acceptance rate')),
    width: perPosition === null ? null : perPosition.length + 1,
  };
  capture.interval({ format: perPosition === null ? formats.v1First : formats.v1, stated, at });
}

function periodic(capture: CaptureBuilder): LineReader {
  return {
    anchors: [v0Anchor, v1Anchor],
    read: (line) => (line.text.includes(v1Anchor) ? readV1(capture, line) : readV0(capture, line)),
  };
}

/** The figures of `metrics.speculative_decoding`; AIPerf and TensorRT-LLM have taken over its names. */
export function perRequestFigures(capture: CaptureBuilder, metrics: JsonObject, at: LogLine): Stated {
  const specTokens = capture.count(metrics['num_spec_tokens'], 'num_spec_tokens', at);
  return {
    roundCount: capture.count(metrics['num_spec_steps'], 'num_spec_steps', at),
    acceptedSum: capture.count(metrics['num_accepted_draft_tokens'], 'num_accepted_draft_tokens', at),
    proposedSum: capture.count(metrics['num_draft_tokens'], 'num_draft_tokens', at),
    meanLengthWithBonus: ratioOf(metrics['mean_acceptance_length']),
    acceptanceRate: ratioOf(metrics['draft_acceptance_rate']),
    histogram: capture.counts(listAt(metrics, 'acceptance_histogram'), 'acceptance_histogram', at),
    accepted: capture.counts(listAt(metrics, 'per_step_accepted'), 'per_step_accepted', at),
    drafted: capture.counts(listAt(metrics, 'per_step_drafted'), 'per_step_drafted', at),
    width: specTokens === null ? null : specTokens + 1,
  };
}

function perRequest(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['speculative_decoding'],
    read(object, at): boolean {
      const metrics = objectAt(object, 'speculative_decoding');
      if (metrics?.['num_spec_steps'] === undefined || 'total_draft_tokens' in metrics) return false;
      const stated = perRequestFigures(capture, metrics, at);
      capture.request({ format: stated.accepted ? formats.detailed : formats.summary, stated, at });
      return true;
    },
  };
}

export const vllm: EngineLogs = {
  formats: Object.values(formats),
  lines: (capture) =>
    [
      periodic(capture),
      new SpecDecodeCounters(capture, formats.prometheus, 'vllm:spec_decode_'),
      new SpecDecodeGauges(capture, formats.gauges, ['vllm:spec_decode_draft_acceptance_rate'], (values) => ({ acceptanceRate: ratioOf([...values.values()][0]) })),
    ],
  json: perRequest,
};

// TensorRT-LLM: figures per choice, request performance metrics, iteration statistics.
import type { CaptureBuilder } from './builder';
import type { Stated } from './counts';
import { isObject, listAt, objectAt } from './jsonText';
import { SpecDecodeCounters } from './prometheus';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LogLine } from './reader';
import { ratioOf, type Ratio } from './text';

const formats = formatsOf('tensorrt-llm', 'tensorrtllm', {
  choice: ['per choice', 'C', 'histogram of accepted drafts; avg_decoded_tokens_per_iter with bonus', false, 'request'],
  perfMetrics: ['return_perf_metrics', 'D', 'totals', false, 'request'],
  iteration: ['iteration statistics', 'D', 'totals', false, 'interval, all requests'],
  prometheus: ['Prometheus counters', 'C', 'counters, per position', false, 'cumulative, all requests'],
});

/** The mean is over generated tokens: where the first token and a cut last round explain the difference to 1 + accepted / rounds, it says nothing more. */
function meanOf(mean: Ratio | null, roundCount: number | null, acceptedSum: number | null, width: number | null): Ratio | null {
  if (mean === null || roundCount === null || acceptedSum === null || width === null) return mean;
  return Math.abs(mean.value * roundCount - roundCount - acceptedSum) <= width + mean.tolerance * roundCount ? null : mean;
}

function readFigures(capture: CaptureBuilder, metrics: JsonObject, mean: unknown, at: LogLine): void {
  const specTokens = capture.count(metrics['num_spec_tokens'], 'num_spec_tokens', at);
  const histogram = capture.counts(listAt(metrics, 'acceptance_histogram'), 'acceptance_histogram', at);
  const roundCount = capture.count(metrics['num_spec_steps'], 'num_spec_steps', at);
  const acceptedSum = capture.count(metrics['total_accepted_draft_tokens'], 'total_accepted_draft_tokens', at);
  const width = specTokens === null ? null : specTokens + 1;
  const stated: Stated = {
    roundCount,
    acceptedSum,
    proposedSum: capture.count(metrics['total_draft_tokens'], 'total_draft_tokens', at),
    acceptanceRate: ratioOf(metrics['acceptance_rate']),
    meanLengthWithBonus: meanOf(ratioOf(mean), roundCount, acceptedSum, width),
    histogram,
    width,
  };
  if (stated.proposedSum === 0 && stated.acceptedSum === 0) capture.warn('all figures are 0: versions that do not fill these fields yet print them so');
  capture.request({ format: histogram === null ? formats.perfMetrics : formats.choice, stated, at });
}

/** Spellings vary by version: names are matched without case and underscores. */
function readIteration(capture: CaptureBuilder, stats: JsonObject, at: LogLine): void {
  const fields = new Map(Object.entries(stats).map(([name, value]) => [name.toLowerCase().replaceAll('_', ''), value]));
  const stated: Stated = {
    proposedSum: capture.count(fields.get('numdrafttokens'), 'numDraftTokens', at),
    acceptedSum: capture.count(fields.get('numacceptedtokens'), 'numAcceptedTokens', at),
    roundCount: capture.count(fields.get('numrequestswithdrafttokens'), 'numRequestsWithDraftTokens', at),
    meanLengthWithBonus: ratioOf(fields.get('acceptancelength')),
  };
  capture.warn('iteration statistics are drained from a bounded queue: a slow poller loses iterations');
  capture.interval({ format: formats.iteration, stated, at });
}

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['speculative_decoding', 'specDecodingStats', 'specDecStats'],
    read(object, at): boolean {
      const stats = object['specDecodingStats'] ?? object['specDecStats'];
      if (isObject(stats)) {
        readIteration(capture, stats, at);
        return true;
      }
      const metrics = objectAt(object, 'speculative_decoding');
      if (metrics === null || !('total_draft_tokens' in metrics)) return false;
      readFigures(capture, metrics, object['avg_decoded_tokens_per_iter'], at);
      return true;
    },
  };
}

export const tensorrtLlm: EngineLogs = { formats: Object.values(formats), lines: (capture) => [new SpecDecodeCounters(capture, formats.prometheus, 'trtllm_spec_decode_')], json };

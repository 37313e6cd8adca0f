// SGLang: the decode line, `meta_info` of a reply, the Finish line of --log-requests, Prometheus gauges.
import type { CaptureBuilder } from './builder';
import { sum } from '../../shared/sum';
import type { Stated } from './counts';
import { isObject, listAt, objectAt, textAt } from './jsonText';
import { SpecDecodeGauges } from './prometheus';
import { readPython } from './pythonLiteral';
import { formatsOf, type EngineLogs, type Format, type JsonObject, type JsonReader, type LineReader, type LogLine } from './reader';
import { after, isNear, labelled, ratioOf, type Ratio } from './text';

const formats = formatsOf('sglang', 'sglang', {
  decode: ['Decode batch line', 'D', 'mean length with bonus, rate over drafts', true, 'interval, whole batch'],
  metaInfo: ['response meta_info', 'C', 'names with accept include the bonus, names with correct do not', 'by name', 'request'],
  finish: ['Finish line of --log-requests (Python repr)', 'C', 'as meta_info', 'by name', 'request'],
  prometheus: ['Prometheus gauges', 'D', 'mean length with bonus, rate over drafts', true, 'interval, whole batch'],
});

const decodeAnchor = 'Decode batch';
const fixedRates = 'SGLang changed how accept rate is computed several times; rates of different builds are not comparable';

/** By key, never by position: punctuation behind "batch", an iteration in brackets and split token pools vary. */
function readDecode(capture: CaptureBuilder, at: LogLine): void {
  const fields = labelled(after(at.text, decodeAnchor).replace(/^\s*(\[[^\]]{0,40}\])?[.,]?\s*/, ''), ', ');
  const meanLengthWithBonus = ratioOf(fields.get('accept len'));
  if (meanLengthWithBonus === null) return;
  const stated: Stated = { meanLengthWithBonus, acceptanceRate: ratioOf(fields.get('accept rate')) };
  const facts = { running: capture.count(fields.get('#running-req'), '#running-req', at), throughput: ratioOf(fields.get('gen throughput (token/s)'))?.value ?? null };
  capture.warn(fixedRates);
  capture.interval({ format: formats.decode, stated, at, facts });
}

/**
 * The accepted total and what it counts. `correct` and `*_drafts` exclude the bonus. `spec_accept_token_num` is from before the names were settled:
 * where it only fits the mean length with the bonus counted, the bonus is taken off.
 */
function acceptedOf(capture: CaptureBuilder, meta: JsonObject, rounds: number | null, at: LogLine): number | null {
  const settled = meta['spec_num_correct_drafts'] ?? meta['spec_accepted_drafts'];
  if (settled !== undefined) return capture.count(settled, 'spec_num_correct_drafts', at);
  const early = capture.count(meta['spec_accept_token_num'], 'spec_accept_token_num', at);
  const mean = ratioOf(meta['spec_accept_length']);
  if (early === null || mean === null || rounds === null || rounds === 0) return early;
  return Math.abs(early / rounds - mean.value) <= mean.tolerance ? early - rounds : early;
}

/** The mean length is completion tokens / rounds: the first token and the cut of the last round make it another number than 1 + accepted / rounds. */
function meanOf(meta: JsonObject, roundCount: number | null, acceptedSum: number | null): Ratio | null {
  const mean = ratioOf(meta['spec_accept_length']);
  const tokens = meta['completion_tokens'];
  if (mean === null || acceptedSum === null || roundCount === null || roundCount === 0 || typeof tokens !== 'number') return mean;
  return isNear(mean, tokens / roundCount) ? null : mean;
}

/** The old histogram name counts drafts too in some builds and kept rows in others: the accepted total decides. */
function histogramOf(capture: CaptureBuilder, meta: JsonObject, accepted: number | null, at: LogLine): number[] | null {
  const settled = listAt(meta, 'spec_correct_drafts_histogram');
  if (settled !== null) return capture.counts(settled, 'spec_correct_drafts_histogram', at);
  const histogram = capture.counts(listAt(meta, 'spec_accept_histogram'), 'spec_accept_histogram', at);
  if (histogram === null || accepted === null || histogram[0] !== 0) return histogram;
  const weighted = sum(histogram.map((rounds, j) => rounds * j));
  return weighted === accepted + sum(histogram) ? histogram.slice(1) : histogram;
}

function readMeta(capture: CaptureBuilder, meta: JsonObject, format: Format, request: string | null, at: LogLine): boolean {
  const roundCount = capture.count(meta['spec_verify_ct'], 'spec_verify_ct', at);
  if (roundCount === null && ratioOf(meta['spec_accept_length']) === null) return false;
  const acceptedSum = acceptedOf(capture, meta, roundCount, at);
  const histogram = histogramOf(capture, meta, acceptedSum, at);
  const stated: Stated = {
    roundCount,
    acceptedSum,
    histogram,
    meanLengthWithBonus: meanOf(meta, roundCount, acceptedSum),
    proposedSum: capture.count(meta['spec_num_proposed_drafts'] ?? meta['spec_proposed_drafts'] ?? meta['spec_draft_token_num'], 'spec_num_proposed_drafts', at),
    acceptanceRate: ratioOf(meta['spec_accept_rate']),
    generatedTokens: capture.count(meta['completion_tokens'], 'completion_tokens', at),
    promptTokens: capture.count(meta['prompt_tokens'], 'prompt_tokens', at),
  };
  const cached = capture.count(meta['cached_tokens'], 'cached_tokens', at);
  const facts = cached === null ? {} : { cached, warm: cached > 0 };
  capture.request({ format, grade: histogram === null ? 'D' : 'C', request, stated, at, facts });
  return true;
}

/** The text of the reply stands before meta_info and may hold anything: the last one of the line counts. */
function readFinish(capture: CaptureBuilder, at: LogLine): void {
  const from = at.text.lastIndexOf("'meta_info': {");
  if (from < 0) return;
  const meta = readPython(at.text, from + "'meta_info': ".length);
  const [, request = null] = /\brid='([^']{1,100})'/.exec(after(at.text, 'Finish: obj=', 2000)) ?? [];
  if (isObject(meta)) readMeta(capture, meta, formats.finish, request, at);
}

function lines(capture: CaptureBuilder): LineReader[] {
  const gauges = ['sglang:spec_accept_length', 'sglang:spec_accept_rate'];
  return [
    { anchors: [decodeAnchor], read: (line) => readDecode(capture, line) },
    { anchors: ['Finish: obj='], read: (line) => readFinish(capture, line) },
    new SpecDecodeGauges(capture, formats.prometheus, gauges, (values) => ({ meanLengthWithBonus: ratioOf(values.get('sglang:spec_accept_length')), acceptanceRate: ratioOf(values.get('sglang:spec_accept_rate')) })),
  ];
}

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['meta_info', 'spec_verify_ct'],
    read(object, at): boolean {
      const meta = 'spec_verify_ct' in object ? object : objectAt(object, 'meta_info');
      return meta !== null && readMeta(capture, meta, formats.metaInfo, textAt(meta, 'id'), at);
    },
  };
}

export const sglang: EngineLogs = { formats: Object.values(formats), lines, json };

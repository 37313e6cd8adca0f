// text-generation-inference: the Prometheus histogram of skipped tokens (tokens of a step - 1 = accepted drafts).
import type { CaptureBuilder } from './builder';
import { labelFacts, labelKey, sampleOf } from './prometheus';
import { formatsOf, limits, type EngineLogs, type LineReader, type LogLine } from './reader';
import { own } from './text';

const formats = formatsOf('tgi', 'tgi', {
  skippedTokens: ['Prometheus histogram', 'C', 'tokens per step - 1 = accepted drafts', false, 'cumulative, all requests'],
});

const name = 'tgi_request_skipped_tokens';

interface Group {
  readonly at: LogLine;
  readonly buckets: { readonly bound: number; readonly count: number }[];
  total: number | null;
  steps: number | null;
}

/** Cumulative buckets as a histogram; null where the bounds are not 0, 1, 2, ... and so do not give one entry a value. */
function histogramOf(buckets: Group['buckets']): number[] | null {
  const sorted = [...buckets].sort((a, b) => a.bound - b.bound);
  const dense = sorted.length > 1 && sorted.every(({ bound }, i) => bound === i || (i === sorted.length - 1 && bound === Infinity));
  return dense ? sorted.map(({ count }, i) => count - (sorted[i - 1]?.count ?? 0)) : null;
}

class SkippedTokens implements LineReader {
  readonly anchors = [name];
  private readonly groups = new Map<string, Group>();

  constructor(private readonly capture: CaptureBuilder) {}

  read(line: LogLine): void {
    const sample = sampleOf(line.text);
    if (sample?.name.startsWith(name) !== true) return;
    const key = labelKey(sample.labels, 'le');
    const group: Group = this.groups.get(key) ?? { at: { number: line.number, text: own(line.text.slice(0, limits.quote)) }, buckets: [], total: null, steps: null };
    const count = this.capture.count(String(Number(sample.value)), sample.name, line);
    if (count === null) return;
    if (sample.name === `${name}_sum`) group.total = count;
    else if (sample.name === `${name}_count`) group.steps = count;
    else if (sample.name === `${name}_bucket` && group.buckets.length < 1024) group.buckets.push({ bound: Number((sample.labels.get('le') ?? '').replace('+Inf', 'Infinity')), count });
    if (this.groups.size < limits.entries) this.groups.set(key, group);
  }

  end(): void {
    for (const [key, { at, buckets, total, steps }] of this.groups) {
      const histogram = histogramOf(buckets);
      const falling = histogram?.some((count) => count < 0) === true;
      if (falling) this.capture.find({ identity: 'buckets rise', sentence: 'a bucket of the histogram counts less than the one below it' }, at);
      this.capture.warn('the last bucket counts its value or more');
      const stated = { roundCount: steps, acceptedSum: total };
      // The last bucket is "or more": its weighted sum is a lower bound, so the total is the one that was observed.
      const exact = histogram !== null && !falling && histogram.reduce((all, count, j) => all + count * j, 0) === total;
      this.capture.interval({ format: formats.skippedTokens, stated: exact ? { ...stated, histogram } : stated, at, facts: { ...labelFacts(key), ...(histogram === null || exact ? {} : { openHistogram: histogram }) } });
    }
  }
}

export const tgi: EngineLogs = { formats: Object.values(formats), lines: (capture) => [new SkippedTokens(capture)] };

// z-lab/dflash: the list of acceptance lengths, the benchmark's print-out.
import type { Fact } from '../../shared/capture';
import type { CaptureBuilder } from './builder';
import { listAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonReader, type LineReader, type LogLine } from './reader';
import { keptToAccepted } from './keptRows';
import { after, quoteOf, ratioOf, type Ratio } from './text';

const formats = formatsOf('z-lab/dflash', 'dflash', {
  acceptanceLengths: ['acceptance_lengths of dflash_generate', 'B', 'accepted + 1', true, 'round'],
  benchmark: ['benchmark print-out', 'C', 'length with bonus', true, 'run'],
});

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['acceptance_lengths'],
    read(object, at): boolean {
      const kept = capture.counts(listAt(object, 'acceptance_lengths'), 'acceptance_lengths', at);
      capture.saw(formats.acceptanceLengths, at);
      if (kept === null) return true;
      const width = capture.count(object['block_size'], 'block_size', at);
      const accepted = keptToAccepted(capture, kept, at);
      if (accepted !== null) capture.request({ format: formats.acceptanceLengths, stated: { accepted, width }, at });
      return true;
    },
  };
}

const average = 'Average Acceptance length:';
const histogram = 'Acceptance length histogram:';
const served = 'Accept length:';

/** The print-out of one run: the mean, then the shares of the lengths. */
class Benchmark implements LineReader {
  readonly anchors = [average, histogram, served];
  private mean: Ratio | null = null;
  private shares: Ratio[] | null = null;
  private first: LogLine | null = null;

  constructor(private readonly capture: CaptureBuilder) {}

  read(line: LogLine): void {
    if (line.text.includes(average)) this.end();
    this.first ??= { number: line.number, text: quoteOf(line.text) };
    if (line.text.includes(histogram)) this.shares = [...after(line.text, histogram).matchAll(/([\d.]{1,20}%)/g)].map(([, share]) => ratioOf(share)).filter((share) => share !== null);
    else this.mean ??= ratioOf(after(line.text, line.text.includes(average) ? average : served));
  }

  end(): void {
    if (this.first === null || this.mean === null) return;
    const shares: Fact = this.shares?.map(({ value }) => Number(value.toPrecision(12))) ?? null;
    this.check(this.mean, this.shares ?? [], this.first);
    this.capture.request({ format: formats.benchmark, grade: shares === null ? 'D' : 'C', kind: 'run', stated: { meanLengthWithBonus: this.mean }, at: this.first, facts: shares === null ? {} : { histogramShares: shares } });
    [this.mean, this.shares, this.first] = [null, null, null];
  }

  /** The first share is of length 1: the sum of share times length is the mean. */
  private check(mean: Ratio, shares: readonly Ratio[], at: LogLine): void {
    if (shares.length === 0) return;
    const weighted = shares.reduce((total, { value }, i) => total + value * (i + 1), 0);
    const slack = mean.tolerance + shares.reduce((total, { tolerance }, i) => total + tolerance * (i + 1), 0);
    if (Math.abs(weighted - mean.value) <= slack) return;
    this.capture.find({ identity: 'mean length', sentence: `the average length is printed as ${mean.value}, but the shares of the lengths give ${weighted.toFixed(3)}` }, at);
  }
}

export const dflash: EngineLogs = { formats: Object.values(formats), lines: (capture) => [new Benchmark(capture)], json };

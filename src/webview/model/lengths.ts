// Verdicts by length: of reports whose runs stand in an order, the shortest length at which something differs.
import { plural } from '../../shared/format';
import type { Report } from '../../shared/report';
import type { RewindResult } from '../../shared/results/rewind';
import { gravest, type VerdictWord } from '../../shared/verdictWord';
import { mappedRuns } from './grids';

export interface LengthPoint {
  readonly length: number;
  /** The gravest of its runs. */
  readonly word: VerdictWord;
  /** The first run of that verdict, null: the report has no picture of it alone. */
  readonly run: number | null;
  /** "257 tokens: defect, 1 of 3 runs" */
  readonly words: string;
}

export interface LengthChart {
  readonly title: string;
  /** What a length is. */
  readonly axis: string;
  /** Ascending, each length once. */
  readonly points: readonly LengthPoint[];
  readonly firstBad: LengthPoint | null;
}

/** An arm that was not run is not bad; it shows nothing. */
export const isBad = (word: VerdictWord): boolean => word === 'drift' || word === 'tie' || word === 'defect';

interface Measured {
  readonly length: number;
  readonly word: VerdictWord;
  readonly run: number | null;
}

interface Axis {
  readonly title: string;
  readonly axis: string;
  readonly unit: readonly [one: string, many: string];
  readonly what: string;
}

const axes = {
  width: { title: 'Verdict by block width', axis: 'rows of a block', unit: ['row', 'rows'], what: 'run' },
  partition: { title: 'Verdict by prefill piece', axis: 'tokens of a forward', unit: ['token', 'tokens'], what: 'run' },
  prompt: { title: 'Verdict by prompt length', axis: 'tokens of the prompt', unit: ['token', 'tokens'], what: 'run' },
  dropped: { title: 'Verdict by rewound rows', axis: 'rows that a rewind drops', unit: ['row', 'rows'], what: 'rewind' },
} as const satisfies Readonly<Record<string, Axis>>;

function chartOf({ title, axis, unit, what }: Axis, measured: readonly Measured[]): LengthChart | null {
  const lengths = [...new Set(measured.map(({ length }) => length))].sort((a, b) => a - b);
  if (lengths.length < 2) return null;
  const points = lengths.map((length): LengthPoint => {
    const own = measured.filter((one) => one.length === length);
    const word = gravest(own.map((one) => one.word));
    const worst = own.filter((one) => one.word === word);
    const share = worst.length === own.length ? plural(own.length, what) : `${worst.length} of ${plural(own.length, what)}`;
    return { length, word, run: worst[0]?.run ?? null, words: `${plural(length, ...unit)}: ${word}, ${share}` };
  });
  return { title, axis, points, firstBad: points.find(({ word }) => isBad(word)) ?? null };
}

function rewinds({ audits }: RewindResult): Measured[] {
  const above = (column: readonly number[], i: number): boolean => (column[i] ?? -1) > 0;
  return audits.asked.map((asked, i): Measured => {
    const wrong = asked !== audits.dropped[i] || above(audits.traceBytes, i);
    return { length: asked, word: wrong ? 'defect' : above(audits.keptBytes, i) || above(audits.chainBytes, i) ? 'drift' : 'equal', run: null };
  });
}

/** Null for a report without an order of lengths, or with one length alone. */
export function lengthChart(report: Report): LengthChart | null {
  const of = (lengths: readonly number[]): Measured[] => mappedRuns(report).map(({ word }, run) => ({ length: lengths[run] ?? 0, word, run }));
  switch (report.kind) {
    case 'bisect':
      return chartOf(axes.width, of(report.bisect.runs.map(({ width }) => width)));
    case 'prefill':
      // 0: the whole prompt at once.
      return chartOf(axes.partition, of(report.prefill.runs.map(({ partition }) => partition || report.prefill.prompt.ids.length)));
    case 'parity': {
      const { runs, prompts } = report.parity;
      return chartOf(axes.prompt, of(runs.map(({ prompt }) => prompts[prompt]?.ids.length ?? 0))) ?? chartOf(axes.width, of(runs.map(({ width }) => width)));
    }
    case 'rewind':
      return chartOf(axes.dropped, rewinds(report.rewind));
    default:
      return null;
  }
}

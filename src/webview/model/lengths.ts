// Verdicts by length: of reports whose runs stand in an order, the shortest length at which something differs.
import * as l10n from '@vscode/l10n';
import { group, sort } from 'd3-array';
import { formatCount } from '../../shared/format';
import type { Report } from '../../shared/report';
import type { RewindResult } from '../../shared/results/rewind';
import { gravest, type VerdictWord } from '../../shared/verdictWord';
import { amount } from './amount';
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
  /** "257 tokens: defect, 1 of 3 runs" */
  readonly words: (length: number, word: VerdictWord, share: string) => string;
  readonly share: (worst: number, all: number) => string;
}

const tokenWords: Axis['words'] = (length, word, share) => (length === 1 ? l10n.t('{0} token: {1}, {2}', length, word, share) : l10n.t('{0} tokens: {1}, {2}', formatCount(length), word, share));
const rowWords: Axis['words'] = (length, word, share) => (length === 1 ? l10n.t('{0} row: {1}, {2}', length, word, share) : l10n.t('{0} rows: {1}, {2}', formatCount(length), word, share));
const ofRuns: Axis['share'] = (worst, all) => (worst === all ? amount(all, l10n.t('{0} run'), l10n.t('{0} runs')) : l10n.t('{0} of {1} runs', worst, formatCount(all)));
const ofRewinds: Axis['share'] = (worst, all) => (worst === all ? amount(all, l10n.t('{0} rewind'), l10n.t('{0} rewinds')) : l10n.t('{0} of {1} rewinds', worst, formatCount(all)));

const axes = {
  width: { title: l10n.t('Verdict by block width'), axis: l10n.t('rows of a block'), words: rowWords, share: ofRuns },
  partition: { title: l10n.t('Verdict by prefill piece'), axis: l10n.t('tokens of a forward'), words: tokenWords, share: ofRuns },
  prompt: { title: l10n.t('Verdict by prompt length'), axis: l10n.t('tokens of the prompt'), words: tokenWords, share: ofRuns },
  dropped: { title: l10n.t('Verdict by rewound rows'), axis: l10n.t('rows that a rewind drops'), words: rowWords, share: ofRewinds },
} as const satisfies Readonly<Record<string, Axis>>;

function chartOf({ title, axis, words, share }: Axis, measured: readonly Measured[]): LengthChart | null {
  const byLength = group(measured, ({ length }) => length);
  if (byLength.size < 2) return null;
  const points = sort(byLength, ([length]) => length).map(([length, own]): LengthPoint => {
    const word = gravest(own.map((one) => one.word));
    const worst = own.filter((one) => one.word === word);
    return { length, word, run: worst[0]?.run ?? null, words: words(length, word, share(worst.length, own.length)) };
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

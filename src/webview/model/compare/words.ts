// A comparison in words and tables, for the terminal, the clipboard and the page.
import * as l10n from '@vscode/l10n';
import { column, section, sections, table, type Account } from '../../../shared/account/account';
import { experimentInWords } from '../../../shared/experimentWords';
import { formatCount } from '../../../shared/format';
import { titleOf } from '../../../shared/reportFacts';
import { amount } from '../amount';
import { cut, room } from '../cut';
import type { Grid } from '../grid';
import { listed } from '../listed';
import { runCounts, sameResults, type ComparedRun, type Comparison } from './comparison';

export interface Names {
  readonly a: string;
  readonly b: string;
}

const most = 200;

/** Where a map parts first, "nowhere" when it does not. */
export const firstInWords = ({ first, place }: Grid): string => (first === null ? l10n.t('nowhere') : place(first));

/** "12 fixed, 0 new, 3 changed (1 less, 2 more), 4 as before, 100 equal in both" */
export function countsInWords(run: ComparedRun): string {
  const counts = runCounts(run);
  if (counts === null) return run.a.grid === run.b.grid ? 'no map in either report' : `no map in ${run.a.grid === null ? 'A' : 'B'}`;
  const { fixed, less, same, worse, new: added, equal } = counts;
  const changed = less + worse;
  return `${formatCount(fixed)} fixed, ${formatCount(added)} new, ${formatCount(changed)} changed${changed > 0 ? ` (${formatCount(less)} less, ${formatCount(worse)} more)` : ''}, ${formatCount(same)} differ as before, ${formatCount(equal)} equal in both`;
}

/** What the maps of a pair do not have in common; "" when they have all. */
export function unmatchedInWords({ maps }: ComparedRun): string {
  if (maps === null) return '';
  const { rowsOnlyA, rowsOnlyB, positionsA, positionsB } = maps;
  const rows = (labels: readonly string[], side: string): string => {
    const some = `${labels.slice(0, 6).map((label) => cut(label, room.name)).join(', ')}${labels.length > 6 ? ', …' : ''}`;
    return labels.length === 0 ? '' : labels.length === 1 ? l10n.t('Row only in {0}: {1}.', side, some) : l10n.t('{0} rows only in {1}: {2}.', formatCount(labels.length), side, some);
  };
  const [from, to] = [Math.min(positionsA, positionsB), Math.max(positionsA, positionsB) - 1].map(formatCount) as [string, string];
  const positions = positionsA === positionsB ? '' : l10n.t('Positions {0} to {1} only in {2}.', from, to, positionsA > positionsB ? 'A' : 'B');
  return [rows(rowsOnlyA, 'A'), rows(rowsOnlyB, 'B'), positions].filter((part) => part !== '').join(' ');
}

/** What came of it, in a sentence. */
export function outcomeInWords(comparison: Comparison): string {
  const { a, b, sameKind, runs } = comparison;
  if (!sameKind) return l10n.t('A is a {0} report, B a {1} report: only verdicts and provenance can be compared.', a.kind, b.kind);
  if (sameResults(comparison)) return l10n.t('Both reports found the same.');
  const all = runs.flatMap((run) => runCounts(run) ?? []);
  const total = (of: 'fixed' | 'new' | 'less' | 'worse'): number => all.reduce((sum, counts) => sum + counts[of], 0);
  const verdicts = a.verdict.word === b.verdict.word ? l10n.t('Both verdicts are {0}', a.verdict.word) : l10n.t('The verdict went from {0} to {1}', a.verdict.word, b.verdict.word);
  const { length: places } = comparison.sayings;
  if (all.length === 0) return places > 0 ? l10n.t('{0}; the accounts differ in {1}.', verdicts, amount(places, l10n.t('{0} place'), l10n.t('{0} places'))) : l10n.t('{0}; the accounts say the same, the reports differ in what they leave out.', verdicts);
  return l10n.t('{0}; {1} fixed, {2} new, {3} changed.', verdicts, amount(total('fixed'), l10n.t('{0} cell'), l10n.t('{0} cells')), formatCount(total('new')), formatCount(total('less') + total('worse')));
}

/** Runs without a partner; "" when each has one. */
export function lonelyInWords({ onlyA, onlyB }: Comparison): string {
  const lonely = (labels: readonly string[], side: string): string => {
    const some = listed(labels.slice(0, 8).map((label) => cut(label, room.name)));
    return labels.length === 0 ? '' : labels.length <= 8 ? l10n.t('Only in {0}: {1}.', side, some) : l10n.t('Only in {0}: {1} and {2} more.', side, some, labels.length - 8);
  };
  return [lonely(onlyA, 'A'), lonely(onlyB, 'B')].filter((part) => part !== '').join(' ');
}

function runRow(run: ComparedRun): string[] {
  const { a, b, maps } = run;
  const counts = runCounts(run);
  const cells = counts === null ? ['-', '-', '-', '-'] : [counts.fixed, counts.new, counts.less + counts.worse, counts.same].map(formatCount);
  return [a.label === b.label ? a.label : `${a.label} / ${b.label} (by order)`, a.word, b.word, ...cells, maps === null ? '-' : firstInWords(maps.a), maps === null ? '-' : firstInWords(maps.b)];
}

const runColumns = [column.text('run'), column.text('A'), column.text('B'), column.number('fixed'), column.number('new'), column.number('changed'), column.number('as before'), column.text('first in A'), column.text('first in B')];

export function comparisonAccount(comparison: Comparison, names: Names): Account {
  const { a, b, differences, runs, sayings } = comparison;
  const mapped = runs.some(({ maps }) => maps !== null);
  return {
    question: `What became of ${names.a} (A) in ${names.b} (B)?`,
    sections: sections([
      section('Reports', [
        `A: ${a.verdict.word}. ${titleOf(a.experiment)}. ${a.verdict.sentence}`,
        `B: ${b.verdict.word}. ${titleOf(b.experiment)}. ${b.verdict.sentence}`,
        ...(experimentInWords(a.experiment) === experimentInWords(b.experiment) ? [] : [`A: ${experimentInWords(a.experiment)}`, `B: ${experimentInWords(b.experiment)}`]),
      ]),
      section('What differs in how they came to be', differences.length === 0 ? ['Nothing: the same experiment under the same switches, on the same machine.'] : [], [
        table([column.text('of'), column.text('what'), column.text('A'), column.text('B')], differences.map(({ group, name, a: inA, b: inB }) => [group, name, inA, inB]), most),
      ]),
      section('Runs', [lonelyInWords(comparison), ...runs.map((run) => unmatchedInWords(run)).filter((line, i, all) => all.indexOf(line) === i)], [table(runColumns, runs.map(runRow), most)]),
      section('What they say differently', [], mapped ? [] : [table([column.text('section'), column.text('where'), column.text('A'), column.text('B')], sayings.map(({ section: of, place, a: inA, b: inB }) => [of, place, inA, inB]), most)]),
    ]),
  };
}

// The picture of a switch matrix: the outcome of every combination, which one is the first bad, and which switches are live.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { Report } from '../../shared/report';
import type { Combination, SwitchControl } from '../../shared/results/switches';
import { isVerdict } from '../../shared/verdictWord';
import { amount } from '../model/amount';
import { combinationInWords, switchMatrix, type MatrixCell, type MatrixRow, type SwitchMatrix } from '../model/switchMatrix';
import { code, element, foreign, muted, svg, whenChanged, type Child, type Part } from './dom';
import { verdictBadge } from './icons';
import { inPages } from './more';
import { scroller } from './scroller';
import { table } from './table';

type Live = SwitchControl['live'];

export function switchPicture(): Part<{ readonly report: Report }> {
  const node = element('section', { class: 'picture switch-matrix', attributes: { 'aria-label': l10n.t('Picture') } });
  const draw = whenChanged<{ readonly report: Report }>(
    ({ report }) => [report],
    ({ report }) => {
      const matrix = report.kind === 'switches' ? switchMatrix(report.switches) : null;
      node.hidden = matrix === null || matrix.rows.length === 0;
      node.replaceChildren(...(matrix === null || report.kind !== 'switches' ? [] : drawn(matrix, report.switches.combinations)));
    },
  );
  return { node, update: draw };
}

function drawn(matrix: SwitchMatrix, combinations: readonly Combination[]): Node[] {
  const said = element('p', { class: 'cell-words', attributes: { role: 'status' } }, firstWords(matrix, combinations));
  const controls = element('ul', { class: 'controls' });
  const say = ({ combination }: MatrixCell): void => {
    said.replaceChildren(foreign(`${combinationInWords(combination)}: ${combination.verdict.word}. ${combination.verdict.sentence}`));
  };
  return [
    scroller(l10n.t('Outcomes of the switches'), outcomes(matrix, say)),
    said,
    ...leftOut(matrix, combinations),
    element('p', { class: 'muted' }, l10n.t('Combinations with the same letter gave the same bytes in every tap. Choose one for its verdict in words.')),
    controls,
    inPages(matrix.controls, 50, controls, control),
  ];
}

/** What a matrix that is not drawn whole leaves out: all combinations, one after the other. */
function leftOut({ rows, columns, all }: SwitchMatrix, combinations: readonly Combination[]): Node[] {
  if (rows.length === all.rows && columns.length === all.columns) return [];
  const list = table({
    caption: l10n.t('All combinations, in the order in which they ran'),
    rows: combinations,
    columns: [
      { title: l10n.t('Switches'), heads: true, foreign: true, cell: (one) => code(combinationInWords(one)) },
      { title: l10n.t('Verdict'), cell: ({ verdict: { word } }) => (isVerdict(word) ? verdictBadge(word) : muted(word)) },
      { title: l10n.t('In words'), foreign: true, cell: ({ verdict: { sentence } }) => sentence },
    ],
  });
  const words = l10n.t('Too many for a picture: {0} of {1} rows and {2} of {3} columns are drawn. This list has all {4} combinations that ran.', formatCount(rows.length), formatCount(all.rows), formatCount(columns.length), formatCount(all.columns), formatCount(combinations.length));
  return [element('p', { class: 'notice' }, words), list];
}

function firstWords({ firstBad }: SwitchMatrix, combinations: readonly Combination[]): string {
  if (firstBad !== null) return l10n.t('First bad: {0}: {1}', combinationInWords(firstBad), firstBad.verdict.sentence);
  const declined = combinations.filter(({ verdict: { word } }) => word === 'declined').length;
  return declined === 0 ? l10n.t('No combination has a difference.') : amount(declined, l10n.t('No combination that ran has a difference; {0} was declined.'), l10n.t('No combination that ran has a difference; {0} were declined.'));
}

function outcomes({ across, columns, rows }: SwitchMatrix, say: (cell: MatrixCell) => void): HTMLElement {
  const head = columns.map((column) => element('th', { attributes: { scope: 'col' } }, across === '' ? l10n.t('outcome') : code(`${across}=${column}`)));
  const line = ({ label, cells }: MatrixRow): HTMLElement => element('tr', {}, element('th', { attributes: { scope: 'row' } }, code(label)), ...cells.map((cell) => element('td', { class: cell?.isFirstBad === true ? 'first-bad' : '' }, cell === null ? muted(l10n.t('did not run')) : outcome(cell, say))));
  return element('table', {}, element('caption', { class: 'reader-only' }, l10n.t('Outcome of every combination of switches')), element('thead', {}, element('tr', {}, element('th', {}, muted(l10n.t('switches'))), ...head)), element('tbody', {}, ...rows.map(line)));
}

function outcome(cell: MatrixCell, say: (cell: MatrixCell) => void): HTMLElement {
  const { combination, letter, isFirstBad } = cell;
  const { verdict, complete } = combination;
  const press = element('button', { class: 'plain', attributes: { type: 'button', title: verdict.sentence, translate: 'no' } }, isVerdict(verdict.word) ? verdictBadge(verdict.word) : muted(verdict.word), element('span', { class: 'letter', attributes: { title: l10n.t('equal letters, equal bytes') } }, letter), isFirstBad && element('strong', {}, l10n.t('first bad')), !complete && muted(l10n.t('not complete')));
  press.addEventListener('click', () => say(cell));
  return press;
}

const liveWords: Readonly<Record<Live, string>> = { bytes: l10n.t('live: it changes bytes'), counters: l10n.t('live: it changes which kernels or how many threads run, and no byte'), void: l10n.t('void: it changes nothing here') };

/** Full, half, hollow and struck out: no two are alike. */
const liveShapes: Readonly<Record<Live, string>> = { bytes: 'M8 2a6 6 0 1 1 0 12a6 6 0 1 1 0-12z', counters: 'M8 2a6 6 0 0 1 0 12z', void: 'M3 13L13 3' };

function liveIcon(live: Live): SVGElement {
  const ring = svg('circle', { attributes: { cx: 8, cy: 8, r: 6 } });
  return svg('svg', { class: `live-icon live-${live}`, attributes: { viewBox: '0 0 16 16', width: 15, height: 15, 'aria-hidden': 'true' } }, ring, svg('path', { attributes: { d: liveShapes[live] } }));
}

const control = ({ name, values, live, decides }: SwitchControl): HTMLElement => element('li', {}, Object.hasOwn(liveShapes, live) && liveIcon(live), code(name), foreign(values.join(', '), 'muted'), ...livePart(live, decides));

const livePart = (live: Live, decides: boolean): Child[] => [Object.hasOwn(liveWords, live) ? element('span', {}, liveWords[live]) : foreign(live), decides && element('strong', {}, l10n.t('it decides a verdict'))];

// The lane of a cell: a list of taps in data order, each a node on the rail of its branch, with the lines of data between them.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import { piecesOf, type Lane, type LaneNode, type LanePiece } from '../model/lane';
import { percent, share } from '../model/numbers';
import type { TapState } from '../model/tapList';
import { code, element, foreign, svg } from './dom';
import { bar } from './table';

/** Pixels between two rails, and from the edge to the first. */
const railStep = 14;
const railEdge = 9;
/** A row's picture is this high and is stretched to the row. */
const height = 100;
/** Only a report that was made to be hostile has more. */
const mostRows = 2000;

const railX = (rail: number): number => railEdge + rail * railStep;
const widthOf = (rails: number): number => railX(rails - 1) + railEdge;

/** Outline of each state in a box of 16 x 16; no two are alike. */
const marks: Readonly<Record<TapState, string>> = {
  equal: 'M8 4.2a3.8 3.8 0 1 1 0 7.6a3.8 3.8 0 1 1 0-7.6z',
  differs: 'M8 1.6L14.4 8L8 14.4L1.6 8z',
  notCaptured: 'M4.2 4.2h7.6v7.6H4.2z',
  notListed: 'M8 3.2L13 12.2H3z',
};

const stateWords: Readonly<Record<TapState, string>> = { equal: l10n.t('equal'), differs: l10n.t('differs'), notCaptured: l10n.t('not captured'), notListed: l10n.t('not listed') };
const stateHints: Readonly<Record<TapState, string>> = {
  equal: l10n.t('Every byte is equal: there is nothing to show.'),
  differs: '',
  notCaptured: l10n.t('The report did not compare this tap.'),
  notListed: l10n.t("Something of this cell differs that the report's size limit left out; whether it is this tap is not known."),
};

/** Makes the list. Buttons hold the place of their node in `data-at`, and those that can be chosen their tap in `data-tap`. */
export function laneView(caption: string, lane: Lane): HTMLElement {
  const pieces = piecesOf(lane);
  const until = equalUntil(lane);
  const rows = lane.nodes.slice(0, mostRows).map((node, at) => rowOf(lane, node, at, pieces[at] ?? [], until));
  const list = element('ol', { class: 'lane-list', attributes: { 'aria-label': caption } }, ...rows);
  const left = lane.nodes.length - rows.length;
  const node = element('div', { class: 'lane' }, heading(), list, left > 0 && element('p', { class: 'empty' }, l10n.t('{0} more taps are not drawn.', formatCount(left))));
  node.style.setProperty('--lane-rails', `${widthOf(lane.rails)}px`);
  return node;
}

/** The last node before the first that differs, where all up to it are known to be equal. */
function equalUntil({ nodes, first }: Lane): number {
  const before = nodes.slice(0, Math.max(0, first));
  return before.every(({ state }) => state === 'equal') ? before.length - 1 : -1;
}

const heading = (): HTMLElement =>
  element('div', { class: 'lane-heading muted', attributes: { 'aria-hidden': 'true' } }, element('span'), element('span', {}, l10n.t('Tap')), ...[l10n.t('Bytes'), l10n.t('Max ULP'), l10n.t('Rel. L2')].map((title) => element('span', { class: 'number' }, title)));

function rowOf(lane: Lane, node: LaneNode, at: number, pieces: readonly LanePiece[], until: number): HTMLElement {
  const first = at === lane.first;
  const chosen = { 'data-at': at, 'aria-label': nodeInWords(node, first), tabindex: -1 };
  const attributes = node.differing >= 0 ? { ...chosen, 'data-tap': node.differing, title: l10n.t('{0} of {1} bytes', formatCount(node.differingBytes), formatCount(node.bytes)) } : { ...chosen, 'aria-disabled': 'true', title: stateHints[node.state] };
  const words = element('span', { class: 'lane-name' }, foreign(node.tap, 'tap'), first && element('span', { class: 'tag' }, l10n.t('first')), kernelsOf(node));
  // The button lies over what is shown and says all of it in words.
  const shown = element('div', { class: 'lane-shown', attributes: { 'aria-hidden': 'true' } }, words, ...figures(node, at === until ? l10n.t('equal until here') : stateWords[node.state]));
  const button = element('button', { class: 'plain lane-node', attributes });
  return element('li', { class: ['lane-row', node.state, first ? 'first' : ''].join(' ').trim() }, linesOf(lane, node, pieces), markOf(node), shown, button);
}

/** "q_proj: differs, 12 % of bytes, 3 ULP, relative L2 0.01, kernel qmv | qmm" */
function nodeInWords(node: LaneNode, first: boolean): string {
  const { kernel } = node;
  const words = tapInWords(node, first);
  return kernel === undefined ? words : l10n.t('{0}, kernel {1}', words, kernel.a === kernel.b ? kernel.a : `${kernel.a} | ${kernel.b}`);
}

function tapInWords({ tap, state, bytes, differingBytes, maxUlp, relL2 }: LaneNode, first: boolean): string {
  const amounts = [percent(share(differingBytes, bytes)), formatCount(maxUlp), formatFloat(relL2, 3)];
  switch (state) {
    case 'equal':
      return l10n.t('{0}: equal', tap);
    case 'notCaptured':
      return l10n.t('{0}: not captured', tap);
    case 'notListed':
      return l10n.t('{0}: not listed', tap);
    case 'differs':
      return first ? l10n.t('{0}: differs, {1} of bytes, {2} ULP, relative L2 {3}, the first that differs', tap, ...amounts) : l10n.t('{0}: differs, {1} of bytes, {2} ULP, relative L2 {3}', tap, ...amounts);
  }
}

function figures({ state, bytes, differingBytes, maxUlp, relL2 }: LaneNode, words: string): HTMLElement[] {
  if (state !== 'differs') return [element('span', { class: 'lane-state muted' }, words)];
  const part = share(differingBytes, bytes);
  const figure = (text: string, unit: string): HTMLElement => element('span', { class: 'number' }, text, element('span', { class: 'unit muted' }, ' ', unit));
  return [
    element('span', { class: 'number' }, bar(part, percent(part))),
    figure(formatCount(maxUlp), l10n.t('ULP')),
    figure(formatFloat(relL2, 3), 'L2'),
  ];
}

function kernelsOf({ kernel }: LaneNode): HTMLElement | null {
  if (!kernel) return null;
  const same = kernel.a === kernel.b;
  return element('span', { class: same ? 'kernels same muted' : 'kernels' }, code(kernel.a), !same && ' | ', !same && code(kernel.b));
}

function markOf({ rail, state }: LaneNode): SVGElement {
  const mark = svg('svg', { class: 'lane-mark', attributes: { viewBox: '0 0 16 16', 'aria-hidden': 'true' } }, svg('path', { attributes: { d: marks[state] } }));
  mark.style.left = `${railX(rail) - 8}px`;
  return mark;
}

/** Lines of one row. Those of equal data are drawn last, so that an unbroken line stays one where others cross it. */
function linesOf({ nodes, lines, rails }: Lane, { rail }: LaneNode, pieces: readonly LanePiece[]): SVGElement {
  const width = widthOf(rails);
  const stateOf = ({ line }: LanePiece): TapState => nodes[lines[line]?.from ?? -1]?.state ?? 'notCaptured';
  const ordered = [...pieces].sort((a, b) => Number(stateOf(a) === 'equal') - Number(stateOf(b) === 'equal'));
  const paths = ordered.map((piece) => svg('path', { class: `line-${stateOf(piece)}`, attributes: { d: pathOf(piece, rail) } }));
  return svg('svg', { class: 'lane-lines', attributes: { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' } }, ...paths);
}

function pathOf({ how, rail }: LanePiece, own: number): string {
  const [x, y, node] = [railX(rail), height / 2, railX(own)];
  switch (how) {
    case 'through':
      return `M${x} 0V${height}`;
    case 'leaves':
      return `M${node} ${y}C${node} ${height} ${x} ${y} ${x} ${height}`;
    case 'arrives':
      return `M${x} 0C${x} ${y} ${node} 0 ${node} ${y}`;
  }
}

/** Sets off the chosen tap, and makes it the one that Tab reaches. */
export function markChosen(list: HTMLElement, tap: number): void {
  const buttons = [...list.querySelectorAll<HTMLElement>('.lane-node')];
  const chosen = buttons.find((made) => tap >= 0 && made.dataset['tap'] === String(tap));
  for (const made of buttons) {
    made.tabIndex = made === (chosen ?? buttons[0]) ? 0 : -1;
    made.parentElement?.classList.toggle('chosen', made === chosen);
    if (made === chosen) made.setAttribute('aria-current', 'true');
    else made.removeAttribute('aria-current');
  }
}

// A round as cells: accepted drafts, rejected drafts, and the bonus token that the target adds. Told apart by shape as well as by colour.
import * as l10n from '@vscode/l10n';
import { mostIds } from '../../shared/logLimits';
import type { RoundRow } from '../../shared/logReaderProtocol';
import { element, svg } from '../view/dom';

/** Cells that are drawn of a round. */
const mostCells = 32;
const size = { width: 13, height: 14, gap: 2 };

type CellKind = 'accepted' | 'rejected' | 'bonus' | 'cut';

const kindWords: Readonly<Record<CellKind, string>> = { accepted: l10n.t('accepted draft'), rejected: l10n.t('rejected draft'), bonus: l10n.t('bonus token of the target'), cut: l10n.t('not emitted: cut by the budget') };

interface Cell {
  readonly kind: CellKind;
  readonly title: string;
}

const idText = (id: number | undefined): string => (id === undefined ? '' : `, ${l10n.t('id {0}', id)}`);

function cellsOf({ accepted, drafted, drafts, targets, emitted }: RoundRow): Cell[] {
  const count = Math.min(mostCells, drafted ?? accepted);
  const kept = emitted === null || emitted.length >= mostIds ? Infinity : emitted.length;
  const draftCells = Array.from({ length: count }, (_, i): Cell => {
    const kind = i >= accepted ? 'rejected' : i < kept ? 'accepted' : 'cut';
    const chosen = kind === 'rejected' ? targets?.[i] : undefined;
    const target = chosen === undefined ? '' : `, ${l10n.t('the target chose {0}', chosen)}`;
    return { kind, title: [l10n.t('draft {0}: {1}', i + 1, kindWords[kind]), idText(drafts?.[i]), target].join('') };
  });
  const last: CellKind = accepted < kept ? 'bonus' : 'cut';
  return [...draftCells, { kind: last, title: [kindWords[last], idText(targets?.[accepted])].join('') }];
}

/** Decoration: the counts stand beside it as text. */
export function roundCells(round: RoundRow): HTMLElement {
  const cells = cellsOf(round);
  const step = size.width + size.gap;
  const more = (round.drafted ?? round.accepted) > mostCells;
  const picture = svg('svg', { class: 'cells', attributes: { width: cells.length * step, height: size.height, 'aria-hidden': 'true' } }, ...cells.map(({ kind, title }, i) => cellNode(kind, title, i * step)));
  return element('span', { class: 'round-cells' }, picture, more && '…');
}

function cellNode(kind: CellKind, title: string, x: number): SVGElement {
  const node = svg('g', { class: `cell cell-${kind}`, attributes: { transform: `translate(${x},0)` } }, svg('title', {}, title));
  const box = { x: 0.5, y: 0.5, width: size.width - 1, height: size.height - 1 };
  if (kind === 'bonus') node.append(svg('circle', { attributes: { cx: size.width / 2, cy: size.height / 2, r: size.width / 2 - 1 } }));
  else node.append(svg('rect', { attributes: { ...box, rx: 1.5 } }));
  if (kind === 'rejected') node.append(svg('path', { attributes: { d: `M3.5 ${size.height - 4}L${size.width - 3.5} 4` } }));
  return node;
}

export function cellLegend(): HTMLElement {
  const key = (kind: CellKind, words: string): HTMLElement => element('span', { class: 'key' }, svg('svg', { class: 'cells', attributes: { width: size.width, height: size.height, 'aria-hidden': 'true' } }, cellNode(kind, words, 0)), words);
  return element('div', { class: 'legend' }, key('accepted', l10n.t('accepted draft')), key('rejected', l10n.t('rejected draft')), key('bonus', l10n.t('bonus token of the target')), key('cut', l10n.t('cut by the budget')));
}

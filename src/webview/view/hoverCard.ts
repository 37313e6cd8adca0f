// What a cell holds, beside the pointer.
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { percent, share } from '../model/numbers';
import type { Cell } from '../model/plot';
import { firstTap } from '../model/selection';
import { kindWords } from '../model/words';
import { argmaxDiffers } from '../model/measures';
import { factCard, type Facts } from './factCard';
import { element } from './dom';

export interface HoverCard {
  readonly node: HTMLElement;
  /** x, y: the cell's lower right corner in the offset parent. */
  readonly show: (run: BisectRun, cell: Cell, x: number, y: number) => void;
  readonly hide: () => void;
}

function factsOf(run: BisectRun, { row, position }: Cell): Facts {
  const { cells, logits } = run;
  const cell = row * cells.positions + position;
  const bytes = cells.rowBytes[row] ?? 0;
  const differing = cells.differingBytes[cell] ?? 0;
  if (bytes === 0) return [['bytes', 'not compared']];
  const choice = argmaxDiffers(run, position) ? `${logits.argmaxA[position]} | ${logits.argmaxB[position]}` : `both ${logits.argmaxA[position]}`;
  if (differing === 0) return [['bytes', `equal, ${formatCount(bytes)} compared`], ['greedy choice', choice]]; // prettier-ignore
  return [
    ['bytes', `${percent(share(differing, bytes))}, ${formatCount(differing)} of ${formatCount(bytes)}`],
    ['max ULP', formatCount(cells.maxUlp[cell] ?? 0)],
    ['relative L2', formatFloat(cells.relL2[cell] ?? 0, 3)],
    ['first tap', run.differing.tap[firstTap(run, row, position)] ?? 'not kept'],
    ['greedy choice', choice],
  ];
}

function titleOf(run: BisectRun, { row, position }: Cell): HTMLElement[] {
  const mapRow = run.rows[row];
  const absolute = formatCount(run.promptIds.length + position);
  const id = run.blockIds[position];
  return [
    element('strong', {}, mapRow?.label ?? '', ' · ', `position ${position}`),
    element('span', { class: 'muted' }, `${mapRow ? kindWords[mapRow.kind].name : ''} · absolute ${absolute}${id === undefined ? '' : ` · id ${id}`}`),
  ];
}

/** Between cell and card. */
const gap = 6;

export function hoverCard(): HoverCard {
  const { node, fill, hide } = factCard();
  return {
    node,
    show(run, cell, x, y) {
      fill(titleOf(run, cell), factsOf(run, cell));
      const origin = node.offsetParent?.getBoundingClientRect().left ?? 0;
      const room = document.documentElement.clientWidth - origin - node.offsetWidth - 8;
      node.style.transform = `translate(${Math.round(Math.max(-origin, Math.min(x + gap, room)))}px, ${Math.round(y + gap)}px)`;
    },
    hide,
  };
}

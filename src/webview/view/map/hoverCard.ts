// What a cell holds, beside the pointer.
import type { Cell, Grid } from '../../model/grid';
import { element } from '../dom';
import { factCard } from '../factCard';

export interface HoverCard {
  readonly node: HTMLElement;
  /** x, y: the cell's lower right corner in the offset parent. */
  readonly show: (grid: Grid, cell: Cell, x: number, y: number) => void;
  readonly hide: () => void;
}

/** Between cell and card. */
const gap = 6;

export function hoverCard(): HoverCard {
  const { node, fill, hide } = factCard();
  return {
    node,
    show(grid, cell, x, y) {
      fill([element('strong', {}, grid.place(cell)), element('span', { class: 'muted' }, grid.about(cell))], grid.facts(cell));
      const origin = node.offsetParent?.getBoundingClientRect().left ?? 0;
      const room = document.documentElement.clientWidth - origin - node.offsetWidth - 8;
      node.style.transform = `translate(${Math.round(Math.max(-origin, Math.min(x + gap, room)))}px, ${Math.round(y + gap)}px)`;
    },
    hide,
  };
}

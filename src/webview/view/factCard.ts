// A small card with a title and named values, beside what is pointed at. Readers by ear hear the same elsewhere, so it is hidden from them.
import type { Facts } from '../model/grid';
import { element } from './dom';

export interface FactCard {
  readonly node: HTMLElement;
  /** Shows it where it stands; the caller places it. */
  readonly fill: (title: readonly (Node | string)[], facts: Facts) => void;
  readonly hide: () => void;
}

export function factCard(): FactCard {
  const node = element('div', { class: 'hover-card', attributes: { 'aria-hidden': 'true' } });
  node.hidden = true;
  return {
    node,
    fill(title, facts) {
      const pairs = facts.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]);
      node.replaceChildren(element('header', {}, ...title), element('dl', {}, ...pairs));
      node.hidden = false;
    },
    hide: () => (node.hidden = true),
  };
}

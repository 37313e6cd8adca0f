// Long lists, drawn in pages, so that ten thousand entries do not become ten thousand nodes at once.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import { button, enable } from '../controls';
import { element, muted } from './dom';

/** Puts the first page into a node. Gives the button for the next one, which goes with the last. */
export function inPages<Item>(items: readonly Item[], page: number, into: Element, make: (item: Item, index: number) => Node): HTMLElement {
  const more = element('div', { class: 'more' });
  const append = (from: number): void => {
    const to = Math.min(items.length, from + page);
    into.append(...items.slice(from, to).map((item, i) => make(item, from + i)));
    more.replaceChildren(...(to < items.length ? [button(l10n.t('Show {0} of {1} more', formatCount(Math.min(page, items.length - to)), formatCount(items.length - to)), () => append(to))] : []));
  };
  append(0);
  return more;
}

/** Buttons that go through a list part by part, the first of which is drawn at once. `words`: the place of the part, as in "Arms 51 to 100 of 5,000". */
export function turner(count: number, page: number, words: (from: string, to: string, count: string) => string, draw: (from: number, to: number) => void): HTMLElement {
  const place = element('span', { attributes: { role: 'status' } });
  const go = (from: number): void => {
    const to = Math.min(count, from + page);
    draw(from, to);
    place.replaceChildren(muted(words(formatCount(from + 1), formatCount(to), formatCount(count))));
    enable(previous, from > 0, l10n.t('These are the first'));
    enable(next, to < count, l10n.t('These are the last'));
    shown = from;
  };
  let shown = 0;
  const previous = button(l10n.t('‹ Previous'), () => go(Math.max(0, shown - page)));
  const next = button(l10n.t('Next ›'), () => go(Math.min(shown + page, count - 1)));
  go(0);
  return element('div', { class: 'actions' }, previous, next, place);
}

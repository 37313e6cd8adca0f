// A button with a list of things to do: opens below it, walks by arrows, closes by Escape, by choosing and by going elsewhere.
import { button } from '../controls';
import { element } from './dom';

export interface MenuItem {
  readonly label: string;
  /** Beside the label: a key, or what it gives. */
  readonly hint?: string;
  readonly run: () => void;
}

export function menu(label: string, title: string, items: readonly MenuItem[]): HTMLElement {
  const list = element('div', { class: 'menu-list', attributes: { role: 'menu', 'aria-label': title } });
  const opener = button(`${label} ▾`, () => (list.hidden ? open() : close()));
  opener.title = title;
  opener.setAttribute('aria-haspopup', 'menu');
  const node = element('div', { class: 'menu' }, opener, list);
  const entries = items.map(({ label: text, hint, run }) => {
    const made = element('button', { class: 'plain', attributes: { role: 'menuitem', tabindex: -1 } }, element('span', {}, text), hint !== undefined && element('span', { class: 'hint' }, hint));
    made.addEventListener('click', () => {
      close();
      opener.focus();
      run();
    });
    return made;
  });
  list.append(...entries);

  const show = (shown: boolean): void => {
    list.hidden = !shown;
    opener.setAttribute('aria-expanded', String(shown));
  };
  const close = (): void => show(false);
  function open(): void {
    show(true);
    // At the page's right edge the list opens to the left.
    list.classList.toggle('left', node.getBoundingClientRect().left + list.offsetWidth > document.documentElement.clientWidth - 8);
    entries[0]?.focus();
  }
  const move = (by: number): void => entries[(entries.findIndex((one) => one === document.activeElement) + by + entries.length) % entries.length]?.focus();
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Home: () => entries[0]?.focus(),
    End: () => entries.at(-1)?.focus(),
    Escape: () => {
      close();
      opener.focus();
    },
  };
  node.addEventListener('keydown', (event) => {
    const act = list.hidden && event.key !== 'ArrowDown' ? undefined : list.hidden ? open : keys[event.key];
    if (act === undefined || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  });
  node.addEventListener('focusout', (event) => {
    if (!(event.relatedTarget instanceof Node) || !node.contains(event.relatedTarget)) close();
  });
  show(false);
  return node;
}

// The keys of the page, by what they move: `?` or a button opens the list, and it names only the parts that the page has.
import * as l10n from '@vscode/l10n';
import { button } from '../controls';
import { element } from './dom';
import { inTextField } from './keys';
import { whileThere } from './whileThere';

interface KeyGroup {
  readonly name: string;
  /** The part that hears these keys, as a selector. */
  readonly part: string;
  /** Keys as they are written on a keyboard, what they do, and the part that it takes for that. */
  readonly keys: readonly (readonly [keys: readonly string[], does: string, part?: string])[];
}

const arrows = ['←', '→', '↑', '↓'];

function groups(): readonly KeyGroup[] {
  const [home, end, escape, enter] = [l10n.t('Home'), l10n.t('End'), l10n.t('Esc'), l10n.t('Enter')];
  const [pageUp, pageDown] = [l10n.t('Page Up'), l10n.t('Page Down')];
  return [
    {
      name: l10n.t('Map and timeline'),
      part: '.map-grid',
      keys: [
        [arrows, l10n.t('A cell further')],
        [[home, end], l10n.t('First and last position of the row; with Ctrl, of the map')],
        [[pageUp, pageDown], l10n.t('Ten rows up or down')],
        [['f'], l10n.t('First divergence')],
        [['n', 'p'], l10n.t('Next and previous cell that differs')],
        [['+', '-', '0'], l10n.t('Zoom in, zoom out, show all')],
        [[enter], l10n.t('To the lane of the cell'), '.cell-panel'],
        [[l10n.t('Drag')], l10n.t('Zoom to what is drawn over')],
        [[l10n.t('Wheel')], l10n.t('Move sideways; with Ctrl, zoom')],
      ],
    },
    {
      name: l10n.t('Lane of taps'),
      part: '.cell-panel',
      keys: [
        [arrows, l10n.t('Along the data, and between branches')],
        [['n', 'p'], l10n.t('Next and previous tap that differs, in this cell or another')],
        [[escape], l10n.t('Back to the map')],
      ],
    },
    { name: l10n.t('Elements of a tap'), part: '.element-grid', keys: [[['n', 'p'], l10n.t('Next and previous element that differs')]] },
    { name: l10n.t('Runs'), part: '.runs', keys: [[['↑', '↓', home, end], l10n.t('Another run')]] },
    {
      name: l10n.t('Long tables'),
      part: '.long-table',
      keys: [
        [['↑', '↓', pageUp, pageDown, home, end], l10n.t('Another row')],
        [[enter], l10n.t('Go to what the row tells of')],
      ],
    },
    { name: l10n.t('Text'), part: '.text[role=listbox]', keys: [[['←', '→', home, end], l10n.t('Another token')]] },
    {
      name: l10n.t('Page'),
      part: '.picture-tools',
      keys: [
        [[l10n.t('Alt+←'), l10n.t('Alt+→')], l10n.t('Back to what was looked at before, and forward again'), '.trail'],
        [[l10n.t('Ctrl+C')], l10n.t('Copy the selected cell')],
      ],
    },
  ];
}

const isThere = (part: string): boolean => [...document.querySelectorAll(part)].some((one) => one.checkVisibility());

function tableOf({ name, keys }: KeyGroup): HTMLElement {
  const rows = keys.filter(([, , part]) => part === undefined || isThere(part)).map(([names, does]) => element('tr', {}, element('td', {}, ...names.map((key) => element('kbd', {}, key))), element('td', {}, does)));
  return element('table', {}, element('caption', {}, name), element('tbody', {}, ...rows));
}

/** A button that opens the list; as long as it is on the page, `?` does so too. */
export function keyList(): HTMLElement {
  const tables = element('div', { class: 'key-tables' });
  const close = button(l10n.t('Close'), () => dialog.close());
  const dialog = element('dialog', { class: 'key-list', attributes: { 'aria-label': l10n.t('Keys') } }, element('div', { class: 'key-list-head' }, element('h2', {}, l10n.t('Keys')), close), tables);
  const open = (): void => {
    if (dialog.open) return;
    tables.replaceChildren(...groups().filter(({ part }) => isThere(part)).map(tableOf));
    dialog.showModal();
  };
  // Beside the list, not within it.
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
  const opener = button(l10n.t('Keys'), open);
  opener.title = l10n.t('The keys of this page (?)');
  opener.setAttribute('aria-keyshortcuts', '?');
  const node = element('div', { class: 'menu' }, opener, dialog);
  whileThere(node, 'keydown', (event) => {
    if (event.key !== '?' || event.ctrlKey || event.altKey || event.metaKey || inTextField(event)) return;
    event.preventDefault();
    open();
  });
  return node;
}

// Buttons and keys that lead back and forward through where one has looked.
import * as l10n from '@vscode/l10n';
import { button, enable } from '../controls';
import type { History } from '../model/history';
import { element, whenChanged, type Part } from './dom';
import { inTextField } from './keys';
import { whileThere } from './whileThere';

export type Way = 'back' | 'forward';

const backKeys = 'Alt+ArrowLeft';
const forwardKeys = 'Alt+ArrowRight';

export function backForward(go: (way: Way) => void): Part<History<unknown>> {
  const back = button(l10n.t('‹ Back'), () => go('back'));
  const forward = button(l10n.t('Forward ›'), () => go('forward'));
  back.setAttribute('aria-keyshortcuts', backKeys);
  forward.setAttribute('aria-keyshortcuts', forwardKeys);
  const node = element('div', { class: 'actions' }, back, forward);
  listenForKeys(node, go);
  const update = whenChanged<History<unknown>>(
    ({ past, future }) => [past.length > 0, future.length > 0],
    ({ past, future }) => {
      enable(back, past.length > 0, past.length > 0 ? l10n.t('Look where you looked before (Alt+Left)') : l10n.t('You have not looked elsewhere yet'));
      enable(forward, future.length > 0, future.length > 0 ? l10n.t('Undo the step back (Alt+Right)') : l10n.t('No step back was made'));
    },
  );
  return { node, update };
}

/** Before the editor hears of the keys, which it has a meaning of its own for. */
function listenForKeys(node: HTMLElement, go: (way: Way) => void): void {
  const press = (event: KeyboardEvent): void => {
    const way = event.key === 'ArrowLeft' ? 'back' : event.key === 'ArrowRight' ? 'forward' : null;
    if (way === null || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || inTextField(event)) return;
    event.preventDefault();
    event.stopPropagation();
    go(way);
  };
  whileThere(node, 'keydown', press, true);
}

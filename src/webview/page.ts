// What every page does before its own work: a root for its nodes, and word to the host of what breaks.
import * as l10n from '@vscode/l10n';
import { button, registerControls } from './controls';
import { cut, room } from './model/cut';
import { element, filled, foreign } from './view/dom';

/** The page needs nothing but a body, and in its head `<meta property="csp-nonce" content="N">` for the kit of controls. */
export function openPage(): HTMLElement {
  registerControls();
  const root = document.createElement('div');
  root.id = 'root';
  document.body.append(root);
  return root;
}

export const errorText = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** What went wrong, as a sentence for the page. */
export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** What the browser calls an error and is none: sizes that change once more before the next frame. */
const harmless = 'ResizeObserver loop';

/** Hears of errors that nobody caught, as in a frame or an event. The page says so: what it shows may be old since then. */
export function onFailure(failed: (message: string) => void): void {
  const broke = (error: unknown): void => {
    failed(errorText(error));
    noticeFailure(error);
  };
  window.addEventListener('error', ({ error, message }) => message.startsWith(harmless) || broke(error ?? message));
  window.addEventListener('unhandledrejection', ({ reason }) => broke(reason));
}

/** One for the last that happened, above all else. */
function noticeFailure(error: unknown): void {
  document.querySelector('.page-failed')?.remove();
  const notice = element('div', { class: 'notice page-failed', attributes: { role: 'alert' } });
  const close = button(l10n.t('Close'), () => notice.remove());
  notice.append(element('p', {}, ...filled(l10n.t('A part of this page failed: {0} What it shows may be old or incomplete. Close it and open it again; the log of Moire tells more.'), foreign(asSentence(reasonOf(error))))), close);
  document.body.prepend(notice);
}

const asSentence = (text: string): string => cut(/[.!?]$/.test(text) ? text : `${text}.`, room.sentence);

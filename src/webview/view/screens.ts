// What stands in the page while there is no report to show.
import * as l10n from '@vscode/l10n';
import { button, progressRing } from '../controls';
import type { Problem, State } from '../store';
import { element, type Part } from './dom';
import { runBanner } from './runBanner';

export function loadingScreen(words = l10n.t('Opening the report …')): HTMLElement {
  return element('div', { class: 'screen', attributes: { role: 'status' } }, progressRing(l10n.t('Loading')), element('p', {}, words));
}

const untranslated = { attributes: { translate: 'no' } } as const;

/** A run that has nothing to show yet. */
export function runningScreen(cancel: () => void): Part<Extract<State, { screen: 'running' }>> {
  const banner = runBanner(cancel);
  const [title, file] = [element('h1', untranslated), element('p', { class: 'file', ...untranslated })];
  return {
    node: element('div', { class: 'screen running' }, title, file, banner.node),
    update(state) {
      title.textContent = state.title;
      file.textContent = state.fileName;
      banner.update(state.progress);
    },
  };
}

export interface ProblemEvents {
  readonly openAsText: () => void;
  readonly runAgain: () => void;
}

/** Its words are in the language of the page already: they come from the host. */
export function problemScreen({ fileName, title, detail, action, again = false }: Problem, { openAsText, runAgain }: ProblemEvents): HTMLElement {
  return element(
    'div',
    { class: 'screen problem', attributes: { role: 'alert' } },
    element('h1', untranslated, title),
    element('p', { class: 'file', ...untranslated }, fileName),
    element('p', { class: 'detail-text', ...untranslated }, detail),
    element('p', untranslated, action),
    element('div', { class: 'actions' }, again ? button(l10n.t('Run again'), runAgain, 'primary') : button(l10n.t('Open as text'), openAsText, 'primary')),
  );
}

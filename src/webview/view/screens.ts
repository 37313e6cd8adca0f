// What stands in the page while there is no report to show.
import { button, progressRing } from '../controls';
import type { Problem, State } from '../store';
import { element, type Part } from './dom';
import { runBanner } from './runBanner';

export function loadingScreen(words = 'Opening the report …'): HTMLElement {
  return element('div', { class: 'screen', attributes: { role: 'status' } }, progressRing('Loading'), element('p', {}, words));
}

/** A run that has nothing to show yet. */
export function runningScreen(cancel: () => void): Part<Extract<State, { screen: 'running' }>> {
  const banner = runBanner(cancel);
  const [title, file] = [element('h1', {}), element('p', { class: 'file' })];
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

export function problemScreen({ fileName, title, detail, action, again = false }: Problem, { openAsText, runAgain }: ProblemEvents): HTMLElement {
  return element(
    'div',
    { class: 'screen problem', attributes: { role: 'alert' } },
    element('h1', {}, title),
    element('p', { class: 'file' }, fileName),
    element('p', { class: 'detail-text' }, detail),
    element('p', {}, action),
    element('div', { class: 'actions' }, again ? button('Run again', runAgain, 'primary') : button('Open as text', openAsText, 'primary')),
  );
}

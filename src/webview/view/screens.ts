// What stands in the page while there is no report to show.
import { button, progressRing } from '../controls';
import type { Problem } from '../store';
import { element } from './dom';

export function loadingScreen(words = 'Opening the report …'): HTMLElement {
  return element('div', { class: 'screen', attributes: { role: 'status' } }, progressRing('Loading'), element('p', {}, words));
}

export function problemScreen({ fileName, title, detail, action }: Problem, openAsText: () => void): HTMLElement {
  return element(
    'div',
    { class: 'screen problem', attributes: { role: 'alert' } },
    element('h1', {}, title),
    element('p', { class: 'file' }, fileName),
    element('p', { class: 'detail-text' }, detail),
    element('p', {}, action),
    element('div', { class: 'actions' }, button('Open as text', openAsText, 'primary')),
  );
}

// What stands in the page when one of the files cannot be shown.
import * as l10n from '@vscode/l10n';
import type { CompareSide, ToCompare } from '../../../shared/compareProtocol';
import { button } from '../../controls';
import { element } from '../dom';
import { problemScreen } from '../screens';

/** `reason`: as the page met it. */
export function failedScreen({ a, b }: ToCompare, reason: string, open: (side: CompareSide) => void): HTMLElement {
  const untranslated = { attributes: { translate: 'no' } } as const;
  return element(
    'div',
    { class: 'screen problem', attributes: { role: 'alert' } },
    element('h1', {}, l10n.t('These reports cannot be compared.')),
    element('p', { class: 'file', ...untranslated }, `A: ${a.fileName} · B: ${b.fileName}`),
    element('p', { class: 'detail-text', ...untranslated }, reason),
    element('p', {}, l10n.t('Open each by itself: its page says what is odd about it, and shows it as text.')),
    element('div', { class: 'actions' }, button(l10n.t('Open report {0}', 'A'), () => open('a'), 'primary'), button(l10n.t('Open report {0}', 'B'), () => open('b'), 'primary')),
  );
}

export function problemScreens(message: ToCompare, open: (side: CompareSide) => void): HTMLElement {
  const sides = (['a', 'b'] as const).map((side) => {
    const state = message[side];
    if (state.type === 'problem') return problemScreen(state, { openAsText: () => open(side), runAgain: () => open(side) });
    return element('div', { class: 'screen' }, element('p', { class: 'file', attributes: { translate: 'no' } }, state.fileName), element('p', {}, l10n.t('This report can be shown by itself.')), element('div', { class: 'actions' }, button(l10n.t('Open the report'), () => open(side))));
  });
  return element('div', { class: 'compare-problems' }, ...sides);
}

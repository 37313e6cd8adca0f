// What stands in the page when one of the files cannot be shown.
import * as l10n from '@vscode/l10n';
import type { CompareSide, ToCompare } from '../../../shared/compareProtocol';
import { button } from '../../controls';
import { element } from '../dom';
import { problemScreen } from '../screens';

export function problemScreens(message: ToCompare, open: (side: CompareSide) => void): HTMLElement {
  const sides = (['a', 'b'] as const).map((side) => {
    const state = message[side];
    if (state.type === 'problem') return problemScreen(state, { openAsText: () => open(side), runAgain: () => open(side) });
    return element('div', { class: 'screen' }, element('p', { class: 'file', attributes: { translate: 'no' } }, state.fileName), element('p', {}, l10n.t('This report can be shown by itself.')), element('div', { class: 'actions' }, button(l10n.t('Open the report'), () => open(side))));
  });
  return element('div', { class: 'compare-problems' }, ...sides);
}

// What stands in the page when one of the files cannot be shown.
import type { CompareSide, ToCompare } from '../../../shared/compareProtocol';
import { button } from '../../controls';
import { element } from '../dom';
import { problemScreen } from '../screens';

export function problemScreens(message: ToCompare, open: (side: CompareSide) => void): HTMLElement {
  const sides = (['a', 'b'] as const).map((side) => {
    const state = message[side];
    if (state.type === 'problem') return problemScreen(state, { openAsText: () => open(side), runAgain: () => open(side) });
    return element('div', { class: 'screen' }, element('p', { class: 'file' }, state.fileName), element('p', {}, 'This report can be shown by itself.'), element('div', { class: 'actions' }, button('Open the report', () => open(side))));
  });
  return element('div', { class: 'compare-problems' }, ...sides);
}

// How far a run is, and the way to end it.
import type { RunProgress } from '../../shared/engineProtocol';
import { button } from '../controls';
import { share } from '../model/numbers';
import { element, type Part } from './dom';

export function runBanner(cancel: () => void): Part<RunProgress | null> {
  const text = element('span', { class: 'run-text' });
  const bar = element('progress', { class: 'run-bar', attributes: { 'aria-label': 'Progress of the run' } });
  const node = element('div', { class: 'run-banner', attributes: { role: 'group', 'aria-label': 'Run under way' } }, bar, text, button('Cancel', cancel));
  return {
    node,
    update(progress) {
      node.hidden = progress === null;
      if (progress === null) return;
      text.textContent = progress.text;
      // Without a value the bar says that nobody knows how much is left.
      if (progress.total > 0) bar.value = share(progress.done, progress.total);
      else bar.removeAttribute('value');
    },
  };
}

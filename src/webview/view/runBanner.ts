// How far a run is, and the way to end it.
import * as l10n from '@vscode/l10n';
import type { RunProgress } from '../../shared/engineProtocol';
import { button } from '../controls';
import { share } from '../model/numbers';
import { element, foreign, type Part } from './dom';

export function runBanner(cancel: () => void): Part<RunProgress | null> {
  const text = foreign('', 'run-text');
  const bar = element('progress', { class: 'run-bar', attributes: { 'aria-label': l10n.t('Progress of the run') } });
  const node = element('div', { class: 'run-banner', attributes: { role: 'group', 'aria-label': l10n.t('Run under way') } }, bar, text, button(l10n.t('Cancel'), cancel));
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

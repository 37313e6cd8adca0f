// A line number that leads to its line.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { Slot } from '../../shared/logReaderProtocol';
import { element, type Child } from '../view/dom';
import type { LogEvents } from './events';

export function lineButton(events: LogEvents, slot: Slot, line: number | null, label = line === null ? '' : formatCount(line)): Child {
  if (line === null) return null;
  const title = l10n.t('Go to line {0}', formatCount(line));
  const made = element('button', { class: 'plain line', attributes: { title, 'aria-label': title } }, label);
  made.addEventListener('click', () => events.goToLine(slot, line));
  return made;
}

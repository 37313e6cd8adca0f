// A line number that leads to its line.
import { formatCount } from '../../shared/format';
import type { Slot } from '../../shared/logReaderProtocol';
import { element, type Child } from '../view/dom';
import type { LogEvents } from './events';

export function lineButton(events: LogEvents, slot: Slot, line: number | null, label = line === null ? '' : formatCount(line)): Child {
  if (line === null) return null;
  const made = element('button', { class: 'plain line', attributes: { title: `Go to line ${formatCount(line)}`, 'aria-label': `Go to line ${formatCount(line)}` } }, label);
  made.addEventListener('click', () => events.goToLine(slot, line));
  return made;
}

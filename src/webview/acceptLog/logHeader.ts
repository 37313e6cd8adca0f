// What the log is: engine, format, grade with what it allows, meaning of its values; how far it is read; and what to do with all of it.
import { formatBytes } from '../../shared/format';
import type { LogState } from '../../shared/logReaderProtocol';
import { button, enable } from '../controls';
import { element, muted, whenChanged, type Part } from '../view/dom';
import type { LogEvents } from './events';
import { capital, gradeInWords, gradeUses, holdings, semanticsInWords } from './words';

/** "": it can be pressed. */
const because = (made: HTMLElement, reason: string): void => enable(made, reason === '', reason);

export interface LogHeaderInput {
  readonly state: LogState;
  readonly other: LogState | null;
  readonly stale: boolean;
}

export function logHeader(events: LogEvents): Part<LogHeaderInput> {
  const badge = element('div', { class: 'grade-place' });
  const title = element('div');
  const actions = actionsPart(events);
  const progress = progressPart();
  const notices = element('div', { class: 'log-notices' });
  const facts = element('div', { class: 'facts' });
  const node = element('header', { class: 'report-header' }, element('div', { class: 'log-headline' }, element('div', { class: 'log-title' }, badge, title), actions.node), progress.node, notices, facts);
  const drawTitle = whenChanged<LogState>(
    ({ source, engine, title: format, bytes, grade, counts, phase }) => [source, phase, engine, format, bytes, grade, counts.requests, counts.rounds, counts.intervals, counts.findings],
    (state) => {
      const { source, engine, title: format, bytes, grade } = state;
      badge.replaceChildren(...(grade === null ? [] : [element('span', { class: `grade grade-${grade}`, attributes: { title: gradeInWords(grade), 'aria-label': `Grade ${grade}` } }, grade)]));
      const what = engine === '' ? '' : `${engine} · ${format} · `;
      title.replaceChildren(element('h1', { attributes: { dir: 'auto' } }, source), muted(`${what}${bytes === 0 ? '' : `${formatBytes(bytes)} · `}${holdings(state)}`));
    },
  );
  const drawNotices = whenChanged<LogHeaderInput>(
    ({ state, stale }) => [state.problem, state.warnings, stale],
    ({ state, stale }) => notices.replaceChildren(...noticesOf(state, stale, events)),
  );
  const drawFacts = whenChanged<LogState>(
    ({ grade, semantics }) => [grade, JSON.stringify(semantics)],
    ({ grade, semantics }) => facts.replaceChildren(...(grade === null ? [] : gradeLines(grade)), ...(semantics === null ? [] : [element('p', {}, muted(semanticsInWords(semantics)))])),
  );
  return {
    node,
    update(input) {
      drawTitle(input.state);
      actions.update(input);
      progress.update(input.state);
      drawNotices(input);
      drawFacts(input.state);
    },
  };
}

function gradeLines(grade: NonNullable<LogState['grade']>): HTMLElement[] {
  const { allows, forbids } = gradeUses[grade];
  const line = (name: string, text: string): HTMLElement => element('p', {}, element('strong', {}, name), ` ${text}.`);
  return [element('p', {}, element('strong', {}, gradeInWords(grade)), '.'), line('Allows', allows), ...(forbids === '' ? [] : [line('Does not allow', forbids)])];
}

function actionsPart(events: LogEvents): Part<LogHeaderInput> {
  const compare = button('Compare…', events.compare);
  const end = button('Close comparison', events.endCompare);
  const json = button('Export JSON…', () => events.exportAs('json'));
  const table = button('Export rounds…', () => events.exportAs('tsv'));
  const node = element('div', { class: 'actions' }, compare, end, json, table, button('Read again', events.readAgain), button('Open as text', events.openAsText));
  return {
    node,
    update({ state, other }) {
      const unread = state.phase === 'reading' ? 'The log is still being read.' : state.engine === '' ? 'Nothing of this log is known.' : '';
      because(compare, state.engine === '' ? 'Nothing of this log is known.' : '');
      end.hidden = other === null;
      because(json, unread);
      because(table, unread !== '' ? unread : state.grade === 'A' || state.grade === 'B' ? '' : 'This log holds no rounds in order.');
    },
  };
}

function progressPart(): Part<LogState> {
  const bar = element('progress', { attributes: { max: 1, 'aria-label': 'Read of the log' } });
  const words = muted('');
  const node = element('div', { class: 'reading' }, bar, words);
  return {
    node,
    update({ phase, bytes, bytesRead }) {
      node.hidden = phase !== 'reading';
      if (bytes > 0) bar.value = bytesRead / bytes;
      else bar.removeAttribute('value');
      words.textContent = bytes === 0 ? 'Opening the log …' : `${formatBytes(bytesRead)} of ${formatBytes(bytes)} read. What is shown grows.`;
    },
  };
}

function notice(strong: string, text: string, role: 'status' | 'alert', ...more: readonly HTMLElement[]): HTMLElement {
  return element('p', { class: 'notice', attributes: { role, dir: 'auto' } }, element('strong', {}, strong), ` ${text}`, ...more);
}

function noticesOf({ problem, warnings, engine }: LogState, stale: boolean, events: LogEvents): HTMLElement[] {
  const unread = problem === null ? [] : [notice(engine === '' ? 'Nothing can be shown.' : 'Read in part.', [problem.title, problem.action].map((text) => text.replace(/[.\s]*$/, '.')).join(' '), 'alert')];
  const changed = stale ? [notice('The file has changed', 'since it was read. ', 'status', button('Read again', events.readAgain))] : [];
  return [...unread, ...changed, ...warnings.map((warning) => notice('Note.', `${capital(warning)}.`, 'status'))];
}

// What the log is: engine, format, grade with what it allows, meaning of its values; how far it is read; and what to do with all of it.
import * as l10n from '@vscode/l10n';
import { formatBytes } from '../../shared/format';
import type { LogState } from '../../shared/logReaderProtocol';
import { button, enable } from '../controls';
import { amount } from '../model/amount';
import { element, filled, foreign, muted, whenChanged, type Part } from '../view/dom';
import { keyList } from '../view/keyList';
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
      badge.replaceChildren(...(grade === null ? [] : [element('span', { class: `grade grade-${grade}`, attributes: { title: gradeInWords(grade), 'aria-label': l10n.t('Grade {0}', grade) } }, grade)]));
      const what = engine === '' ? '' : `${engine} · ${format} · `;
      const held = `${bytes === 0 ? '' : `${formatBytes(bytes)} · `}${holdings(state)}`;
      title.replaceChildren(element('h1', { attributes: { dir: 'auto', translate: 'no' } }, source), element('span', { class: 'muted' }, foreign(what), held));
    },
  );
  const drawNotices = whenChanged<LogHeaderInput>(
    ({ state, stale }) => [state.problem, state.warnings, state.counts.violations, stale],
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
  const line = (name: string, text: string): HTMLElement => element('p', {}, element('strong', {}, name), ' ', text, '.');
  return [element('p', {}, element('strong', {}, gradeInWords(grade)), '.'), line(l10n.t('Allows'), allows), ...(forbids === '' ? [] : [line(l10n.t('Does not allow'), forbids)])];
}

function actionsPart(events: LogEvents): Part<LogHeaderInput> {
  const compare = button(l10n.t('Compare…'), events.compare);
  const end = button(l10n.t('Close comparison'), events.endCompare);
  const json = button(l10n.t('Export JSON…'), () => events.exportAs('json'));
  const table = button(l10n.t('Export rounds…'), () => events.exportAs('tsv'));
  const node = element('div', { class: 'actions' }, compare, end, json, table, button(l10n.t('Read again'), events.readAgain), button(l10n.t('Open as text'), events.openAsText), keyList());
  return {
    node,
    update({ state, other }) {
      const unknown = state.engine === '' ? l10n.t('Nothing of this log is known.') : '';
      const unread = state.phase === 'reading' ? l10n.t('The log is still being read.') : unknown;
      because(compare, unknown);
      end.hidden = other === null;
      because(json, unread);
      because(table, unread !== '' ? unread : state.grade === 'A' || state.grade === 'B' ? '' : l10n.t('This log holds no rounds in order.'));
    },
  };
}

function progressPart(): Part<LogState> {
  const bar = element('progress', { attributes: { max: 1, 'aria-label': l10n.t('Read of the log') } });
  const words = muted('');
  const node = element('div', { class: 'reading' }, bar, words);
  return {
    node,
    update({ phase, bytes, bytesRead }) {
      node.hidden = phase !== 'reading';
      if (bytes > 0) bar.value = bytesRead / bytes;
      else bar.removeAttribute('value');
      words.textContent = bytes === 0 ? l10n.t('Opening the log …') : l10n.t('{0} of {1} read. What is shown grows.', formatBytes(bytesRead), formatBytes(bytes));
    },
  };
}

function notice(strong: string, text: HTMLElement, role: 'status' | 'alert'): HTMLElement {
  return element('p', { class: 'notice', attributes: { role, dir: 'auto' } }, element('strong', {}, strong), ' ', text);
}

function noticesOf({ problem, warnings, engine, counts: { violations } }: LogState, stale: boolean, events: LogEvents): HTMLElement[] {
  const unread = problem === null ? [] : [notice(engine === '' ? l10n.t('Nothing can be shown.') : l10n.t('Read in part.'), foreign([problem.title, problem.action].map((text) => text.replace(/[.\s]*$/, '.')).join(' ')), 'alert')];
  const changed = stale ? [element('p', { class: 'notice', attributes: { role: 'status', dir: 'auto' } }, ...filled(l10n.t('{0} since it was read.'), element('strong', {}, l10n.t('The file has changed'))), ' ', button(l10n.t('Read again'), events.readAgain))] : [];
  const broken = violations === 0 ? [] : [contradiction(violations)];
  return [...unread, ...changed, ...broken, ...warnings.map((warning) => notice(l10n.t('Note.'), foreign(`${capital(warning)}.`), 'status'))];
}

/** Where the rounds do not add up, what the grade allows does not hold for them. */
function contradiction(violations: number): HTMLElement {
  const words = amount(violations, l10n.t('{0} fault of the round algebra: what the grade allows does not hold for the request that has it.'), l10n.t('{0} faults of the round algebra: what the grade allows does not hold for the requests that have them.'));
  const show = button(l10n.t('Show the faults'), () => {
    const section = document.querySelector('.section-findings');
    section?.scrollIntoView({ block: 'start' });
    section?.querySelector<HTMLElement>('[role=grid]')?.focus({ preventScroll: true });
  });
  return element('p', { class: 'notice', attributes: { role: 'status', dir: 'auto' } }, element('strong', {}, l10n.t('The rounds contradict each other.')), ' ', words, ' ', show);
}

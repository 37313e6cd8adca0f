// The requests of a log: a long table in which moving chooses.
import * as l10n from '@vscode/l10n';
import type { LogState, RequestRow, Slot } from '../../shared/logReaderProtocol';
import { element, foreign, whenChanged, type Child, type Part } from '../view/dom';
import { countText } from './countText';
import type { LogEvents } from './events';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { requestKinds, shareText } from './words';

export interface RequestListInput {
  readonly state: LogState;
  readonly chosen: number;
}

const flags: readonly (readonly [kind: keyof RequestRow['flagged'], text: string, words: (count: number) => string])[] = [
  ['none', '0 %', (count) => l10n.t('holds stretches without an accepted draft: {0}', count)],
  ['nearly all', '~100 %', (count) => l10n.t('holds stretches with nearly all drafts accepted: {0}', count)],
];

function nameCell({ request, kind, complete, flagged }: RequestRow): Child {
  const tag = (text: string, title: string): HTMLElement => element('span', { class: 'tag', attributes: { title } }, text);
  const tags = [
    ...(kind === 'served' ? [] : [tag(requestKinds[kind], kind === 'run' ? l10n.t("a benchmark's own sum") : kind === 'unfinished' ? l10n.t('its end is not in the log') : l10n.t('a request without rounds'))]),
    ...(complete || kind === 'unfinished' ? [] : [tag(l10n.t('cut'), l10n.t('not complete'))]),
    ...flags.filter(([name]) => flagged[name] > 0).map(([name, text, words]) => tag(text, words(flagged[name]))),
  ];
  const name = request === null ? element('span', { attributes: { title: l10n.t('the log names no request') } }, '–') : element('span', { attributes: { title: request, translate: 'no' } }, request);
  return element('span', { class: 'name-cell', attributes: { dir: 'auto' } }, name, ...tags);
}

const columns: readonly LongColumn<RequestRow>[] = [
  { title: '#', width: 'col-number', number: true, cell: ({ ordinal }) => countText(ordinal) },
  { title: l10n.t('Request'), width: 'col-wide', heads: true, cell: nameCell },
  { title: l10n.t('Rounds'), width: 'col-count', number: true, cell: ({ roundCount }) => countText(roundCount) },
  { title: l10n.t('Accepted'), hint: l10n.t('Accepted drafts of all drafted'), width: 'col-count', number: true, cell: ({ acceptanceRate }) => shareText(acceptanceRate) },
  { title: l10n.t('Grade'), width: 'col-grade', cell: ({ grade }) => grade },
];

export function requestList(slot: Slot, questions: Questions, events: LogEvents): Part<RequestListInput> {
  const heading = element('h2');
  const long = new LongTable<RequestRow>({
    name: `requests-${slot}`,
    caption: slot === 'a' ? l10n.t('Requests: arrows choose one') : l10n.t('Requests of the second log: arrows choose one'),
    columns,
    fetch: (from, to) => questions.rows(slot, 'requests', from, to),
    failed: events.failed,
    chosen: (index) => events.choose(slot, index),
    entered: ({ line }) => line !== null && events.goToLine(slot, line),
  });
  const node = element('section', { class: 'requests', attributes: { 'aria-label': slot === 'a' ? l10n.t('Requests') : l10n.t('Requests of the second log') } }, heading, long.node);
  const show = whenChanged<RequestListInput>(
    ({ state }) => [state],
    ({ state }) => {
      heading.replaceChildren(...(slot === 'a' ? [l10n.t('Requests')] : ['B: ', foreign(state.source)]));
      long.show(state.counts.requests, true);
    },
  );
  const choose = whenChanged<RequestListInput>(({ chosen }) => [chosen], ({ chosen }) => chosen !== long.activeRow && long.reveal(chosen));
  return {
    node,
    update(input) {
      show(input);
      choose(input);
    },
  };
}

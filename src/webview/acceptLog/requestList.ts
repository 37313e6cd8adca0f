// The requests of a log: a long table in which moving chooses.
import type { LogState, RequestRow, Slot } from '../../shared/logReaderProtocol';
import { element, whenChanged, type Child, type Part } from '../view/dom';
import { countText } from './countText';
import type { LogEvents } from './events';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { shareText } from './words';

export interface RequestListInput {
  readonly state: LogState;
  readonly chosen: number;
}

const flags: readonly (readonly [kind: keyof RequestRow['flagged'], text: string, words: string])[] = [
  ['none', '0 %', 'holds stretches without an accepted draft'],
  ['nearly all', '~100 %', 'holds stretches with nearly all drafts accepted'],
];

function nameCell({ request, kind, complete, flagged }: RequestRow): Child {
  const tag = (text: string, title: string): HTMLElement => element('span', { class: 'tag', attributes: { title } }, text);
  const tags = [
    ...(kind === 'served' ? [] : [tag(kind, kind === 'run' ? "a benchmark's own sum" : kind === 'unfinished' ? 'its end is not in the log' : 'a request without rounds')]),
    ...(complete || kind === 'unfinished' ? [] : [tag('cut', 'not complete')]),
    ...flags.filter(([name]) => flagged[name] > 0).map(([name, text, words]) => tag(text, `${words}: ${flagged[name]}`)),
  ];
  return element('span', { class: 'name-cell', attributes: { title: request ?? 'the log names no request', dir: 'auto' } }, request ?? '–', ...tags);
}

const columns: readonly LongColumn<RequestRow>[] = [
  { title: '#', width: 'col-number', number: true, cell: ({ ordinal }) => countText(ordinal) },
  { title: 'Request', width: 'col-wide', heads: true, cell: nameCell },
  { title: 'Rounds', width: 'col-count', number: true, cell: ({ roundCount }) => countText(roundCount) },
  { title: 'Accepted', hint: 'Accepted drafts of all drafted', width: 'col-count', number: true, cell: ({ acceptanceRate }) => shareText(acceptanceRate) },
  { title: 'Grade', width: 'col-grade', cell: ({ grade }) => grade },
];

export function requestList(slot: Slot, questions: Questions, events: LogEvents): Part<RequestListInput> {
  const heading = element('h2');
  const long = new LongTable<RequestRow>({
    name: `requests-${slot}`,
    caption: slot === 'a' ? 'Requests: arrows choose one' : 'Requests of the second log: arrows choose one',
    columns,
    fetch: (from, to) => questions.rows(slot, 'requests', from, to),
    failed: events.failed,
    chosen: (index) => events.choose(slot, index),
    entered: ({ line }) => line !== null && events.goToLine(slot, line),
  });
  const node = element('section', { class: 'requests', attributes: { 'aria-label': slot === 'a' ? 'Requests' : 'Requests of the second log' } }, heading, long.node);
  const show = whenChanged<RequestListInput>(
    ({ state }) => [state],
    ({ state }) => {
      heading.textContent = slot === 'a' ? 'Requests' : `B: ${state.source}`;
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

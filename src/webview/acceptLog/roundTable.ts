// The rounds of one request.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { RoundRow, Slot } from '../../shared/logReaderProtocol';
import { element, type Child } from '../view/dom';
import { countText } from './countText';
import type { LogEvents } from './events';
import { lineButton } from './lineButton';
import { LongTable, type LongColumn } from '../view/longTable';
import type { Questions } from './questions';
import { cellLegend, roundCells } from './roundCells';

const stretchWords = { none: ['0 %', l10n.t('in a stretch without an accepted draft')], 'nearly all': ['~100 %', l10n.t('in a stretch with nearly all drafts accepted')] } as const;

function flagCell({ stretch }: RoundRow): Child {
  if (stretch === null) return null;
  const [text, title] = stretchWords[stretch];
  return element('span', { class: 'tag', attributes: { title } }, text);
}

export const roundClass = ({ stretch }: RoundRow): string => (stretch === null ? '' : stretch === 'none' ? 'stretch-none' : 'stretch-all');

const idCell = (id: number | null): Child => (id === null ? countText(null) : element('code', {}, String(id)));

export function roundTable(slot: Slot, request: number, shown: number, questions: Questions, events: LogEvents): { readonly node: HTMLElement; readonly table: LongTable<RoundRow> } {
  const columns: readonly LongColumn<RoundRow>[] = [
    { title: l10n.t('Round'), width: 'col-count', heads: true, number: true, cell: ({ index }) => formatCount(index) },
    { title: l10n.t('Bonus in'), hint: l10n.t('The token that the round starts from'), width: 'col-id', number: true, cell: ({ bonus }) => idCell(bonus) },
    { title: l10n.t('Drafts and bonus'), hint: l10n.t('Point at a cell for its token'), width: 'col-cells', cell: roundCells },
    { title: l10n.t('Accepted'), hint: l10n.t('Accepted drafts of those that were drafted'), width: 'col-count', number: true, cell: ({ accepted, drafted }) => (drafted === null ? formatCount(accepted) : l10n.t('{0} of {1}', formatCount(accepted), formatCount(drafted))) },
    { title: l10n.t('Kept'), hint: l10n.t('Rows that stay in the state: accepted drafts and the one that the round starts from'), width: 'col-number', number: true, cell: ({ accepted }) => formatCount(accepted + 1) },
    { title: l10n.t('Stretch'), hint: l10n.t('Whether the round is in a flagged stretch'), width: 'col-flag', cell: flagCell },
    { title: l10n.t('Line'), width: 'col-count', number: true, cell: ({ line }) => lineButton(events, slot, line) },
  ];
  const table = new LongTable<RoundRow>({
    name: 'rounds',
    caption: l10n.t('Rounds of the request: Enter goes to the line'),
    columns,
    rowClass: roundClass,
    fetch: (from, to) => questions.rows(slot, 'rounds', from, to, request),
    failed: events.failed,
    entered: ({ line }) => line !== null && events.goToLine(slot, line),
  });
  table.show(shown, false);
  return { node: element('div', { class: 'log-rounds' }, element('h3', {}, l10n.t('Rounds')), cellLegend(), table.node), table };
}

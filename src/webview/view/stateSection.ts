// What each session carries on after the block: K and V, conv and recurrent state.
import * as l10n from '@vscode/l10n';
import { formatBytes, formatCount, formatFloat } from '../../shared/format';
import type { BisectRun, StateDiff } from '../../shared/report';
import { amount } from '../model/amount';
import { percent, share } from '../model/numbers';
import { element, foreign, muted, type Child } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { bar, table, type Column } from './table';

const differing = (run: BisectRun): readonly StateDiff[] => run.state.filter((tensor) => tensor.differingBytes > 0);

export const stateSection: SectionOptions<BisectRun> = {
  name: 'state',
  title: l10n.t('State after the block'),
  open: true,
  summary: summaryOf,
  draw: (run) => (run.state.length === 0 ? [element('p', { class: 'empty' }, l10n.t('The report holds no state tensors.'))] : [table({ caption: l10n.t('State tensors after the block'), columns, rows: run.state, rowClass, page: 96 })]),
};

function summaryOf(run: BisectRun): string {
  const { length } = run.state;
  const other = differing(run).length;
  if (length === 0) return l10n.t('not compared');
  if (other === 0) return amount(length, l10n.t('{0} tensor, all equal'), l10n.t('{0} tensors, all equal'));
  return l10n.t('{0} of {1} differ', formatCount(other), amount(length, l10n.t('{0} tensor'), l10n.t('{0} tensors')));
}

const rowClass = (tensor: StateDiff): string => (tensor.differingBytes > 0 ? 'differs' : 'equal');

const columns: readonly Column<StateDiff>[] = [
  { title: l10n.t('Layer'), number: true, cell: ({ layer }) => String(layer) },
  { title: l10n.t('Tensor'), heads: true, cell: ({ tensor, differingBytes }) => element('span', { class: 'tap-name' }, differsMark(differingBytes > 0), foreign(tensor)) },
  { title: l10n.t('Size'), number: true, cell: ({ bytes }) => formatBytes(bytes) },
  { title: l10n.t('Bytes'), number: true, cell: bytesOf },
  { title: l10n.t('Max ULP'), number: true, cell: (tensor) => (tensor.differingBytes > 0 ? formatCount(tensor.maxUlp) : null) },
  { title: l10n.t('Rel. L2'), number: true, cell: (tensor) => (tensor.differingBytes > 0 ? formatFloat(tensor.relL2, 3) : null) },
  { title: l10n.t('First element'), number: true, cell: ({ firstIndex }) => (firstIndex < 0 ? null : formatCount(firstIndex)) },
];

function bytesOf({ bytes, differingBytes }: StateDiff): Child {
  const part = share(differingBytes, bytes);
  return differingBytes === 0 ? muted(l10n.t('equal')) : bar(part, percent(part), l10n.t('{0} of {1} bytes', formatCount(differingBytes), formatCount(bytes)));
}

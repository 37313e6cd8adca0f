// What each session carries on after the block: K and V, conv and recurrent state.
import { formatBytes, formatCount, formatFloat, plural } from '../../shared/format';
import type { BisectRun, StateDiff } from '../../shared/report';
import { percent, share } from '../model/numbers';
import { element, muted, type Child } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { bar, table, type Column } from './table';

const differing = (run: BisectRun): readonly StateDiff[] => run.state.filter((tensor) => tensor.differingBytes > 0);

export const stateSection: SectionOptions<BisectRun> = {
  name: 'state',
  title: 'State after the block',
  open: true,
  summary: (run) =>
    run.state.length === 0 ? 'not compared' : differing(run).length === 0 ? `${plural(run.state.length, 'tensor')}, all equal` : `${formatCount(differing(run).length)} of ${plural(run.state.length, 'tensor')} differ`,
  draw: (run) => (run.state.length === 0 ? [element('p', { class: 'empty' }, 'The report holds no state tensors.')] : [table({ caption: 'State tensors after the block', columns, rows: run.state, rowClass, page: 96 })]),
};

const rowClass = (tensor: StateDiff): string => (tensor.differingBytes > 0 ? 'differs' : 'equal');

const columns: readonly Column<StateDiff>[] = [
  { title: 'Layer', number: true, cell: ({ layer }) => String(layer) },
  { title: 'Tensor', heads: true, cell: ({ tensor, differingBytes }) => element('span', { class: 'tap-name' }, differsMark(differingBytes > 0), element('span', {}, tensor)) },
  { title: 'Size', number: true, cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'Bytes', number: true, cell: bytesOf },
  { title: 'Max ULP', number: true, cell: (tensor) => (tensor.differingBytes > 0 ? formatCount(tensor.maxUlp) : null) },
  { title: 'Rel. L2', number: true, cell: (tensor) => (tensor.differingBytes > 0 ? formatFloat(tensor.relL2, 3) : null) },
  { title: 'First element', number: true, cell: ({ firstIndex }) => (firstIndex < 0 ? null : formatCount(firstIndex)) },
];

function bytesOf({ bytes, differingBytes }: StateDiff): Child {
  const part = share(differingBytes, bytes);
  return differingBytes === 0 ? muted('equal') : bar(part, percent(part), `${formatCount(differingBytes)} of ${formatCount(bytes)} bytes`);
}

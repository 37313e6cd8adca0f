// Which kernel each arm ran for each op.
import { formatCount, plural } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { kernelGroups, type KernelGroup } from '../model/kernelGroups';
import { code, element, muted } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { table, type Column } from './table';

const differs = ({ a, b }: { readonly a: string; readonly b: string }): boolean => a !== b;

export const kernelSection: SectionOptions<BisectRun> = {
  name: 'kernels',
  title: 'Kernels',
  open: true,
  summary: summaryOf,
  draw: (run) =>
    run.kernels.length === 0
      ? [element('p', { class: 'empty' }, 'The engine named no kernels.')]
      : [table({ caption: 'Kernel of each arm per op', columns, rows: kernelGroups(run), rowClass: (group) => (differs(group) ? 'differs' : 'equal') })],
};

function summaryOf(run: BisectRun): string {
  const other = run.kernels.filter(differs).length;
  if (run.kernels.length === 0) return 'none named';
  return other === 0 ? `the same in both arms, ${plural(run.kernels.length, 'op')}` : `${formatCount(other)} of ${plural(run.kernels.length, 'op')} ran another kernel in B`;
}

const columns: readonly Column<KernelGroup>[] = [
  { title: 'Op', heads: true, cell: (group) => element('span', { class: 'tap-name' }, differsMark(differs(group)), element('span', {}, group.op)) },
  { title: 'Layers', cell: ({ layers }) => layers || muted('model') },
  { title: 'A (chain)', cell: ({ a }) => code(a) },
  { title: 'B (block)', cell: ({ b }) => code(b) },
];

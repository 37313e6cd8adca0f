// Which kernel each arm ran for each op.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { amount } from '../model/amount';
import { kernelGroups, type KernelGroup } from '../model/kernelGroups';
import { code, element, foreign, muted } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { table, type Column } from './table';

const differs = ({ a, b }: { readonly a: string; readonly b: string }): boolean => a !== b;

export const kernelSection: SectionOptions<BisectRun> = {
  name: 'kernels',
  title: l10n.t('Kernels'),
  open: true,
  summary: summaryOf,
  draw: (run) =>
    run.kernels.length === 0
      ? [element('p', { class: 'empty' }, l10n.t('The engine named no kernels.'))]
      : [table({ caption: l10n.t('Kernel of each arm per op'), columns, rows: kernelGroups(run), rowClass: (group) => (differs(group) ? 'differs' : 'equal') })],
};

function summaryOf(run: BisectRun): string {
  const other = run.kernels.filter(differs).length;
  if (run.kernels.length === 0) return l10n.t('none named');
  const ops = amount(run.kernels.length, l10n.t('{0} op'), l10n.t('{0} ops'));
  return other === 0 ? l10n.t('the same in both arms, {0}', ops) : l10n.t('{0} of {1} ran another kernel in B', formatCount(other), ops);
}

const columns: readonly Column<KernelGroup>[] = [
  { title: l10n.t('Op'), heads: true, cell: (group) => element('span', { class: 'tap-name' }, differsMark(differs(group)), foreign(group.op)) },
  { title: l10n.t('Layers'), cell: ({ layers }) => layers || muted(l10n.t('model')) },
  { title: l10n.t('A (chain)'), cell: ({ a }) => code(a) },
  { title: l10n.t('B (block)'), cell: ({ b }) => code(b) },
];

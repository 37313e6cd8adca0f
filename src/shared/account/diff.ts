// The account of a comparison of two tensor files.
import { formatCount, formatFloat } from '../format';
import type { DiffEntry, ReportOf } from '../report';
import { column, section, table, type Account } from './account';

const typeOf = (dtype: string, shape: readonly number[]): string => (dtype === '' ? '-' : `${dtype} [${shape.join(', ')}]`);

const differs = ({ in: where, dtypeA, dtypeB, shapeA, shapeB, differingBytes }: DiffEntry): boolean => where !== 'both' || dtypeA !== dtypeB || shapeA.join() !== shapeB.join() || differingBytes > 0;

function rowOf(entry: DiffEntry): string[] {
  const { name, dtypeA, dtypeB, shapeA, shapeB, differingBytes, bytes, maxUlp, maxAbs, relL2, firstIndex } = entry;
  const measured = differingBytes > 0;
  return [name, typeOf(dtypeA, shapeA), typeOf(dtypeB, shapeB), measured ? `${formatCount(differingBytes)} of ${formatCount(bytes)}` : '-', measured ? formatCount(maxUlp) : '-', measured ? formatFloat(maxAbs) : '-', measured ? formatFloat(relL2) : '-', firstIndex < 0 ? '-' : formatCount(firstIndex)];
}

export function diffAccount({ diff: { entries } }: ReportOf<'diff'>): Account {
  const columns = [column.text('tensor'), column.text('A'), column.text('B'), column.number('differing bytes'), column.number('max ULP'), column.number('max abs'), column.number('relative L2'), column.number('first element')];
  return {
    question: 'Do two files hold the same tensors?',
    sections: [section('Tensors that differ', [`${formatCount(entries.filter(differs).length)} of ${formatCount(entries.length)}.`], [table(columns, entries.filter(differs).map(rowOf), 100)])],
  };
}

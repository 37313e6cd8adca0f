// How much of a cell differs, in words.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectRun } from '../../shared/report';
import { amount } from './amount';
import { percent, share } from './numbers';

const bytesOf = (count: number): string => amount(count, l10n.t('{0} byte'), l10n.t('{0} bytes'));

/** Without the cell's place. */
export function cellAmounts({ cells, first }: BisectRun, row: number, position: number): string {
  const cell = row * cells.positions + position;
  const bytes = cells.rowBytes[row] ?? 0;
  const differing = cells.differingBytes[cell] ?? 0;
  if (bytes === 0) return l10n.t('not compared');
  if (differing === 0) return l10n.t('equal, {0} compared', bytesOf(bytes));
  const amounts = [percent(share(differing, bytes)), formatCount(differing), bytesOf(bytes), formatCount(cells.maxUlp[cell] ?? 0), formatFloat(cells.relL2[cell] ?? 0, 3)];
  return first?.row === row && first.position === position
    ? l10n.t('{0}, {1} of {2} differ, max ULP {3}, relative L2 {4}, first divergence', ...amounts)
    : l10n.t('{0}, {1} of {2} differ, max ULP {3}, relative L2 {4}', ...amounts);
}

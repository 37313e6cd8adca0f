// The map of a prefill comparison: layers x tokens of the prompt, how many taps of the layer differ there.
import type { TapMap } from '../../../shared/results/prefill';
import type { ModelInfo } from '../../types';
import { mapRows } from '../bisectTaps';

/** A report of more cells than this would take longer to read than the prefill did to run. */
const mostCells = 4_000_000;

/** Which rows of a tap differ. */
export interface ComparedTap {
  readonly layer: number;
  readonly differs: readonly boolean[];
}

export function tapMap(info: ModelInfo, positions: number, taps: readonly ComparedTap[]): TapMap | null {
  const rows = mapRows(info);
  if (rows.length * positions > mostCells) return null;
  const rowOf = new Map(rows.map(({ layer }, row) => [layer, row]));
  const compared = rows.map(() => 0);
  const differing = Array<number>(rows.length * positions).fill(0);
  for (const { layer, differs } of taps) {
    const row = rowOf.get(layer);
    if (row === undefined) throw new Error(`a tap of layer ${layer}, which the model does not have`);
    compared[row] = (compared[row] ?? 0) + 1;
    // A tap that has fewer rows than the prompt has the last ones.
    const first = positions - differs.length;
    differs.forEach((one, i) => {
      const cell = row * positions + first + i;
      if (one) differing[cell] = (differing[cell] ?? 0) + 1;
    });
  }
  return { rows, positions, taps: compared, differing };
}

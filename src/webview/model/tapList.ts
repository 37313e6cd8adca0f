// The taps of one cell in data order: those that were compared, and what differs in them.
import type { BisectRun, Float, KernelPair } from '../../shared/report';
import { indexOf, kernelOf, tapsOfCell } from './runIndex';

export interface TapRow {
  readonly tap: string;
  /** Index into run.differing, -1 when the tap is equal. */
  readonly differing: number;
  readonly bytes: number;
  readonly differingBytes: number;
  readonly maxUlp: number;
  readonly relL2: Float;
  readonly kernel: KernelPair | undefined;
}

/** A tap that is in no list of compared names is still shown, after the others. */
export function tapList(run: BisectRun, row: number, position: number): readonly TapRow[] {
  const index = indexOf(run);
  const mapRow = run.rows[row];
  if (!mapRow) return [];
  const byName = new Map(tapsOfCell(index, row, position).map((i) => [run.differing.tap[i] ?? '', i]));
  const names = new Set([...(run.tapsCompared[mapRow.kind] ?? []), ...byName.keys()]);
  return [...names].map((tap) => tapRow(run, tap, byName.get(tap) ?? -1, kernelOf(index, mapRow.layer, tap)));
}

function tapRow(run: BisectRun, tap: string, i: number, kernel: KernelPair | undefined): TapRow {
  const { bytes, differingBytes, maxUlp, relL2 } = run.differing;
  return { tap, differing: i, bytes: bytes[i] ?? 0, differingBytes: differingBytes[i] ?? 0, maxUlp: maxUlp[i] ?? 0, relL2: relL2[i] ?? 0, kernel };
}

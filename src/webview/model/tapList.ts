// The taps of one cell in data order: those that were compared, and what differs in them.
import type { BisectRun, Float, KernelPair } from '../../shared/report';
import { indexOf, kernelOf, tapsOfCell } from './runIndex';

/** `notListed`: the report's size limit left out what it says of it, and something that was left out differs. */
export type TapState = 'equal' | 'differs' | 'notCaptured' | 'notListed';

export interface TapRow {
  readonly tap: string;
  readonly state: TapState;
  /** Index into run.differing, -1 when the tap is not in it. */
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
  const taps = tapsOfCell(index, row, position);
  const byName = new Map(taps.map((i) => [run.differing.tap[i] ?? '', i]));
  const names = new Set([...(run.tapsCompared[mapRow.kind] ?? []), ...byName.keys()]);
  const listed = taps.reduce((sum, i) => sum + (run.differing.differingBytes[i] ?? 0), 0);
  const others = listed < (run.cells.differingBytes[row * index.positions + position] ?? 0) ? 'notListed' : 'equal';
  return [...names].map((tap) => tapRow(run, tap, byName.get(tap) ?? -1, others, kernelOf(index, mapRow.layer, tap)));
}

function tapRow(run: BisectRun, tap: string, i: number, others: TapState, kernel: KernelPair | undefined): TapRow {
  const { bytes, differingBytes, maxUlp, relL2 } = run.differing;
  return { tap, state: i < 0 ? others : 'differs', differing: i, bytes: bytes[i] ?? 0, differingBytes: differingBytes[i] ?? 0, maxUlp: maxUlp[i] ?? 0, relL2: relL2[i] ?? 0, kernel };
}

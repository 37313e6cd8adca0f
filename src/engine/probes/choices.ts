// Gathers logit bytes and greedy choices of two arms, row by row.
import type { ChoiceRows } from '../../shared/results/parts';
import type { Candidate, Step, Tensor, TensorDiff } from '../types';
import { gapTo, margin } from './logits';
import { round } from './numbers';

/** One row of logits and its best candidates. */
export interface LogitRow {
  readonly logits: Tensor;
  /** Row of the tensor. */
  readonly row: number;
  readonly top: readonly Candidate[];
}

export function rowAt(rows: readonly LogitRow[], i: number): LogitRow {
  const row = rows[i];
  if (row === undefined) throw new Error(`the engine gave ${rows.length} rows of logits where row ${i} was needed`);
  return row;
}

/** The rows of a step's logits. */
export function rowsOf({ logits, logitRows, top: best }: Step): LogitRow[] {
  if (logits === null) throw new Error('the engine gave no logits');
  return logitRows.map((_, row): LogitRow => ({ logits, row, top: best[row] ?? [] }));
}

export const lastRow = (step: Step): LogitRow => rowAt(rowsOf(step), step.logitRows.length - 1);

export class ChoiceCollector {
  readonly rows: ChoiceRows = { bytes: 0, differingBytes: [], maxAbs: [], argmaxA: [], argmaxB: [], marginA: [], gapA: [] };

  async add(diff: TensorDiff, a: LogitRow, b: Pick<LogitRow, 'top'>): Promise<void> {
    const [idA, idB] = [a.top[0]?.id ?? 0, b.top[0]?.id ?? 0];
    this.rows.bytes = Math.max(this.rows.bytes, diff.bytes);
    this.rows.differingBytes.push(diff.differingBytes);
    this.rows.maxAbs.push(round(diff.maxAbs));
    this.rows.argmaxA.push(idA);
    this.rows.argmaxB.push(idB);
    this.rows.marginA.push(margin(a.top));
    this.rows.gapA.push(await gapTo(idB, a.top, a.logits, a.row));
  }
}

/** First entry whose bytes differ, -1: none. */
export const firstDiffering = ({ differingBytes }: ChoiceRows): number => differingBytes.findIndex((bytes) => bytes > 0);

/** Entries whose greedy choices differ. */
export const otherChoices = ({ argmaxA, argmaxB }: ChoiceRows): number[] => argmaxA.flatMap((id, i) => (id === argmaxB[i] ? [] : [i]));

export const differingRows = ({ differingBytes }: ChoiceRows): number => differingBytes.filter((bytes) => bytes > 0).length;

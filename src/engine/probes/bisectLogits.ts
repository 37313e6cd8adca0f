// Gathers logits, greedy choices and margins of the uncaptured pass, position by position.
import type { LogitRows } from '../../shared/report';
import type { Candidate, TensorDiff } from '../types';
import { margin } from './logits';
import { round } from './numbers';

export class LogitCollector {
  private readonly columns: LogitRows = { bytes: 0, differingBytes: [], maxUlp: [], maxAbs: [], relL2: [], argmaxA: [], argmaxB: [], marginA: [], marginB: [] };

  /** `topA`, `topB`: best candidates of the position, best first, at least two where the vocabulary has two. */
  addPosition(diff: TensorDiff, topA: readonly Candidate[], topB: readonly Candidate[]): void {
    this.columns.bytes = Math.max(this.columns.bytes, diff.bytes);
    this.columns.differingBytes.push(diff.differingBytes);
    this.columns.maxUlp.push(diff.maxUlp);
    this.columns.maxAbs.push(round(diff.maxAbs));
    this.columns.relL2.push(round(diff.relL2));
    this.columns.argmaxA.push(topA[0]?.id ?? 0);
    this.columns.argmaxB.push(topB[0]?.id ?? 0);
    this.columns.marginA.push(margin(topA));
    this.columns.marginB.push(margin(topB));
  }

  /** Of the positions that were added. */
  rows(): LogitRows {
    return structuredClone(this.columns);
  }
}

// Gathers logits, greedy choices and margins of the uncaptured pass, position by position.
import type { LogitRows } from '../../shared/report';
import type { Candidate, TensorDiff } from '../types';
import { margin } from './logits';
import { round } from './numbers';

export class LogitCollector {
  private readonly rows: LogitRows = { bytes: 0, differingBytes: [], maxUlp: [], maxAbs: [], relL2: [], argmaxA: [], argmaxB: [], marginA: [], marginB: [] };

  /** `topA`, `topB`: best candidates of the position, best first, at least two where the vocabulary has two. */
  addPosition(diff: TensorDiff, topA: readonly Candidate[], topB: readonly Candidate[]): void {
    this.rows.bytes = Math.max(this.rows.bytes, diff.bytes);
    this.rows.differingBytes.push(diff.differingBytes);
    this.rows.maxUlp.push(diff.maxUlp);
    this.rows.maxAbs.push(round(diff.maxAbs));
    this.rows.relL2.push(round(diff.relL2));
    this.rows.argmaxA.push(topA[0]?.id ?? 0);
    this.rows.argmaxB.push(topB[0]?.id ?? 0);
    this.rows.marginA.push(margin(topA));
    this.rows.marginB.push(margin(topB));
  }

  finish(): LogitRows {
    return this.rows;
  }
}


// Verdict of a rewind audit. What is rejected may leave nothing, whatever kernels run; against sessions that ran blocks of another shape the kernels' own drift is told apart.
import { formatCount, formatFloat, plural } from '../../../shared/format';
import type { AuditedTensor, Audits } from '../../../shared/results/rewind';
import type { Verdict } from '../../../shared/verdict';
import { within } from '../numbers';

export interface AuditFacts {
  readonly audits: Audits;
  /** Tensors that differ, by first round and layer. */
  readonly tensors: readonly AuditedTensor[];
  readonly stateBytes: number;
  readonly exact: boolean;
}

/** A rewind that recomputes in the same order as decode cannot be further from single steps than this many times the blocks that never rewound. */
const shapeFactor = 8;

export function placeOf({ layer, tensor, firstRound, firstIndex }: AuditedTensor): string {
  return `${layer < 0 ? tensor : `layer ${layer} · ${tensor}`}, element ${formatCount(Math.max(0, firstIndex))}, after the rewind of round ${formatCount(firstRound)}`;
}

const amountOf = ({ differingBytes, bytes }: AuditedTensor): string => `${formatCount(differingBytes)} of ${plural(bytes, 'byte')}`;

const worstOf = (tensors: readonly AuditedTensor[], against: AuditedTensor['against']): AuditedTensor | undefined => tensors.find((one) => one.against === against);

export function decideAudit({ audits, tensors, stateBytes, exact }: AuditFacts): { verdict: Verdict; first: AuditedTensor | null } {
  const rewinds = audits.round.length;
  if (rewinds === 0) return { verdict: { word: 'void', sentence: 'No round of this sequence keeps less than its block, so nothing was rewound.' }, first: null };
  const wrong = audits.asked.findIndex((asked, i) => asked !== audits.dropped[i]);
  const traced = worstOf(tensors, 'trace');
  const chain = worstOf(tensors, 'chain');
  const kept = worstOf(tensors, 'kept');
  const first = traced ?? chain ?? kept ?? null;
  if (wrong >= 0) {
    const place = first === null ? '' : ` First difference: ${placeOf(first)}.`;
    return { verdict: { word: 'defect', sentence: `In round ${audits.round[wrong] ?? 0} ${plural(audits.asked[wrong] ?? 0, 'row')} were to be dropped, ${formatCount(audits.dropped[wrong] ?? 0)} were.${place}` }, first };
  }
  if (traced !== undefined) {
    return { verdict: { word: 'defect', sentence: `Rejected rows leave a trace: with other ids in them the state after the rewind is another one, first ${placeOf(traced)} (${amountOf(traced)}).` }, first };
  }
  if (first === null) return { verdict: { word: 'equal', sentence: `After each of ${plural(rewinds, 'rewind')} the whole state (${formatCount(stateBytes)} bytes at the end) is that of a session that never saw the rejected rows: 0 bytes differ.` }, first };
  return { verdict: againstOthers(tensors, first, exact), first };
}

/** No trace of the rejected ids, but another state than a session that never ran the wide blocks. */
function againstOthers(tensors: readonly AuditedTensor[], first: AuditedTensor, exact: boolean): Verdict {
  const found = `The state after a rewind is not that of ${first.against === 'chain' ? 'single steps' : 'blocks of the kept rows alone'}: ${placeOf(first)} (${amountOf(first)}, relative L2 ${formatFloat(first.relL2)})`;
  if (exact) return { word: 'defect', sentence: `${found}. The exact kernels promise equal bytes.` };
  const beyond = tensors.find((one) => one.against === 'chain' && isBeyondShape(one, tensors));
  if (beyond !== undefined) {
    return { word: 'defect', sentence: `${found}. At layer ${beyond.layer} · ${beyond.tensor} it is more than ${shapeFactor} times as far from single steps as blocks that never rewound, so the shape of the forward does not explain it.` };
  }
  return { word: 'drift', sentence: `${found}. Rejected ids leave no trace, and the distance is that of a forward of another shape: these kernels give other bytes for other row counts, the rewind itself drops what it should.` };
}

/** The kept rows of a wide block and of a narrow one differ by the kernels' row counts: both stand about as far from single steps. */
function isBeyondShape({ layer, tensor, relL2 }: AuditedTensor, tensors: readonly AuditedTensor[]): boolean {
  const shape = tensors.filter((one) => one.against === 'kept').reduce((most, one) => Math.max(most, Number(one.relL2)), 0);
  if (shape === 0) return relL2 === 'NaN' || tensor === 'position' || layer < 0;
  return !within(relL2, shape * shapeFactor);
}

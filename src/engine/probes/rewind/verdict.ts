// Verdict of a rewind audit. What is rejected may leave nothing, whatever kernels run; against sessions that ran blocks of another shape the kernels' own drift is told apart.
import { formatCount, formatFloat, plural } from '../../../shared/format';
import type { AuditedTensor, Audits } from '../../../shared/results/rewind';
import type { Float } from '../../../shared/results/parts';
import type { Verdict } from '../../../shared/verdict';
import { within } from '../numbers';

export interface AuditFacts {
  readonly audits: Audits;
  /** Tensors that differ, by first round and layer. */
  readonly tensors: readonly AuditedTensor[];
  readonly stateBytes: number;
  /** Largest relative L2 of a state tensor between single steps and the same in another reduction order; null where it is not known. */
  readonly floor: Float | null;
  readonly exact: boolean;
}

/** Rounding in another order or at another row count moves a state by much the same; a row too many or too few moves it far beyond this many times as much. */
const roundingFactor = 8;

export function placeOf({ layer, tensor, firstRound, firstIndex }: AuditedTensor): string {
  return `${layer < 0 ? tensor : `layer ${layer} · ${tensor}`}, element ${formatCount(Math.max(0, firstIndex))}, after the rewind of round ${formatCount(firstRound)}`;
}

const amountOf = ({ differingBytes, bytes }: AuditedTensor): string => `${formatCount(differingBytes)} of ${plural(bytes, 'byte')}`;

const worstOf = (tensors: readonly AuditedTensor[], against: AuditedTensor['against']): AuditedTensor | undefined => tensors.find((one) => one.against === against);

export function decideAudit({ audits, tensors, stateBytes, floor, exact }: AuditFacts): { verdict: Verdict; first: AuditedTensor | null } {
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
  return againstOthers(tensors, first, exact, floor);
}

const notThatOf = (one: AuditedTensor): string =>
  `The state after a rewind is not that of ${one.against === 'chain' ? 'single steps' : 'blocks of the kept rows alone'}: ${placeOf(one)} (${amountOf(one)}, relative L2 ${formatFloat(one.relL2)})`;

/** No trace of the rejected ids, but another state than a session that never ran the wide blocks. */
function againstOthers(tensors: readonly AuditedTensor[], first: AuditedTensor, exact: boolean, floor: Float | null): { verdict: Verdict; first: AuditedTensor } {
  if (exact) return { verdict: { word: 'defect', sentence: `${notThatOf(first)}. The exact kernels promise equal bytes.` }, first };
  const beyond = worstBeyond(tensors, floor);
  const order = floor === null ? 'How far rounding alone moves it is not known: the engine has no second reduction order' : `Single steps in another reduction order move a state by up to ${formatFloat(floor)}`;
  if (beyond !== undefined) return { verdict: { word: 'defect', sentence: `${notThatOf(beyond)}. ${order}: rounding does not explain this.` }, first: beyond };
  const explained = 'the distance is that of a forward of another shape: these kernels give other bytes for other row counts, the rewind itself drops what it should';
  return { verdict: { word: 'drift', sentence: `${notThatOf(first)}. Rejected ids leave no trace, and ${explained}. ${order}.` }, first };
}

function worstBeyond(tensors: readonly AuditedTensor[], floor: Float | null): AuditedTensor | undefined {
  const beyond = tensors.filter((one) => isBeyondRounding(one, Number(floor)));
  return worstOf(beyond, 'chain') ?? worstOf(beyond, 'kept');
}

/** Without a floor only what no rounding can do: another position, another shape. */
function isBeyondRounding({ relL2, tensor }: AuditedTensor, floor: number): boolean {
  if (relL2 === 'NaN' || tensor === 'position') return true;
  return floor > 0 && !within(relL2, floor * roundingFactor);
}

// The account of a bisect. The view shows it as pictures; a record has words and tables.
import { formatCount, formatFloat } from '../format';
import type { BisectRun, ReportOf } from '../report';
import { sum } from '../sum';
import { column, section, table, type Account } from './account';
import { noiseLine, stateTable } from './parts';

function firstOf({ first, rows, state }: BisectRun): string {
  if (first !== null) return `${rows[first.row]?.label ?? `layer ${first.layer}`} · ${first.tap}, position ${first.position}, element ${formatCount(first.element)}`;
  const changed = state.find(({ differingBytes }) => differingBytes > 0);
  return changed === undefined ? '-' : `state, layer ${changed.layer} · ${changed.tensor}`;
}

function kernelsOf({ first }: BisectRun): string {
  if (first === null) return '-';
  return first.kernelA === first.kernelB ? first.kernelA || '-' : `${first.kernelA} / ${first.kernelB}`;
}

function rowOf(run: BisectRun): string[] {
  const { logits, state } = run;
  const other = logits.argmaxA.filter((id, i) => id !== logits.argmaxB[i]).length;
  return [
    run.label,
    run.verdict.word,
    `${formatCount(sum(logits.differingBytes))} of ${formatCount(logits.bytes * logits.differingBytes.length)}`,
    formatCount(other),
    formatCount(sum(state.map(({ differingBytes }) => differingBytes))),
    firstOf(run),
    kernelsOf(run),
  ];
}

export function bisectAccount({ bisect: { runs } }: ReportOf<'bisect'>): Account {
  const columns = [column.text('comparison'), column.text('verdict'), column.number('logit bytes'), column.number('other choices'), column.number('state bytes'), column.text('first at'), column.text('kernels A / B')];
  const proofs = runs.map(({ label, captureDifferingBytes: { a, b }, noise, nonFinite }) => [label, formatCount(noise.repeatDifferingBytes), formatCount(a), formatCount(b), formatFloat(noise.floor), formatCount(nonFinite.a + nonFinite.b)]);
  const proofColumns = [column.text('comparison'), column.number('repeat bytes'), column.number('observing A'), column.number('observing B'), column.number('noise floor'), column.number('NaN or Inf')];
  const [noise] = runs;
  return {
    question: 'Does a verify block of W rows give the bytes of W single steps, and where do they part first?',
    sections: [
      section('Comparisons', [], [table(columns, runs.map(rowOf), 64)]),
      section('Proofs', noise === undefined ? [] : [noiseLine(noise.noise)], [table(proofColumns, proofs, 64)]),
      ...runs.map((run) => section(`State after the block · ${run.label}`, [], [stateTable(run.state)], true)),
    ],
  };
}

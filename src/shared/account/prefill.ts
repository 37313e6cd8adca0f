// The account of a prefill comparison.
import { formatCount, formatFloat, plural } from '../format';
import type { ReportOf } from '../report';
import type { PrefillRun } from '../results/prefill';
import { column, section, table, type Account, type Section } from './account';
import { noiseLine, promptLine, stateTable } from './parts';

const cacheOf = ({ firstState }: PrefillRun): string => (firstState === null ? '-' : `layer ${firstState.layer} · ${firstState.tensor}`);
const tapOf = ({ taps: [tap] }: PrefillRun): string => (tap === undefined ? '-' : `${tap.layer < 0 ? 'embedding' : `layer ${tap.layer}`} · ${tap.tap}`);

function summary(runs: readonly PrefillRun[]): Section {
  const rows = runs.map((run) => [run.label, run.verdict.word, `${formatCount(run.logits.differingBytes[0] ?? 0)} of ${formatCount(run.logits.bytes)}`, cacheOf(run), tapOf(run), `${run.logits.argmaxA[0] ?? 0} / ${run.logits.argmaxB[0] ?? 0}`, formatFloat(run.logits.marginA[0] ?? 0)]);
  const columns = [column.text('comparison'), column.text('verdict'), column.number('logit bytes'), column.text('first cache'), column.text('first tap'), column.text('choices'), column.number('margin')];
  return section('Prefills', [], [table(columns, rows)]);
}

function tapTable(run: PrefillRun): Section {
  const rows = run.taps.map(({ layer, tap, differingRows, rows: all, firstRow, measured }) => [
    String(layer),
    tap,
    `${formatCount(differingRows)} of ${formatCount(all)}`,
    formatCount(firstRow),
    measured === null ? '' : `${formatCount(measured.differingBytes)} of ${formatCount(measured.bytes)}`,
    measured === null ? '' : formatCount(measured.maxUlp),
    measured === null ? '' : formatFloat(measured.relL2),
  ]);
  const columns = [column.number('layer'), column.text('tap'), column.number('rows'), column.number('first row'), column.number('bytes'), column.number('max ULP'), column.number('relative L2')];
  return section(`Taps that differ · ${run.label}`, rows.length === 0 ? [] : [`${plural(run.taps.length, 'tap')} of ${formatCount(run.tapsCompared)}, in data order.`], [table(columns, rows, 24)], true);
}

export function prefillAccount({ prefill }: ReportOf<'prefill'>): Account {
  const { runs, prompt, noise } = prefill;
  return {
    question: "Does the burst's prefill leave the same logits and the same caches as that of classic decode?",
    sections: [
      summary(runs),
      ...runs.filter(({ verdict }) => verdict.word !== 'equal').map((run) => section(`Picture · ${run.label}`, [run.picture], [stateTable(run.state, 8)])),
      section('Prompt', [promptLine(prompt), noiseLine(noise)]),
      ...runs.map(tapTable),
      ...runs.map((run) => section(`Kernels · ${run.label}`, [`Classic: ${run.kernelsA.join(', ')}`, `Other: ${run.kernelsB.join(', ')}`], [], true)),
    ],
  };
}

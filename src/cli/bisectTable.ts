// A bisect in a terminal: one table a width, then the verdict, the noise floor and what is not covered.
import { greatest } from '../shared/extremes';
import { formatCount, formatFloat, formatMs, formatTable, plural } from '../shared/format';
import { instructionsInWords } from '../shared/instructionSets';
import type { BisectReport, BisectRun, Report } from '../shared/report';
import { styled, styledVerdict } from './terminal';

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function place({ first, state }: BisectRun): string {
  const changed = state.find(({ differingBytes }) => differingBytes > 0);
  if (first === null) return changed === undefined ? '-' : `layer ${changed.layer} · ${changed.tensor} · state after the block`;
  const layer = first.row === 0 ? 'embedding' : `layer ${first.layer}`;
  return `${layer} · ${first.tap} · position ${first.position}`;
}

/** Kernels of the first differing op; without one the kernels of all matmuls would say nothing that the report does not say better. */
function kernels({ first }: BisectRun): string {
  if (first === null || (first.kernelA === '' && first.kernelB === '')) return '-';
  return `${first.kernelA || '?'} | ${first.kernelB || '?'}`;
}

const heading = ['', 'verdict', 'arms part first at', 'differing logit bytes', 'greedy choices', 'kernels: chain (A) | block (B)'];

function cells(run: BisectRun): string[] {
  const { differingBytes, bytes, argmaxA, argmaxB } = run.logits;
  const other = argmaxA.filter((id, position) => id !== argmaxB[position]).length;
  return [
    run.label.replace(/^width \d+ · /, ''),
    run.verdict.word,
    place(run),
    `${formatCount(sum(differingBytes))} of ${formatCount(bytes * differingBytes.length)}`,
    other === 0 ? 'all agree' : `${other} of ${argmaxA.length} differ`,
    kernels(run),
  ];
}

/** Colours go in after the columns are aligned. */
function colour(line: string, run: BisectRun): string {
  return line.replace(new RegExp(`(?<=  )${run.verdict.word}(?= |$)`), styledVerdict(run.verdict.word));
}

function widthTable(width: number, runs: readonly BisectRun[]): string[] {
  const [head = '', ...rows] = formatTable([heading, ...runs.map(cells)]);
  return ['', styled('bold', `width ${width}`), styled('dim', `  ${head}`), ...rows.map((line, i) => `  ${runs[i] === undefined ? line : colour(line, runs[i])}`)];
}

function modelLine({ provenance }: BisectReport): string[] {
  const { model, switchesA, threads } = provenance;
  if (model === null) return [];
  const switches = Object.entries(switchesA).filter(([name]) => name !== 'threads' && name !== 'isa');
  return [
    `${styled('bold', 'Bisect block vs chain')} · ${model.path}`,
    `${model.architecture}, ${model.layers.length} layers, ${model.dtype}, ${model.quantisation}; ${switches.map(([name, value]) => `${name}=${value}`).join(' ')}; ${plural(threads, 'thread')}, ${instructionsInWords(provenance)}`,
    ...model.warnings.map((warning) => `note: ${warning}`),
  ];
}

function noise(runs: readonly BisectRun[]): string[] {
  const [first] = runs;
  if (first === undefined) return [];
  const floor = greatest(runs.map((run) => Number(run.noise.floor)));
  const repeated = sum(runs.map((run) => run.noise.repeatDifferingBytes));
  const observed = sum(runs.map((run) => run.captureDifferingBytes.a + run.captureDifferingBytes.b));
  return [
    `Single steps twice: ${formatCount(repeated)} bytes differ. Observed against unobserved: ${formatCount(observed)} logit bytes differ.`,
    `Noise floor: largest logit change ${formatFloat(floor)} (${first.noise.orders}).`,
  ];
}

export function bisectLines(report: Report): string[] {
  if (report.kind !== 'bisect') return [];
  const { runs } = report.bisect;
  const widths = [...new Set(runs.map(({ width }) => width))];
  return [
    ...modelLine(report),
    ...widths.flatMap((width) => widthTable(width, runs.filter((run) => run.width === width))),
    '',
    `${styledVerdict(report.verdict.word)}: ${report.verdict.sentence}`,
    ...noise(runs),
    '',
    styled('dim', 'Not covered:'),
    ...report.coverage.notCovered.map((line) => styled('dim', `  ${line}`)),
    '',
    styled('dim', `${report.complete ? 'Done' : 'Ended'} after ${formatMs(report.run.durationMs)}.`),
  ];
}

// Probe "diff": two safetensors files, tensor by tensor, in the order of file a and then of what only b has.
import { formatCount, plural } from '../../shared/format';
import type { DiffExperiment } from '../../shared/experiment';
import { reportFormat, reportVersion, type DiffEntry, type DiffReport } from '../../shared/report';
import type { Verdict } from '../../shared/verdict';
import { cancelled, throwIfCancelled } from '../problem';
import { provenanceOf, runFactsOf, type Origin } from '../provenance';
import type { Engine, Tensor, TensorDiff } from '../types';
import { round } from './numbers';
import { Stopwatch, type ProbeCall } from './probe';

interface Named {
  readonly name: string;
  readonly tensor: Tensor;
}

const nothing = { bytes: 0, differingBytes: 0, differingElements: 0, maxUlp: 0, maxAbs: 0, relL2: 0, firstIndex: -1, firstA: 0, firstB: 0 } as const;

function describe(a: Tensor | undefined, b: Tensor | undefined): Pick<DiffEntry, 'in' | 'dtypeA' | 'dtypeB' | 'shapeA' | 'shapeB'> {
  return {
    in: b === undefined ? 'a' : a === undefined ? 'b' : 'both',
    dtypeA: a?.dtype ?? '',
    dtypeB: b?.dtype ?? '',
    shapeA: [...(a?.shape ?? [])],
    shapeB: [...(b?.shape ?? [])],
  };
}

const alike = (a: Tensor, b: Tensor): boolean => a.dtype === b.dtype && a.shape.join() === b.shape.join();

function measured({ bytes, differingBytes, differingElements, maxUlp, maxAbs, relL2, first }: TensorDiff): Omit<DiffEntry, 'name' | keyof ReturnType<typeof describe>> {
  return { bytes, differingBytes, differingElements, maxUlp, maxAbs: round(maxAbs), relL2: round(relL2), firstIndex: first?.index ?? -1, firstA: first?.a ?? 0, firstB: first?.b ?? 0 };
}

/** Whether an entry is a difference: bytes, or a tensor without a partner of its dtype and shape. */
export function differs(entry: DiffEntry): boolean {
  return entry.in !== 'both' || entry.dtypeA !== entry.dtypeB || entry.shapeA.join() !== entry.shapeB.join() || entry.differingBytes > 0;
}

/** Verdict over all entries; `total` of them were to be compared. */
export function decideDiff(entries: readonly DiffEntry[], total: number): Verdict {
  if (total === 0) return { word: 'void', sentence: 'Neither file holds a tensor, so nothing was compared.' };
  const [first, ...others] = entries.filter(differs);
  if (first === undefined) return { word: 'equal', sentence: `All ${plural(entries.length, 'tensor')} have the same bytes.` };
  return { word: 'drift', sentence: `${plural(others.length + 1, 'tensor')} of ${formatCount(entries.length)} differ, first ${first.name}: ${describeDifference(first)}.` };
}

/** "12 of 64 bytes, first at element 3", "only in a", "bf16 [2, 3] against f32 [2, 3]" */
export function describeDifference(entry: DiffEntry): string {
  if (entry.in !== 'both') return `only in ${entry.in}`;
  if (entry.dtypeA !== entry.dtypeB || entry.shapeA.join() !== entry.shapeB.join()) {
    return `${entry.dtypeA} [${entry.shapeA.join(', ')}] against ${entry.dtypeB} [${entry.shapeB.join(', ')}]`;
  }
  return `${formatCount(entry.differingBytes)} of ${plural(entry.bytes, 'byte')}, first at element ${entry.firstIndex}`;
}

async function compareAll(engine: Engine, a: readonly Named[], b: readonly Named[], call: ProbeCall, entries: DiffEntry[]): Promise<number> {
  const others = new Map(b.map(({ name, tensor }) => [name, tensor]));
  const names = [...a.map(({ name }) => name), ...b.map(({ name }) => name).filter((name) => !a.some((one) => one.name === name))];
  const sides = new Map(a.map(({ name, tensor }) => [name, tensor]));
  for (const [i, name] of names.entries()) {
    throwIfCancelled(call.signal);
    call.onProgress?.({ text: name, done: i, total: names.length });
    const [left, right] = [sides.get(name), others.get(name)];
    const [diff] = left !== undefined && right !== undefined && alike(left, right) ? await engine.diff([{ a: left, b: right }], { signal: call.signal }) : [];
    entries.push({ name, ...describe(left, right), ...(diff === undefined ? nothing : measured(diff)) });
  }
  return names.length;
}

function diffReport(origin: Origin, experiment: DiffExperiment, entries: DiffEntry[], ended: { verdict: Verdict; reason: string; cost: Readonly<Record<string, number>> }): DiffReport {
  return {
    format: reportFormat,
    version: reportVersion,
    complete: ended.reason === '',
    incompleteReason: ended.reason,
    verdict: ended.verdict,
    coverage: {
      compared: [`names, dtypes, shapes and every byte of ${plural(entries.length, 'tensor')}`],
      notCovered: ['metadata of the files, and the order of the tensors in them', 'what a model computes with these tensors'],
    },
    provenance: provenanceOf(origin, null),
    run: runFactsOf(origin, ended.cost),
    kind: 'diff',
    experiment,
    diff: { entries },
  };
}

/** Compares the two files of the experiment. A cancelled run gives the entries so far, marked incomplete; a file that cannot be read throws. */
export async function diffFiles(engine: Engine, origin: Origin, experiment: DiffExperiment, call: ProbeCall = {}): Promise<DiffReport> {
  const { signal } = call;
  const watch = new Stopwatch();
  const open: Named[] = [];
  const entries: DiffEntry[] = [];
  try {
    const files: (readonly Named[])[] = [];
    for (const path of [experiment.a, experiment.b]) {
      const { tensors } = await watch.time('open', engine.tensors(path, { signal }));
      open.push(...tensors);
      files.push(tensors);
    }
    const total = await watch.time('compare', compareAll(engine, files[0] ?? [], files[1] ?? [], call, entries));
    return diffReport(origin, experiment, entries, { verdict: decideDiff(entries, total), reason: '', cost: watch.cost });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    return diffReport(origin, experiment, entries, { verdict: decideDiff(entries, entries.length), reason: cancelled().message, cost: watch.cost });
  } finally {
    for (const { tensor } of open) tensor.close();
  }
}

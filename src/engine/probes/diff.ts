// Probe "diff": two safetensors files, tensor by tensor, in the order of file a and then of what only b has.
import { formatCount, plural } from '../../shared/format';
import type { DiffExperiment } from '../../shared/experiment';
import { reportFormat, reportVersion, type DiffEntry, type DiffReport } from '../../shared/report';
import type { Verdict } from '../../shared/verdict';
import { cancelled, throwIfCancelled } from '../problem';
import { provenanceOf, runFactsOf, type Origin } from '../provenance';
import type { DiffPair, Engine, Tensor, TensorDiff } from '../types';
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
  if (first === undefined) return { word: 'equal', sentence: entries.length === 1 ? 'The one tensor has the same bytes.' : `All ${formatCount(entries.length)} tensors have the same bytes.` };
  return { word: 'drift', sentence: `${plural(others.length + 1, 'tensor')} of ${formatCount(entries.length)} ${others.length === 0 ? 'differs' : 'differ'}, first ${first.name}: ${describeDifference(first)}.` };
}

/** "12 of 64 bytes, first at element 3", "only in a", "bf16 [2, 3] against f32 [2, 3]" */
export function describeDifference(entry: DiffEntry): string {
  if (entry.in !== 'both') return `only in ${entry.in}`;
  if (entry.dtypeA !== entry.dtypeB || entry.shapeA.join() !== entry.shapeB.join()) {
    return `${entry.dtypeA} [${entry.shapeA.join(', ')}] against ${entry.dtypeB} [${entry.shapeB.join(', ')}]`;
  }
  return `${formatCount(entry.differingBytes)} of ${plural(entry.bytes, 'byte')}, first at element ${entry.firstIndex}`;
}

/** A name and what each file has under it. */
interface Couple {
  readonly name: string;
  readonly left: Tensor | undefined;
  readonly right: Tensor | undefined;
}

/** What one diff job compares: many small tensors at once, for a job costs more than they do; few large ones, for progress and cancel come between jobs. */
const batch = { couples: 256, bytes: 64 << 20 } as const;

function couplesOf(a: readonly Named[], b: readonly Named[]): Couple[] {
  const lefts = new Map(a.map(({ name, tensor }) => [name, tensor]));
  const rights = new Map(b.map(({ name, tensor }) => [name, tensor]));
  const both = a.map(({ name, tensor }): Couple => ({ name, left: tensor, right: rights.get(name) }));
  const onlyB = b.filter(({ name }) => !lefts.has(name)).map(({ name, tensor }): Couple => ({ name, left: undefined, right: tensor }));
  return [...both, ...onlyB];
}

function* batchesOf(couples: readonly Couple[]): Generator<readonly Couple[]> {
  let current: Couple[] = [];
  let bytes = 0;
  for (const couple of couples) {
    current.push(couple);
    bytes += couple.left?.nbytes ?? 0;
    if (current.length < batch.couples && bytes < batch.bytes) continue;
    yield current;
    current = [];
    bytes = 0;
  }
  if (current.length > 0) yield current;
}

async function compareBatch(engine: Engine, couples: readonly Couple[], signal: AbortSignal | undefined): Promise<DiffEntry[]> {
  const pairs = new Map(couples.flatMap((couple): [Couple, DiffPair][] => (couple.left !== undefined && couple.right !== undefined && alike(couple.left, couple.right) ? [[couple, { a: couple.left, b: couple.right }]] : [])));
  const diffs = pairs.size === 0 ? [] : await engine.diff([...pairs.values()], { signal });
  const found = new Map([...pairs.keys()].map((couple, i) => [couple, diffs[i]]));
  return couples.map((couple) => {
    const diff = found.get(couple);
    return { name: couple.name, ...describe(couple.left, couple.right), ...(diff === undefined ? nothing : measured(diff)) };
  });
}

async function compareAll(engine: Engine, a: readonly Named[], b: readonly Named[], call: ProbeCall, entries: DiffEntry[]): Promise<number> {
  const couples = couplesOf(a, b);
  for (const some of batchesOf(couples)) {
    throwIfCancelled(call.signal);
    call.onProgress?.({ text: some[0]?.name ?? '', done: entries.length, total: couples.length });
    for (const entry of await compareBatch(engine, some, call.signal)) entries.push(entry);
  }
  return couples.length;
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
      for (const one of tensors) open.push(one);
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

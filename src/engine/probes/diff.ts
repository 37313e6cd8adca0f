// Probe "diff": two safetensors files, tensor by tensor, in the order of file a and then of what only b has.
import { formatCount, formatList, plural } from '../../shared/format';
import type { DiffExperiment } from '../../shared/experiment';
import { reportFormat, reportVersion, type DiffEntry, type DiffReport } from '../../shared/report';
import type { Verdict } from '../../shared/verdict';
import { cancelled, throwIfCancelled } from '../problem';
import { provenanceOf, runFactsOf, type Origin } from '../provenance';
import type { DiffPair, Dtype, Engine, FileTensor, TensorDiff } from '../types';
import { namesOf } from './arms';
import { round } from './numbers';
import { Stopwatch, type ProbeCall } from './probe';

const nothing = { bytes: 0, differingBytes: 0, differingElements: 0, maxUlp: 0, maxAbs: 0, relL2: 0, firstIndex: -1, firstA: 0, firstB: 0 } as const;

/** Element type and shape as a file has them. */
const typed = (one: FileTensor | undefined): { dtype: string; shape: readonly number[] } => one?.stored ?? one?.tensor ?? { dtype: '', shape: [] };

function describe(a: FileTensor | undefined, b: FileTensor | undefined): Pick<DiffEntry, 'in' | 'dtypeA' | 'dtypeB' | 'shapeA' | 'shapeB'> {
  const [left, right] = [typed(a), typed(b)];
  return { in: b === undefined ? 'a' : a === undefined ? 'b' : 'both', dtypeA: left.dtype, dtypeB: right.dtype, shapeA: [...left.shape], shapeB: [...right.shape] };
}

const sameType = (a: FileTensor, b: FileTensor): boolean => typed(a).dtype === typed(b).dtype && typed(a).shape.join() === typed(b).shape.join();

type Measures = Omit<DiffEntry, 'name' | keyof ReturnType<typeof describe>>;

function measured({ bytes, differingBytes, differingElements, maxUlp, maxAbs, relL2, first }: TensorDiff): Measures {
  return { bytes, differingBytes, differingElements, maxUlp, maxAbs: round(maxAbs), relL2: round(relL2), firstIndex: first?.index ?? -1, firstA: first?.a ?? 0, firstB: first?.b ?? 0 };
}

/** Of an element type without numbers: bytes and places are known, distances are not. */
function measuredBytes(diff: TensorDiff): Measures {
  return diff.equal ? measured(diff) : { ...measured(diff), maxUlp: 0, maxAbs: 'NaN', relL2: 'NaN', firstA: 'NaN', firstB: 'NaN' };
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
  readonly left: FileTensor | undefined;
  readonly right: FileTensor | undefined;
}

/** What one diff job compares: many small tensors at once, for a job costs more than they do; few large ones, for progress comes between jobs. */
const batch = { couples: 256, bytes: 64 << 20 } as const;

function couplesOf(a: readonly FileTensor[], b: readonly FileTensor[]): Couple[] {
  const lefts = new Map(a.map((one) => [one.name, one]));
  const rights = new Map(b.map((one) => [one.name, one]));
  const both = a.map((left): Couple => ({ name: left.name, left, right: rights.get(left.name) }));
  const onlyB = b.filter(({ name }) => !lefts.has(name)).map((right): Couple => ({ name: right.name, left: undefined, right }));
  return [...both, ...onlyB];
}

function* batchesOf(couples: readonly Couple[]): Generator<readonly Couple[]> {
  let current: Couple[] = [];
  let bytes = 0;
  for (const couple of couples) {
    current.push(couple);
    bytes += couple.left?.tensor.nbytes ?? 0;
    if (current.length < batch.couples && bytes < batch.bytes) continue;
    yield current;
    current = [];
    bytes = 0;
  }
  if (current.length > 0) yield current;
}

async function compareBatch(engine: Engine, couples: readonly Couple[], signal: AbortSignal | undefined): Promise<DiffEntry[]> {
  const pairs = new Map(couples.flatMap((couple): [Couple, DiffPair][] => pairOf(couple)));
  const diffs = pairs.size === 0 ? [] : await engine.diff([...pairs.values()], { signal });
  const found = new Map([...pairs.keys()].map((couple, i) => [couple, diffs[i]]));
  return couples.map((couple) => {
    const { name, left, right } = couple;
    const diff = found.get(couple);
    const measures = diff === undefined ? nothing : left?.stored === undefined ? measured(diff) : measuredBytes(diff);
    return { name, ...describe(left, right), ...measures };
  });
}

function pairOf(couple: Couple): [Couple, DiffPair][] {
  const { left, right } = couple;
  return left !== undefined && right !== undefined && sameType(left, right) ? [[couple, { a: left.tensor, b: right.tensor }]] : [];
}

async function compareAll(engine: Engine, a: readonly FileTensor[], b: readonly FileTensor[], call: ProbeCall, entries: DiffEntry[]): Promise<number> {
  const couples = couplesOf(a, b);
  for (const some of batchesOf(couples)) {
    throwIfCancelled(call.signal);
    call.onProgress?.({ text: some[0]?.name ?? '', done: entries.length, total: couples.length });
    for (const entry of await compareBatch(engine, some, call.signal)) entries.push(entry);
  }
  return couples.length;
}

/** Types that the engine has numbers for. */
const numbers: ReadonlySet<string> = new Set(['f32', 'f16', 'bf16', 'f64', 'u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'u64', 'i64', 'bool'] satisfies Dtype[]);

/** Says of which tensors only bytes were compared. */
function bytesAlone(entries: readonly DiffEntry[]): string[] {
  const without = entries.filter((entry) => entry.in === 'both' && entry.dtypeA === entry.dtypeB && !numbers.has(entry.dtypeA));
  if (without.length === 0) return [];
  const types = namesOf(without.map(({ dtypeA }) => dtypeA));
  return [`values and distances of ${plural(without.length, 'tensor')} of type ${formatList(types)}: the engine has no numbers for the type, so bytes alone were compared`];
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
      notCovered: ['metadata of the files, and the order of the tensors in them', 'what a model computes with these tensors', ...bytesAlone(entries)],
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
  const open: FileTensor[] = [];
  const entries: DiffEntry[] = [];
  try {
    const files: (readonly FileTensor[])[] = [];
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

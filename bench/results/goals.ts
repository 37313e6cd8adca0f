// The goals of the engine and whether a run meets them.
import { boundOf, limitRate, type Bound } from './limit';
import type { ModelRun, Raw } from './raw';
import { median, spread } from './stats';
import { armOf, figureName, rowsOf, timeOf, type Figure } from './times';

export type Verdict = 'aim met' | 'met' | 'aim not met' | 'not met' | 'not measured';

export interface Goal {
  readonly figure: string;
  /** What was measured, in words. */
  readonly value: string;
  readonly must: string;
  readonly aim: string;
  readonly verdict: Verdict;
  /** What bounds a figure that misses its must; "" for others. */
  readonly why: string;
}

interface Threshold {
  /** Compared as value >= must, or value <= must when `atMost`. Null: there is an aim alone. */
  readonly must: number | null;
  readonly aim: number | null;
  readonly atMost?: boolean;
}

const percent = (value: number): string => `${(100 * value).toFixed(0)}%`;
const times = (value: number): string => `${value.toFixed(2)}x`;
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;

function verdictOf(value: number, { must, aim, atMost }: Threshold): Verdict {
  if (!Number.isFinite(value)) return 'not measured';
  const reaches = (goal: number): boolean => (atMost === true ? value <= goal : value >= goal);
  if (must !== null && !reaches(must)) return 'not met';
  if (aim === null || reaches(aim)) return 'aim met';
  return must === null ? 'aim not met' : 'met';
}

interface Measured {
  readonly figure: string;
  readonly value: number;
  readonly threshold: Threshold;
  readonly show: (value: number) => string;
  readonly against: string;
  readonly why?: string;
  /** Instead of the threshold's number. */
  readonly mustWords?: string;
}

function goal({ figure, value, threshold, show, against, why = '', mustWords }: Measured): Goal {
  const verdict = verdictOf(value, threshold);
  const sign = threshold.atMost === true ? '<=' : '>=';
  const words = (limit: number): string => `${sign} ${show(limit)}${against}`;
  return {
    figure,
    value: verdict === 'not measured' ? '-' : show(value),
    must: mustWords ?? (threshold.must === null ? '' : words(threshold.must)),
    aim: threshold.aim === null ? '' : words(threshold.aim),
    verdict,
    why: verdict === 'not met' ? why : '',
  };
}

function boundFor(raw: Raw, run: ModelRun, figure: Figure): Bound {
  const rows = rowsOf(figure, run);
  return boundOf(raw, raw.threads, armOf(run, 'moire')?.weightBytes ?? NaN, rows.layers * run.multiplyAdds.layers + rows.head * run.multiplyAdds.head);
}

/** Times of both engines and the limit for one figure. */
interface Line {
  readonly name: string;
  readonly moire: number;
  readonly llama: number;
  readonly bound: Bound;
  readonly why: string;
}

function lineOf(raw: Raw, run: ModelRun, figure: Figure): Line {
  const time = (engine: 'moire' | 'llama'): number => timeOf(run, armOf(run, engine), raw.threads, figure)?.median ?? NaN;
  const bound = boundFor(raw, run, figure);
  const moire = time('moire');
  const why = `${ms(moire)} a call; reading the weights takes ${ms(bound.readMs)} at best, their multiplications ${ms(bound.multiplyMs)}${spentOn(run, figureName(figure, run))}`;
  return { name: `${run.name} · ${figureName(figure, run)}`, moire, llama: time('llama'), bound, why };
}

const namedOps = 4;

/** What a profiled call spends its time on: linear layers, the dearest other ops, the rest of the engine, the binding. "" without a profile. */
function spentOn({ profile }: ModelRun, name: string): string {
  const found = profile.find(({ figure }) => figure === name);
  if (found === undefined) return '';
  const sum = (ops: typeof found.ops): number => ops.reduce((all, op) => all + op.ms, 0);
  const others = found.ops.filter(({ linear }) => !linear);
  const dearest = others.slice(0, namedOps);
  const parts = [
    ['linear layers', sum(found.ops) - sum(others)],
    ...dearest.map(({ op, ms: took }): [string, number] => [op, took]),
    ['other ops', sum(others) - sum(dearest)],
    ['the rest of the engine', found.engineMs - sum(found.ops)],
    ['job and binding', found.ms - found.engineMs],
  ] as const;
  return `. A profiled call: ${parts.map(([part, took]) => `${part} ${ms(took)}`).join(', ')}`;
}

const llamaTime = (raw: Raw, line: Line, threshold: Threshold): Goal[] =>
  raw.llama === null ? [] : [goal({ figure: `${line.name}, speed of llama.cpp`, value: line.llama / line.moire, threshold, show: times, against: '', why: `llama.cpp takes ${ms(line.llama)}, Moire ${line.why}` })];

function decodeGoals(raw: Raw, run: ModelRun): Goal[] {
  const line = lineOf(raw, run, { kind: 'decode' });
  return [
    goal({ figure: `${line.name}, share of L(1)`, value: line.bound.ms / line.moire, threshold: { must: 0.8, aim: 0.92 }, show: percent, against: '', why: line.why }),
    ...llamaTime(raw, line, { must: 1, aim: null }),
  ];
}

function blockGoals(raw: Raw, run: ModelRun, width: number): Goal[] {
  const line = lineOf(raw, run, { kind: 'block', width });
  const decode = lineOf(raw, run, { kind: 'decode' });
  const ratio = { moire: line.moire / decode.moire, llama: line.llama / decode.llama };
  const ratioWhy = `a block costs ${times(ratio.moire)} of a decode; llama.cpp's ${times(ratio.llama)}. A block takes ${times(line.moire / line.llama)} of llama.cpp's time, a decode ${times(decode.moire / decode.llama)}`;
  const share = goal({ figure: `${line.name}, share of L(${width})`, value: line.bound.ms / line.moire, threshold: { must: 0.65, aim: 0.8 }, show: percent, against: '', why: line.why });
  if (raw.llama === null) return [share];
  return [
    share,
    goal({ figure: `${line.name}, block / decode`, value: ratio.moire, threshold: { must: ratio.llama, aim: null, atMost: true }, show: times, against: " (llama.cpp's)", why: ratioWhy }),
    ...(width === 16 ? llamaTime(raw, line, { must: null, aim: 2 }) : []),
  ];
}

function prefillGoals(raw: Raw, run: ModelRun): Goal[] {
  const line = lineOf(raw, run, { kind: 'prefill' });
  return [
    goal({ figure: `${line.name}, share of the int16 peak`, value: line.bound.multiplyMs / line.moire, threshold: { must: 0.6, aim: null }, show: percent, against: '', why: line.why }),
    ...llamaTime(raw, line, { must: 1, aim: 1.5 }),
  ];
}

function captureGoals({ name, capture }: ModelRun): Goal[] {
  return capture.map(({ mode, plain, captured }) =>
    goal({
      figure: `${name} · all taps (${mode}), decode over no capture`,
      value: median(captured) / median(plain) - 1,
      threshold: { must: 0.15, aim: 0.08, atMost: true },
      show: percent,
      against: '',
      why: `${ms(median(captured))} with, ${ms(median(plain))} without`,
    }),
  );
}

function bisectGoals({ name, bisect }: ModelRun): Goal[] {
  if (bisect === null) return [];
  const [whole, forwards] = [median(bisect.bisect), median(bisect.forwards)];
  const why = `${ms(whole)} for the bisect, ${ms(forwards)} for its ${bisect.calls} forwards`;
  return [goal({ figure: `${name} · bisect W = 8 over its pure forwards`, value: whole / forwards, threshold: { must: 1.5, aim: 1.2, atMost: true }, show: times, against: '', why })];
}

function memoryGoals(run: ModelRun): Goal[] {
  const arm = armOf(run, 'moire');
  if (arm === undefined) return [];
  const { before, after } = arm.memory;
  const need = arm.weightBytes + run.stateBytes;
  const mib = (bytes: number | null): string => `${((bytes ?? NaN) / (1 << 20)).toFixed(0)} MiB`;
  const grown = (part: 'anonymous' | 'file'): string => mib((after[part] ?? NaN) - (before[part] ?? NaN));
  const why = `it grew by ${mib(after.resident - before.resident)} (${grown('anonymous')} allocated, ${grown('file')} mapped); weights and KV are ${mib(need)}`;
  return [goal({ figure: `${run.name} · memory over weights and KV`, value: (after.resident - before.resident) / need - 1, threshold: { must: 0.15, aim: 0.08, atMost: true }, show: percent, against: '', why })];
}

function modelGoals(raw: Raw, run: ModelRun): Goal[] {
  const blocks = run.widths.flatMap((width) => blockGoals(raw, run, width));
  return [...decodeGoals(raw, run), ...blocks, ...prefillGoals(raw, run), ...captureGoals(run), ...bisectGoals(run), ...memoryGoals(run), ...idleGoals(run)];
}

function diffGoals(raw: Raw): Goal[] {
  const took = spread(raw.diff?.ms ?? []);
  if (raw.diff === null || took === null) return [];
  const rate = raw.diff.bytes / (took.median / 1000);
  const limit = limitRate(raw, raw.threads, 'read')?.median ?? NaN;
  const why = `${(rate / 1e9).toFixed(1)} GB/s of ${(limit / 1e9).toFixed(1)}`;
  return [goal({ figure: 'diff of two equal 256 MB tensors, share of read bandwidth', value: rate / limit, threshold: { must: 0.8, aim: 0.95 }, show: percent, against: '', why })];
}

function idleGoals(run: ModelRun): Goal[] {
  const arm = armOf(run, 'moire');
  if (arm === undefined) return [];
  const { cpuMs, ms: during } = arm.idle;
  // Below half a percent is 0%: the timer that measures it runs in the same process.
  return [goal({ figure: `${run.name} · idle CPU`, value: cpuMs / during, threshold: { must: 0.005, aim: null, atMost: true }, show: percent, against: '', mustWords: '0%', why: `${ms(cpuMs)} of processor time in ${ms(during)}` })];
}

/** Every figure of the run with its goal. */
export function goalsOf(raw: Raw): Goal[] {
  return [...raw.models.flatMap((run) => modelGoals(raw, run)), ...diffGoals(raw)];
}


// A run as text.
import { formatTable } from '../../src/shared/format';
import { goalsOf, type Goal } from './goals';
import { limitRate } from './limit';
import type { Arm, ModelRun, Raw } from './raw';
import type { Spread } from './stats';
import { armOf, figureName, figuresOf, timeOf } from './times';

const number = (value: number): string => (value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0));
const range = (found: Spread | null): string => (found === null ? '-' : `${number(found.median)} (${number(found.least)}-${number(found.most)})`);
const ratio = (a: Spread | null, b: Spread | null): string => (a === null || b === null ? '-' : `${(a.median / b.median).toFixed(2)}x`);

export interface Table {
  readonly title: string;
  readonly rows: readonly (readonly string[])[];
}

function threadsOf(raw: Raw): number[] {
  return raw.limits.map(({ threads }) => threads);
}

const plural = (threads: number): string => (threads === 1 ? '1 thread' : `${threads} threads`);

function limitsTable(raw: Raw): Table {
  const giga = (threads: number, name: 'read' | 'int16' | 'fp32'): string => {
    const found = limitRate(raw, threads, name);
    return range(found && { median: found.median / 1e9, least: found.least / 1e9, most: found.most / 1e9 });
  };
  const all = threadsOf(raw);
  const row = (title: string, name: 'read' | 'int16' | 'fp32'): string[] => [title, ...all.map((threads) => giga(threads, name))];
  return { title: 'The machine at best', rows: [['', ...all.map(plural)], row('read, GB/s', 'read'), row('int16, G multiply-adds/s', 'int16'), row('fp32, G multiply-adds/s', 'fp32')] };
}

const armName = ({ engine, format }: Arm): string => (engine === 'moire' ? 'Moire exact' : `llama.cpp ${format}`);

function timesTable(run: ModelRun, threads: number): Table {
  const moire = armOf(run, 'moire');
  const others = run.arms.filter(({ engine }) => engine !== 'moire');
  const rows = figuresOf(run).map((figure) => {
    const own = timeOf(run, moire, threads, figure);
    const theirs = others.map((arm) => timeOf(run, arm, threads, figure));
    return [figureName(figure, run), range(own), ...theirs.map(range), ...theirs.map((time) => ratio(time, own))];
  });
  const heading = ['ms a call, median (range of rounds)', 'Moire exact', ...others.map(armName), ...others.map((arm) => `${armName(arm)} / Moire`)];
  return { title: `${run.name}: ${run.describes}; ${plural(threads)}`, rows: [heading, ...rows.filter((row) => row.slice(1).some((cell) => cell !== '-'))] };
}

export function goalsTable(goals: readonly Goal[]): Table {
  return { title: 'Goals', rows: [['figure', 'value', 'must', 'aim', ''], ...goals.map(({ figure, value, must, aim, verdict }) => [figure, value, must, aim, verdict])] };
}

export function tablesOf(raw: Raw): Table[] {
  return [limitsTable(raw), ...raw.models.flatMap((run) => threadsOf(raw).map((threads) => timesTable(run, threads))), goalsTable(goalsOf(raw))].filter(({ rows }) => rows.length > 1);
}

/** Where the numbers come from, and what disturbed them. */
export function provenanceLines(raw: Raw): string[] {
  const { machine, moire, llama, models } = raw;
  const switches = Object.entries(moire.switches).map(([name, value]) => `${name}=${value}`);
  const agreements = models.flatMap(({ name, agreement }) =>
    agreement === null ? [] : [`${name}: after ${agreement.tokens} tokens the logits of both engines are ${(100 * agreement.relativeDistance).toFixed(1)}% apart, the best token is ${agreement.sameBest ? 'the same' : 'another'}.`],
  );
  return [
    `${raw.date}${raw.quick ? ', quick' : ''}, ${raw.rounds} rounds by turns, ${raw.threads} threads`,
    `${machine.cpu}, ${machine.cores} cores, ${machine.isa}; ${machine.system}; Node ${machine.node}`,
    `Moire ${moire.version} (${moire.git}), ${moire.compiler}; ${switches.join(' ')}`,
    llama === null ? `llama.cpp was not run: ${raw.llamaMissing}` : `llama.cpp ${llama.version} (ggml ${llama.ggml}, ${llama.commit}), ${llama.package}, kernels "${llama.variant}"`,
    ...agreements,
  ];
}

/** Share of one core, above which a sentence is due. */
const noisy = 0.1;

export function warningsOf({ models }: Raw): string[] {
  const turns = models.flatMap(({ arms }) => arms.flatMap((arm) => arm.turns));
  const disturbed = turns.filter(({ othersCores }) => othersCores > noisy);
  if (disturbed.length === 0) return [];
  const most = Math.max(...disturbed.map(({ othersCores }) => othersCores));
  return [`Other programs ran during ${disturbed.length} of ${turns.length} turns (up to ${most.toFixed(1)} cores): these figures are not to be trusted. Run the bench again on a quiet machine.`];
}

/** Why a figure misses its must. */
export function reasonsOf(raw: Raw): string[] {
  return goalsOf(raw).flatMap(({ figure, why }) => (why === '' ? [] : [`${figure}: ${why}.`]));
}

export function reportLines(raw: Raw): string[] {
  const reasons = reasonsOf(raw);
  return [
    ...provenanceLines(raw),
    ...tablesOf(raw).flatMap(({ title, rows }) => ['', title, ...formatTable(rows).map((line) => `  ${line}`)]),
    ...(reasons.length === 0 ? [] : ['', 'Not met, and what the time goes to', ...reasons.map((line) => `  ${line}`)]),
    ...warningsOf(raw).flatMap((line) => ['', line]),
  ];
}

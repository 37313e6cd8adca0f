// Drives the classic chain and every arm of a replay side by side, so that only one round of logits is ever held.
// All sessions may have batch rows; these go in step, so every row keeps as much of a round. Entries stand position by position, and batch row by batch row within one.
import { append } from '../../../shared/append';
import type { Fill, Form } from '../../../shared/experiment';
import type { ReplayRun } from '../../../shared/results/replay';
import type { Noise } from '../../../shared/results/parts';
import { throwIfCancelled } from '../../problem';
import type { Call, DiffPair, Engine, Float, Session, Step, Tensor } from '../../types';
import { ChoiceCollector, lastRow, rowAt, rowsOf, type LogitRow } from '../choices';
import { larger, round } from '../numbers';
import type { Stopwatch } from '../probe';
import { filled, type ReplayRound } from './rounds';

/** Candidates of a row: enough to find what another arm chose without reading the row. */
const top = 8;

export interface Arm {
  readonly form: Form;
  readonly fill: Fill;
  readonly session: Session;
  readonly choices: ChoiceCollector;
  readonly kernels: Set<string>;
  readonly misdropped: ReplayRun['misdropped'];
  rewinds: number;
}

export const armOf = (form: Form, fill: Fill, session: Session): Arm => ({ form, fill, session, choices: new ChoiceCollector(), kernels: new Set(), misdropped: [], rewinds: 0 });

export interface Chain {
  readonly plain: Session;
  /** The same again: null where repeatability is not asked for. */
  readonly repeat: Session | null;
  readonly other: Session | null;
}

export interface LockstepContext {
  readonly engine: Engine;
  readonly vocab: number;
  readonly watch: Stopwatch;
  readonly call: Call;
  readonly drafts: readonly (readonly number[])[] | null;
  /** Taps to take in every block, as a served burst does for its drafter. */
  readonly taps?: readonly string[];
}

interface ChainRow extends LogitRow {
  readonly repeated: Tensor | null;
  readonly otherOrder: Tensor | null;
}

export class Lockstep {
  readonly kernels = new Set<string>();
  readonly noise: { repeatDifferingBytes: number; floor: Float } = { repeatDifferingBytes: 0, floor: 0 };
  /** What the chain chose after every reference token. */
  readonly chosen: number[] = [];
  /** Rounds that were run to their end. */
  rounds = 0;
  threads = 0;
  isa = '';

  constructor(
    private readonly context: LockstepContext,
    private readonly chain: Chain,
    readonly arms: readonly Arm[],
  ) {}

  /** Adds the prefill's last row of every arm; `prefills` hold logits, arm by arm. */
  async addPrefill(classic: Step, repeat: Step | null, other: Step | null, prefills: readonly Step[]): Promise<void> {
    const row: ChainRow = { ...lastRow(classic), repeated: logitsOf(repeat), otherOrder: logitsOf(other) };
    await this.compare([row], prefills.map((step) => [lastRow(step)]));
  }

  /** One round in every arm, and its kept rows in the chain. Blocks are rewound before it returns. `batch`: the round of every batch row. */
  async round(batch: readonly ReplayRound[]): Promise<void> {
    throwIfCancelled(this.context.call.signal);
    const { index, rows, keep } = inStep(batch);
    const open: Step[] = [];
    try {
      const arms: LogitRow[][] = [];
      for (const arm of this.arms) arms.push(await this.forward(arm, batch, keep, open));
      const chain: ChainRow[] = [];
      for (let i = 0; i < keep; i += 1) append(chain, await this.decode(batch.map(({ ids }) => ids[i] ?? 0), open));
      await this.compare(chain, arms);
    } finally {
      for (const step of open) step.close();
    }
    for (const arm of this.arms) if (arm.form === 'block' && keep < rows) await this.rewind(arm, index, rows, keep, batch.length);
    this.rounds += 1;
  }

  private async forward(arm: Arm, batch: readonly ReplayRound[], keep: number, open: Step[]): Promise<LogitRow[]> {
    const { drafts, vocab } = this.context;
    const kept = batch.map(({ ids }) => ids.slice(0, keep));
    const blocks = arm.form === 'block' ? [batch.map((round) => filled(round, arm.fill, drafts, vocab))] : arm.form === 'kept' ? [kept] : Array.from({ length: keep }, (_, i) => kept.map((ids) => ids.slice(i, i + 1)));
    const rows: LogitRow[] = [];
    for (const ids of blocks) {
      const step = await this.step(`${arm.form} form`, arm.session.verify(ids, { ...this.context.call, top, taps: this.context.taps }), open);
      for (const { kernel } of step.kernels) arm.kernels.add(kernel);
      append(rows, byPosition(rowsOf(step), batch.length));
    }
    return rows.slice(0, keep * batch.length);
  }

  private async decode(ids: readonly number[], open: Step[]): Promise<ChainRow[]> {
    const { plain, repeat, other } = this.chain;
    const forward = (phase: string, session: Session): Promise<Step> => this.step(phase, session.decode(ids, { ...this.context.call, top }), open);
    const step = await forward('chain', plain);
    const again = repeat === null ? null : await forward('repeat', repeat);
    const ordered = other === null ? null : await forward('otherOrder', other);
    for (const { kernel } of step.kernels) this.kernels.add(kernel);
    this.threads = step.threads;
    this.isa = step.isa;
    return rowsOf(step).map((row): ChainRow => ({ ...row, repeated: logitsOf(again), otherOrder: logitsOf(ordered) }));
  }

  private async step(phase: string, work: Promise<Step>, open: Step[]): Promise<Step> {
    const step = await this.context.watch.time(phase, work);
    open.push(step);
    return step;
  }

  /** All pairs of the rows in one job. */
  private async compare(chain: readonly ChainRow[], arms: readonly (readonly LogitRow[])[]): Promise<void> {
    const { engine, watch, call } = this.context;
    const pairs = chain.flatMap((a, i): DiffPair[] => [
      ...[a.repeated, a.otherOrder].flatMap((logits) => (logits === null ? [] : [pairOf(a, { logits, row: a.row })])),
      ...arms.map((rows) => pairOf(a, rowAt(rows, i))),
    ]);
    const found = await watch.time('compare', engine.diff(pairs, call));
    for (const [i, a] of chain.entries()) {
      this.chosen.push(a.top[0]?.id ?? 0);
      if (a.repeated !== null) this.noise.repeatDifferingBytes += found.shift()?.differingBytes ?? 0;
      if (a.otherOrder !== null) this.noise.floor = larger(this.noise.floor, round(found.shift()?.maxAbs ?? 0));
      for (const [n, rows] of arms.entries()) {
        const diff = found.shift();
        if (diff !== undefined) await this.arms[n]?.choices.add(diff, a, rowAt(rows, i));
      }
    }
  }

  private async rewind(arm: Arm, index: number, rows: number, keep: number, batch: number): Promise<void> {
    const { asked, dropped } = await this.context.watch.time('rewind', arm.session.rewind(Array<number>(batch).fill(keep), this.context.call));
    arm.rewinds += 1;
    const wanted = rows - keep;
    for (let row = 0; row < batch; row += 1) if (asked[row] !== keep || dropped[row] !== wanted) arm.misdropped.push({ round: index, asked: wanted, dropped: dropped[row] ?? 0 });
  }

  noiseWith(orders: string): Noise {
    return { ...this.noise, orders };
  }
}

/** The one shape that the rounds of all batch rows have. */
function inStep(batch: readonly ReplayRound[]): Pick<ReplayRound, 'index' | 'rows' | 'keep'> {
  const [first] = batch;
  if (first === undefined || batch.some(({ rows, keep }) => rows !== first.rows || keep !== first.keep)) throw new Error('batch rows of a lockstep keep the same rows');
  return first;
}

/** From batch row by batch row to position by position. */
function byPosition<T>(rows: readonly T[], batch: number): T[] {
  const width = rows.length / batch;
  return rows.map((_, i) => rows[(i % batch) * width + Math.floor(i / batch)]).filter((row) => row !== undefined);
}

const pairOf = (a: LogitRow, b: Pick<LogitRow, 'logits' | 'row'>): DiffPair => ({ a: a.logits, b: b.logits, aRows: [a.row, a.row + 1], bRows: [b.row, b.row + 1] });

const logitsOf = (step: Step | null): Tensor | null => (step === null ? null : lastRow(step).logits);

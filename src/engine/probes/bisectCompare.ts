// One comparison: the same tokens as single decodes (arm A) and as verify blocks (arm B), from sessions forked off one prefill.
// Five sessions run side by side, so that only a block is ever held: both arms uncaptured (verdict), both captured (location), arm A captured again (repeat);
// a sixth runs arm A in another reduction order (noise floor).
import type { BisectRun } from '../../shared/report';
import { throwIfCancelled } from '../problem';
import type { Call, DiffPair, Engine, Float, Model, Session, Step, TensorDiff } from '../types';
import { KernelCollector } from './bisectKernels';
import { LogitCollector } from './bisectLogits';
import { compareStates, differingStateBytes } from './bisectState';
import { caps, mapRows, TapCollector } from './bisectTaps';
import { decideRun } from './bisectVerdict';
import { larger, round } from './numbers';
import type { Stopwatch } from './probe';

/** The prefilled sessions a comparison forks from; `other` is null where the engine has no second order. */
export interface Bases {
  readonly base: Session;
  readonly other: Session | null;
  readonly orders: string;
}

export interface Comparison {
  readonly label: string;
  readonly width: number;
  readonly source: BisectRun['source'];
  readonly draw: number;
  readonly promptIds: readonly number[];
  readonly blockIds: readonly number[];
}

export interface Context {
  readonly engine: Engine;
  readonly model: Model;
  readonly watch: Stopwatch;
  readonly call: Call;
  /** After each position; `soFar` gives what stands then. */
  readonly onPosition: (done: number, soFar: () => Compared) => Promise<void>;
}

/** What a run gives besides its part of the report. */
export interface Compared {
  readonly run: BisectRun;
  readonly kernelsA: ReadonlySet<string>;
  readonly kernelsB: ReadonlySet<string>;
  readonly threads: number;
  readonly isa: string;
  readonly tensorsCompared: number;
  readonly missingTaps: readonly string[];
}

interface Sessions {
  readonly plainA: Session;
  readonly plainB: Session;
  readonly tapA: Session;
  readonly tapB: Session;
  readonly repeatA: Session;
  readonly other: Session | null;
}

const everyTap = { taps: ['*'] } as const;

/** Tensors of a forward that must have logits. */
function logitsOf(step: Step): DiffPair['a'] {
  if (step.logits === null) throw new Error('the engine gave no logits');
  return step.logits;
}

/** What one token gave in every session; `plain` and `tapped` hold the whole block. */
interface PositionSteps {
  readonly a: Step;
  readonly plain: Step;
  readonly captured: Step;
  readonly again: Step;
  readonly other: Step | null;
  readonly tapped: Step;
}

/** Arms, capture of arm A, repeat, and the other order where there is one. */
function logitPairs(row: number, steps: PositionSteps): DiffPair[] {
  const [a, captured] = [logitsOf(steps.a), logitsOf(steps.captured)];
  const pairs: DiffPair[] = [
    { a, b: logitsOf(steps.plain), bRows: [row, row + 1] },
    { a, b: captured },
    { a: captured, b: logitsOf(steps.again) },
  ];
  return steps.other === null ? pairs : [...pairs, { a, b: logitsOf(steps.other) }];
}

function armPairs(row: number, captured: Step, block: Step): DiffPair[] {
  return captured.taps.map(({ tensor, layer, tap }, i): DiffPair => {
    const other = block.taps[i];
    if (other?.layer !== layer || other.tap !== tap) throw new Error(`the arms give other taps: ${tap} of layer ${layer} has no partner`);
    return { a: tensor, b: other.tensor, bRows: [row, row + 1] };
  });
}

class Comparer {
  private readonly logits = new LogitCollector();
  private readonly kernels = new KernelCollector();
  private readonly taps: TapCollector;
  private readonly capture = { a: 0, b: 0 };
  private readonly nonFinite = { a: 0, b: 0 };
  /** Logits of arm A. */
  private logitCount = 0;
  private repeat = 0;
  private floor: Float = 0;
  private threads = 0;
  private isa = '';
  private done = 0;

  constructor(
    private readonly context: Context,
    private readonly what: Comparison,
    private readonly sessions: Sessions,
    private readonly orders: string,
  ) {
    this.taps = new TapCollector(context.model.info, mapRows(context.model.info), what.blockIds.length);
  }

  async compare(): Promise<Compared> {
    for (let from = 0; from < this.what.blockIds.length; from += this.what.width) {
      await this.block(this.what.blockIds.slice(from, from + this.what.width));
    }
    return this.compared(await this.endState());
  }

  private diff(pairs: readonly DiffPair[], tile = 0): Promise<TensorDiff[]> {
    return this.context.watch.time('compare', this.context.engine.diff(pairs, { ...this.context.call, tile }));
  }

  private async block(ids: readonly number[]): Promise<void> {
    const { watch, call } = this.context;
    const open: Step[] = [];
    const keep = (step: Step): Step => {
      open.push(step);
      return step;
    };
    try {
      const plain = keep(await watch.time('block', this.sessions.plainB.verify(ids, call)));
      const tapped = keep(await watch.time('blockCaptured', this.sessions.tapB.verify(ids, { ...call, ...everyTap })));
      this.kernels.add('b', plain);
      this.nonFinite.b += plain.nonFinite;
      const [observed] = await this.diff([{ a: logitsOf(plain), b: logitsOf(tapped) }]);
      this.capture.b += observed?.differingBytes ?? 0;
      for (const [row, id] of ids.entries()) await this.position(id, row, plain, tapped);
    } finally {
      for (const step of open) step.close();
    }
  }

  /** One token of the chain against its row of the block. */
  private async position(id: number, row: number, plain: Step, tapped: Step): Promise<void> {
    throwIfCancelled(this.context.call.signal);
    const { watch, call } = this.context;
    const open: Step[] = [];
    const decode = async (phase: string, session: Session, options: object = {}): Promise<Step> => {
      const step = await watch.time(phase, session.decode([id], { ...call, ...options }));
      open.push(step);
      return step;
    };
    try {
      const a = await decode('chain', this.sessions.plainA);
      const captured = await decode('chainCaptured', this.sessions.tapA, everyTap);
      const again = await decode('repeat', this.sessions.repeatA, everyTap);
      const other = this.sessions.other === null ? null : await decode('otherOrder', this.sessions.other);
      await this.comparePosition(row, { a, plain, captured, again, other, tapped });
      this.kernels.add('a', a);
      this.nonFinite.a += a.nonFinite;
      this.threads = a.threads;
      this.isa = a.isa;
    } finally {
      for (const step of open) step.close();
    }
    this.done += 1;
    await this.context.onPosition(this.done, () => this.compared([]));
  }

  /** Logits and taps of one position, all pairs in one job: a job costs more than most pairs. */
  private async comparePosition(row: number, steps: PositionSteps): Promise<void> {
    const logits = logitPairs(row, steps);
    const arms = armPairs(row, steps.captured, steps.tapped);
    const repeats = steps.captured.taps.flatMap(({ tensor }, i): DiffPair[] => {
      const other = steps.again.taps[i];
      return other === undefined ? [] : [{ a: tensor, b: other.tensor }];
    });
    const found = await this.diff([...logits, ...arms, ...repeats], caps.tileElements);
    this.addLogits(row, steps, found.splice(0, logits.length));
    this.taps.addPosition(steps.captured.taps, found.splice(0, arms.length));
    for (const { differingBytes } of found) this.repeat += differingBytes;
  }

  private addLogits(row: number, { a, plain }: PositionSteps, [arms, observed, repeated, other]: readonly TensorDiff[]): void {
    if (arms === undefined) throw new Error('the engine gave no diff of the logits');
    this.logitCount += arms.elements;
    this.logits.addPosition(arms, a.top[0] ?? [], plain.top[row] ?? []);
    this.capture.a += observed?.differingBytes ?? 0;
    this.repeat += repeated?.differingBytes ?? 0;
    if (other !== undefined) this.floor = larger(this.floor, round(other.maxAbs));
  }

  /** What the blocks left in the sessions. */
  private async endState(): Promise<BisectRun['state']> {
    const { engine, call, watch, model } = this.context;
    const { plainA, plainB, tapA, repeatA } = this.sessions;
    const state = await watch.time('state', compareStates(engine, model.info, plainA, plainB, call));
    this.repeat += differingStateBytes(await watch.time('state', compareStates(engine, model.info, tapA, repeatA, call)));
    return state;
  }

  /** The run over the tokens that are done. `state`: none before the last of them. */
  private compared(state: BisectRun['state']): Compared {
    const { model } = this.context;
    const { label, width, source, draw, promptIds, blockIds } = this.what;
    const planned = this.done < blockIds.length ? { planned: blockIds.length } : {};
    const parts = {
      label,
      width,
      source,
      draw,
      promptIds: [...promptIds],
      blockIds: blockIds.slice(0, this.done),
      ...this.taps.parts((layer, op) => this.kernels.of(layer, op)),
      state,
      logits: this.logits.rows(),
      kernels: this.kernels.pairs(model.info.taps),
      captureDifferingBytes: { ...this.capture },
      noise: { repeatDifferingBytes: this.repeat, floor: this.floor, orders: this.orders },
      nonFinite: { ...this.nonFinite },
      ...planned,
    };
    return {
      run: { ...parts, verdict: decideRun(parts, this.logitCount) },
      kernelsA: this.kernels.names('a'),
      kernelsB: this.kernels.names('b'),
      threads: this.threads,
      isa: this.isa,
      tensorsCompared: this.taps.compared,
      missingTaps: this.taps.missing(),
    };
  }
}

/** Runs one comparison. Closes every session and step that it opens, also when it is cancelled. */
export async function compareBlockAgainstChain(context: Context, bases: Bases, what: Comparison): Promise<Compared> {
  const open: Session[] = [];
  const fork = async (session: Session): Promise<Session> => {
    const copy = await session.fork(context.call);
    open.push(copy);
    return copy;
  };
  const { base } = bases;
  try {
    const sessions: Sessions = {
      plainA: await fork(base),
      plainB: await fork(base),
      tapA: await fork(base),
      tapB: await fork(base),
      repeatA: await fork(base),
      other: bases.other === null ? null : await fork(bases.other),
    };
    return await new Comparer(context, what, sessions, bases.orders).compare();
  } finally {
    for (const session of open) session.close();
  }
}

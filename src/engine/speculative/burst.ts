// A burst: one request (or a batch of them) from prefill to last token under speculation. Knows only sessions and drafters.
import { greatest } from '../../shared/extremes';
import { throwIfCancelled } from '../problem';
import type { Call, Rewound, Session, Step } from '../types';
import { greedyRule, type AcceptRule } from './acceptRule';
import { ended, type End } from './classic';
import type { Samplers } from './drafts';
import type { Observer } from './observer';
import { runPrefill, type PrefillPlan } from './prefill';
import { verifyRound, type Seat, type Settled } from './round';
import { distribution, draw } from './sampling';
import { readRows } from '../floats';

export interface BurstOptions {
  /** Rows of a verify block, at least 2. */
  readonly width: number;
  /** Ids to emit, the first bonus included. */
  readonly tokens: number;
  /** Ends a row; empty to go on to the budget. */
  readonly eos: ReadonlySet<number>;
  /** Positions that the model has. */
  readonly context: number;
  readonly prefill: PrefillPlan;
  /** Of every batch row; left out: all greedy. */
  readonly samplers?: Samplers;
  readonly rule?: AcceptRule;
  readonly call: Call;
  /** After every round, before the next begins. */
  readonly onRound?: (round: BurstRound) => Promise<void>;
}

/** One batch row of a round. A row that has ended keeps one row of junk, whose output is dropped. */
export interface RoundRow {
  readonly live: boolean;
  readonly bonus: number;
  readonly drafts: readonly number[];
  /** The target's greedy choice after each row of the block. */
  readonly targets: readonly number[];
  readonly accepted: number;
  /** What was emitted: accepted drafts and the next bonus, cut at the budget and after the end of text. */
  readonly emitted: readonly number[];
}

export interface BurstRound {
  readonly index: number;
  readonly width: number;
  readonly rows: readonly RoundRow[];
  /** Null when every row of the block was kept. */
  readonly rewound: Rewound | null;
  /** Milliseconds, measured around the work itself. */
  readonly ms: { readonly draft: number; readonly verify: number; readonly accept: number; readonly rewind: number };
}

export interface BurstRow {
  readonly prompt: readonly number[];
  /** First bonus first. */
  readonly ids: number[];
  end: End | null;
}

export interface Burst {
  readonly rows: readonly BurstRow[];
  readonly rounds: readonly BurstRound[];
  readonly ms: { readonly prefill: number };
  readonly kernels: ReadonlySet<string>;
}

const nothing: Settled = { drafts: [], targets: [], accepted: 0, agreed: 0, next: 0 };

const since = (start: number): number => performance.now() - start;

class Loop {
  private readonly rounds: BurstRound[] = [];
  private readonly kernels = new Set<string>();
  private readonly rule: AcceptRule;
  private samplers: Samplers = [];
  private rows: BurstRow[] = [];

  constructor(
    private readonly session: Session,
    private readonly observer: Observer,
    private readonly tokenByToken: boolean,
    private readonly options: BurstOptions,
  ) {
    this.rule = options.rule ?? greedyRule;
  }

  async run(prompts: readonly (readonly number[])[]): Promise<Burst> {
    const started = performance.now();
    await this.prefill(prompts);
    const prefill = since(started);
    for (let width = this.nextWidth(); width > 0; width = this.nextWidth()) {
      throwIfCancelled(this.options.call.signal);
      const round = await this.round(width);
      this.rounds.push(round);
      await this.options.onRound?.(round);
    }
    for (const row of this.rows) row.end ??= 'context';
    return { rows: this.rows, rounds: this.rounds, ms: { prefill }, kernels: this.kernels };
  }

  /** 0: no row goes on, or none can. The block shrinks at the budget, so that at most one token is cut; 1, a block without a draft, where the context has one position left. */
  private nextWidth(): number {
    const { width, tokens, context } = this.options;
    const left = this.rows.map(({ ids, end }) => (end === null ? tokens - ids.length + 1 : 0));
    return Math.min(width, greatest([0, ...left]), context - greatest(this.session.position));
  }

  private async prefill(prompts: readonly (readonly number[])[]): Promise<void> {
    const { prefill, call, tokens, eos, samplers = prompts.map(() => null) } = this.options;
    this.samplers = samplers;
    // The token after the last row of a piece is the first of the next piece; after the last piece it is the bonus, known only then.
    const step = await runPrefill(this.session, prompts, prefill, { ...call, taps: this.observer.taps }, async (piece, from, length, last) => {
      for (const { kernel } of piece.kernels) this.kernels.add(kernel);
      const first = last ? await this.firstBonus(piece, samplers) : [];
      if (last) this.rows = prompts.map((prompt, row) => ({ prompt, ids: [first[row] ?? 0], end: ended([first[row] ?? 0], tokens, eos) }));
      const next = prompts.map((prompt, row) => [...prompt.slice(from + 1, from + length), last ? (first[row] ?? 0) : (prompt[from + length] ?? 0)]);
      await this.observer.observe(piece, length, prompts.map(() => length), next, call);
    });
    step.close();
  }

  private async firstBonus({ logits, top }: Step, samplers: Samplers): Promise<number[]> {
    const rows = samplers.every((sampler) => sampler === null) || logits === null ? [] : await readRows(logits);
    return samplers.map((sampler, row) => {
      const own = rows[row];
      return sampler === null || own === undefined ? (top[row]?.[0]?.id ?? 0) : draw(distribution(own, sampler.options), sampler.uniform());
    });
  }

  private async round(width: number): Promise<BurstRound> {
    const { session, observer, tokenByToken, rule, samplers } = this;
    const seats = this.rows.map(({ ids, end }, row): Seat => ({ live: end === null, bonus: ids.at(-1) ?? 0, sampler: samplers[row] ?? null }));
    const { rows, rewound, ms } = await verifyRound({ session, observer, tokenByToken, rule, call: this.options.call }, seats, width, 1, ({ kernels }) => {
      for (const { kernel } of kernels) this.kernels.add(kernel);
      return Promise.resolve();
    });
    return { index: this.rounds.length, width, rows: this.rows.map((row, r) => this.emit(row, seats[r]?.bonus ?? 0, rows[r] ?? nothing)), rewound, ms };
  }

  private emit(row: BurstRow, bonus: number, { drafts, targets, accepted, next }: Settled): RoundRow {
    if (row.end !== null) return { live: false, bonus, drafts, targets, accepted: 0, emitted: [] };
    const { tokens, eos } = this.options;
    const emitted: number[] = [];
    for (const id of [...drafts.slice(0, accepted), next]) {
      emitted.push(id);
      row.ids.push(id);
      row.end = ended(row.ids, tokens, eos);
      if (row.end !== null) break;
    }
    return { live: true, bonus, drafts, targets, accepted, emitted };
  }
}

/**
 * Runs a burst over prompts of one length. `tokenByToken`: the drafter can go on from given tokens (MTP).
 * Errors are those of session and drafter; a cancel is checked once a round.
 */
export function runBurst(session: Session, observer: Observer, tokenByToken: boolean, prompts: readonly (readonly number[])[], options: BurstOptions): Promise<Burst> {
  return new Loop(session, observer, tokenByToken, options).run(prompts);
}

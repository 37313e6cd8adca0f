// A burst: one request (or a batch of them) from prefill to last token under speculation. Knows only sessions and drafters.
//
// State between rounds: the target holds every committed token but the bonus; the drafter has seen the features of all of them.
// A round: draft width - 1 ids after the bonus, verify [bonus, ...drafts], accept a prefix, emit it and the next bonus, keep accepted + 1 rows, rewind the others.
import { throwIfCancelled } from '../problem';
import type { Call, Rewound, Session, Step } from '../types';
import { greedyRule, type AcceptRule } from './acceptRule';
import { ended, type End } from './classic';
import { drawFor, draftsOf, type Drafted, type Sampler } from './drafts';
import type { Observer } from './observer';
import { runPrefill, type PrefillPlan } from './prefill';
import { distribution, rejection } from './sampling';
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
  /** Null: greedy. */
  readonly sampler: Sampler | null;
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

/** What became of the drafts of one batch row. */
interface Settled {
  readonly accepted: number;
  /** The next bonus. */
  readonly bonus: number;
  readonly targets: readonly number[];
}

const since = (start: number): number => performance.now() - start;

class Loop {
  private readonly rounds: BurstRound[] = [];
  private readonly kernels = new Set<string>();
  private readonly rule: AcceptRule;
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
    return Math.min(width, Math.max(0, ...left), context - Math.max(...this.session.position));
  }

  private async prefill(prompts: readonly (readonly number[])[]): Promise<void> {
    const { prefill, call, tokens, eos, sampler } = this.options;
    // The token after the last row of a piece is the first of the next piece; after the last piece it is the bonus, known only then.
    const step = await runPrefill(this.session, prompts, prefill, { ...call, taps: this.observer.taps }, async (piece, from, length, last) => {
      for (const { kernel } of piece.kernels) this.kernels.add(kernel);
      const first = last ? await this.firstBonus(piece, prompts.length, sampler) : [];
      if (last) this.rows = prompts.map((prompt, row) => ({ prompt, ids: [first[row] ?? 0], end: ended([first[row] ?? 0], tokens, eos) }));
      const next = prompts.map((prompt, row) => [...prompt.slice(from + 1, from + length), last ? (first[row] ?? 0) : (prompt[from + length] ?? 0)]);
      await this.observer.observe(piece, length, prompts.map(() => length), next, call);
    });
    step.close();
  }

  private async firstBonus({ logits, top }: Step, batch: number, sampler: Sampler | null): Promise<number[]> {
    if (sampler === null) return Array.from({ length: batch }, (_, row) => top[row]?.[0]?.id ?? 0);
    if (logits === null) throw new Error('the engine gave no logits');
    return (await readRows(logits)).map((row, r) => drawFor(sampler, r, distribution(row, sampler.options)));
  }

  private async round(width: number): Promise<BurstRound> {
    const { call, sampler } = this.options;
    const draftStart = performance.now();
    const drafted = await draftsOf(this.observer.session, width, sampler, this.tokenByToken, call);
    const draft = since(draftStart);
    const bonuses = this.rows.map(({ ids }) => ids.at(-1) ?? 0);
    const blocks = bonuses.map((bonus, row) => [bonus, ...(drafted.ids[row] ?? [])]);
    const verifyStart = performance.now();
    const step = await this.session.verify(blocks, { ...call, taps: this.observer.taps, top: 1 });
    const verify = since(verifyStart);
    try {
      for (const { kernel } of step.kernels) this.kernels.add(kernel);
      return await this.settle(step, width, bonuses, drafted, { draft, verify });
    } finally {
      step.close();
    }
  }

  /** Accept, emit, tell the drafter, rewind. */
  private async settle(step: Step, width: number, bonuses: readonly number[], drafted: Drafted, { draft, verify }: { draft: number; verify: number }): Promise<BurstRound> {
    const { call } = this.options;
    const acceptStart = performance.now();
    const accepted = await this.accept(step, width, drafted);
    const rows = this.rows.map((row, r): RoundRow => this.emit(row, bonuses[r] ?? 0, drafted.ids[r] ?? [], accepted[r] ?? { accepted: 0, bonus: 0, targets: [] }));
    const kept = rows.map((row) => (row.live ? row.accepted + 1 : 1));
    // A row that has ended tells the drafter nothing: its position there stays where its text ended.
    const seen = rows.map((row, r) => (row.live ? (kept[r] ?? 0) : 0));
    const next = rows.map((row, r) => (row.live ? [...row.drafts.slice(0, row.accepted), accepted[r]?.bonus ?? 0] : []));
    await this.observer.observe(step, width, seen, next, call);
    const accept = since(acceptStart);
    const rewindStart = performance.now();
    const rewound = kept.every((count) => count === width) ? null : await this.session.rewind(kept, call);
    return { index: this.rounds.length, width, rows, rewound, ms: { draft, verify, accept, rewind: since(rewindStart) } };
  }

  private async accept(step: Step, width: number, { ids, q }: Drafted): Promise<Settled[]> {
    const targets = this.rows.map((_, r) => step.top.slice(r * width, (r + 1) * width).map(([best]) => best?.id ?? 0));
    const { sampler } = this.options;
    if (sampler === null || q === null) {
      return targets.map((own, r) => {
        const accepted = this.rule.accepted(ids[r] ?? [], own);
        return { accepted, bonus: this.rule.bonus(own, accepted), targets: own };
      });
    }
    if (step.logits === null) throw new Error('the engine gave no logits');
    const logits = await readRows(step.logits);
    return targets.map((own, r) => {
      const p = logits.slice(r * width, (r + 1) * width).map((row) => distribution(row, sampler.options));
      const uniform = sampler.uniforms[r];
      if (uniform === undefined) throw new Error(`batch row ${r} has no random numbers`);
      return { ...rejection(ids[r] ?? [], p, q[r] ?? [], uniform), targets: own };
    });
  }

  private emit(row: BurstRow, bonus: number, drafts: readonly number[], { accepted, bonus: next, targets }: Settled): RoundRow {
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

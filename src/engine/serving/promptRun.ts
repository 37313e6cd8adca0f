// The prompt of one request, piece by piece, from the longest prefix that an earlier request left.
import { least } from '../../shared/extremes';
import { readRows } from '../floats';
import { draftSwitches } from '../speculative/draftSwitches';
import { Observer } from '../speculative/observer';
import type { Call, Candidate, DraftSession, Model, Session, Step, Switches } from '../types';
import { candidatesFor, choose, logitsFor, type Chosen } from './chosen';
import { forked, type Ready, type Speculating } from './group';
import type { PrefixCache } from './prefixCache';
import type { Piece } from './request';
import type { Served } from './served';
import type { Texts } from './texts';

export interface PromptSetting {
  readonly model: Model;
  readonly texts: Texts;
  readonly switches: Switches;
  readonly cache: PrefixCache;
  /** Tokens of a forward: others wait no longer than one takes. Pieces end at multiples of it, where later prompts can begin. */
  readonly pieceTokens: number;
}

export class PromptRun {
  private at = 0;

  private constructor(
    private readonly its: PromptSetting,
    readonly served: Served,
    private readonly speculating: Speculating | null,
    private readonly session: Session,
    private readonly draft: DraftSession | null,
  ) {}

  /** Takes a cached prefix if there is one; a request that repeats a whole prompt is done at once, and gives true. */
  static async start(its: PromptSetting, served: Served, speculating: Speculating | null, call: Call): Promise<{ run: PromptRun; whole: boolean }> {
    const { prompt, cache, promptLogprobs } = served.request;
    const entry = cache && !promptLogprobs ? its.cache.find(prompt, { draft: speculating !== null, greedy: served.sampler === null }) : null;
    if (entry === null) {
      const session = await its.model.open(its.switches, call);
      const draft = await draftFor(speculating, its.switches, call).catch((error: unknown) => {
        session.close();
        throw error;
      });
      return { run: new PromptRun(its, served, speculating, session, draft), whole: false };
    }
    const seen = speculating === null ? null : (entry.seen?.draft ?? null);
    const [session, draft] = await forked(entry.session, seen, call);
    const run = new PromptRun(its, served, speculating, session, draft);
    run.at = entry.ids.length;
    served.cachedTokens = run.at;
    served.partition = entry.partition;
    if (run.at < prompt.length || entry.last === null) return { run, whole: false };
    await run.begin(entry.last.top, entry.last.logits);
    return { run, whole: true };
  }

  /** One forward. Gives true when the whole prompt is in, and the first token chosen. */
  async piece(call: Call): Promise<boolean> {
    const { prompt, cache, cuts, promptLogprobs } = this.served.request;
    const { pieceTokens } = this.its;
    const from = this.at;
    const to = least([prompt.length, (Math.floor(from / pieceTokens) + 1) * pieceTokens, ...cuts.filter((cut) => cut > from)]);
    const last = to === prompt.length;
    const taps = this.speculating?.drafter.info.taps ?? [];
    const step = await this.session.prefill([prompt.slice(from, to)], { ...call, taps, top: candidatesFor([this.served]), logits: promptLogprobs ? 'all' : last ? 'last' : 'none' });
    try {
      this.served.partition = withPiece(this.served.partition, to - from);
      const rows = await logitsFor(step, [this.served]);
      if (promptLogprobs) await this.tellPrompt(step, rows, from);
      const top = step.top.at(-1) ?? [];
      const next = last ? await this.begin(top, rows?.at(-1)) : (prompt[to] ?? 0);
      await this.observe(step, [...prompt.slice(from + 1, to), next], call);
      this.at = to;
      if (cache) await this.keep(last ? { top, logits: rows?.at(-1) ?? (await lastLogits(step)) } : null, next, call);
      return last;
    } finally {
      step.close();
    }
  }

  ready(): Ready {
    return { served: this.served, session: this.session, draft: this.draft };
  }

  close(): void {
    this.session.close();
    this.draft?.close();
  }

  /** The first token. */
  private async begin(top: readonly Candidate[], logits: Float32Array | undefined): Promise<number> {
    const { served } = this;
    served.at.first = performance.now();
    const id = choose(served, top, logits);
    if (served.request.maxTokens === 0) served.end = { end: 'length', stopped: null };
    else await this.its.texts.emit([{ served, chosen: [{ id, origin: 'prefill', round: -1, top, logits: logits ?? null }] }]);
    return id;
  }

  private async observe(step: Step, next: readonly number[], call: Call): Promise<void> {
    if (this.draft === null || this.speculating === null) return;
    await new Observer(this.draft, this.speculating.drafter.info).observe(step, next.length, [next.length], [next], call);
  }

  /** Row i has the probabilities of token i + 1; nothing foretells the first. */
  private async tellPrompt({ top }: Step, rows: readonly Float32Array[] | null, from: number): Promise<void> {
    const { request, listener } = this.served;
    const { texts } = this.its;
    const following = request.prompt.slice(from + 1, from + 1 + top.length);
    const chosen = following.map((id, i): Chosen => ({ id, origin: 'prompt', round: -1, top: top[i] ?? [], logits: rows?.[i] ?? null }));
    const first = from === 0 ? await texts.told([{ id: request.prompt[0] ?? 0, origin: 'prompt', round: -1, top: [], logits: null }], null) : [];
    listener.onPrompt([...first, ...(await texts.told(chosen, request.logprobs ?? 0))]);
  }

  private async keep(last: { top: readonly Candidate[]; logits: Float32Array } | null, next: number, call: Call): Promise<void> {
    const copies = await forked(this.session, this.draft, call).catch(() => null);
    // Where there is no memory for it, nothing is cached; the request goes on.
    if (copies === null) return;
    const [session, draft] = copies;
    this.its.cache.add({ ids: this.served.request.prompt.slice(0, this.at), session, seen: draft === null ? null : { draft, next }, partition: this.served.partition, last });
  }
}

const draftFor = async (speculating: Speculating | null, switches: Switches, call: Call): Promise<DraftSession | null> =>
  speculating === null ? null : speculating.drafter.open(draftSwitches(speculating.drafter.info, switches), call);

const withPiece = (partition: readonly Piece[], tokens: number): Piece[] => [...partition, { how: 'prefill', tokens }];

async function lastLogits(step: Step): Promise<Float32Array> {
  const rows = step.logits === null ? [] : await readRows(step.logits);
  return rows.at(-1) ?? new Float32Array();
}

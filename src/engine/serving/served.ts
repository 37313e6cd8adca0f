// A request while it is served: what it has emitted, how it chooses, and when it ends.
import type { RowSampler } from '../speculative/drafts';
import type { Settled } from '../speculative/round';
import { uniformOf } from '../speculative/sampling';
import type { Model } from '../types';
import type { Delta, Emitted, GenerateRequest, Outcome, Piece, Speculation } from './request';
import { StopText } from './stopText';
import { TextStream } from './textStream';

export type End = Pick<Outcome, 'end' | 'stopped'>;

export interface Listener {
  readonly onDelta: (delta: Delta) => void;
  /** Tokens of the prompt with their probabilities, where the request asks for them. */
  readonly onPrompt: (tokens: readonly Emitted[]) => void;
  readonly signal: AbortSignal;
}

export class Served {
  readonly ids: number[] = [];
  readonly sampler: RowSampler | null;
  end: End | null = null;
  /** Set when its prompt is taken up. */
  speculation: Speculation = { engaged: false, reason: '', width: 0, rounds: 0, drafted: 0, accepted: 0, acceptedPerRound: [] };
  cachedTokens = 0;
  partition: readonly Piece[] = [];
  together = 1;
  /** Its own capture log, where it asked for one and had rounds. */
  capture: string | null = null;
  readonly at = { asked: performance.now(), taken: 0, first: 0 };
  private readonly text = new TextStream();
  private readonly stop: StopText;

  constructor(
    private readonly model: Pick<Model, 'info'>,
    readonly request: GenerateRequest,
    readonly listener: Listener,
  ) {
    const { sampling } = request;
    this.sampler = sampling === null ? null : { options: sampling, uniform: uniformOf(sampling.seed) };
    this.stop = new StopText(request.stop);
  }

  get signal(): AbortSignal {
    return this.listener.signal;
  }

  /** Ends a request whose client has gone. */
  dropIfGone(): void {
    if (this.signal.aborted) this.cancel();
  }

  cancel(): void {
    this.end ??= { end: 'cancelled', stopped: null };
  }

  /** Ids that have to be decoded for `take`. */
  lists(ids: readonly number[]): number[][] {
    return this.text.lists(ids);
  }

  /** Takes tokens one by one, so that where it ends does not depend on how many came together. Tells those that count. `texts`: of the lists. */
  take(tokens: readonly Emitted[], texts: readonly string[]): void {
    const taken: Emitted[] = [];
    let text = '';
    const all = this.text.read(tokens.map(({ id }) => id), texts);
    for (const [i, token] of tokens.entries()) {
      if (this.end !== null) break;
      this.ids.push(token.id);
      taken.push(token);
      const { text: more, stopped } = this.stop.push(this.text.push(token.id, all[i] ?? ''));
      text += more;
      if (stopped !== null) this.end = { end: 'stop', stopped };
      else if (!this.request.ignoreEos && this.model.info.eos.includes(token.id)) this.end = { end: 'stop', stopped: null };
      else if (this.ids.length >= this.request.maxTokens) this.end = { end: 'length', stopped: null };
    }
    if (this.end !== null && this.end.stopped === null) text += this.rest();
    if (taken.length > 0 || text !== '') this.listener.onDelta({ tokens: taken, text });
  }

  /** What was held back, as far as no stop text is in it. */
  private rest(): string {
    const { text, stopped } = this.stop.push(this.text.end());
    if (stopped !== null) this.end = { end: 'stop', stopped };
    return stopped === null ? text + this.stop.end() : text;
  }

  /** A round of speculation is done. */
  countRound({ drafts, agreed }: Pick<Settled, 'drafts' | 'agreed'>): void {
    const { rounds, drafted, accepted, acceptedPerRound } = this.speculation;
    this.speculation = { ...this.speculation, rounds: rounds + 1, drafted: drafted + drafts.length, accepted: accepted + agreed, acceptedPerRound: [...acceptedPerRound, agreed] };
  }

  /** Of tokens that come next, those before its last one. */
  before(tokens: readonly number[]): number {
    const end = this.request.ignoreEos ? -1 : tokens.findIndex((id) => this.model.info.eos.includes(id));
    return Math.min(end < 0 ? tokens.length : end, Math.max(0, this.request.maxTokens - this.ids.length - 1));
  }

  outcome(): Outcome {
    const now = performance.now();
    const { asked, taken, first } = this.at;
    const { end, stopped } = this.end ?? { end: 'cancelled', stopped: null };
    return {
      end,
      stopped,
      promptTokens: this.request.prompt.length,
      emitted: this.ids.length,
      cachedTokens: this.cachedTokens,
      partition: [...this.partition],
      speculation: this.speculation,
      together: this.together,
      capture: this.capture,
      ms: { queue: (taken || now) - asked, prefill: taken === 0 ? 0 : (first || now) - taken, decode: first === 0 ? 0 : now - first },
    };
  }
}

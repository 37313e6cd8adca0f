// Figures of an answer while it comes, and as the server tells them at its end.
import type { PanelRates } from '../../shared/panelProtocol';
import { sum } from '../../shared/sum';
import type { Piece, Usage } from './completion';

export class Rates {
  private readonly started = performance.now();
  private first: number | null = null;
  private last = 0;
  private tokens = 0;
  private readonly perRound: number[] = [];

  /** `width`: rows of a block, 0 without speculation. */
  constructor(private readonly width: number) {}

  add({ tokens }: Piece): void {
    this.last = performance.now();
    this.first ??= this.last;
    this.tokens += tokens.length;
    for (const { origin, round } of tokens) {
      if (round < 0) continue;
      while (this.perRound.length <= round) this.perRound.push(0);
      this.perRound[round] = (this.perRound[round] ?? 0) + (origin === 'draft' ? 1 : 0);
    }
  }

  /** As far as it was counted. */
  now(): PanelRates {
    const acceptedPerRound = [...this.perRound];
    const rounds = acceptedPerRound.length;
    return {
      promptTokens: 0,
      cachedTokens: 0,
      tokens: this.tokens,
      firstMs: this.first === null ? null : this.first - this.started,
      tokensPerSecond: this.perSecond(),
      rounds,
      drafted: rounds * Math.max(0, this.width - 1),
      accepted: sum(acceptedPerRound),
      acceptedPerRound,
    };
  }

  /** With what the server says, where it does. */
  atEnd(usage: Usage | null): PanelRates {
    const counted = this.now();
    if (usage === null) return counted;
    const [ours] = usage.moire ?? [];
    const told = { ...counted, promptTokens: usage.prompt_tokens, tokens: usage.completion_tokens, cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0 };
    if (ours === undefined) return told;
    const { rounds, drafted, accepted, accepted_per_round: acceptedPerRound = counted.acceptedPerRound } = ours.speculation;
    return { ...told, rounds, drafted, accepted, acceptedPerRound };
  }

  private perSecond(): number | null {
    const span = this.last - (this.first ?? this.last);
    return this.tokens > 1 && span > 0 ? ((this.tokens - 1) * 1000) / span : null;
  }
}

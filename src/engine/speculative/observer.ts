// Feeds a drafter what the target made of committed tokens.
import type { Call, DrafterInfo, DraftSession, Step, Tensor } from '../types';

export class Observer {
  constructor(
    readonly session: DraftSession,
    private readonly info: DrafterInfo,
  ) {}

  get taps(): readonly string[] {
    return this.info.taps;
  }

  /**
   * `kept`: per batch row how many leading rows of the step were committed; `next`: the token after each of them. A step of `width` rows a batch row.
   */
  observe(step: Step, width: number, kept: readonly number[], next: readonly (readonly number[])[], call: Call): Promise<void> {
    const rows = kept.map((count, row): [number, number] => [row * width, row * width + count]);
    return this.session.observe({ features: this.features(step), rows, next }, call);
  }

  /** The taps in the drafter's order. */
  private features({ taps }: Step): Tensor[] {
    return this.info.taps.map((name) => {
      const found = taps.find(({ layer, tap }) => `${layer}.${tap}` === name);
      if (found === undefined) throw new Error(`the target gave no tap ${name}, which the drafter reads`);
      return found.tensor;
    });
  }
}

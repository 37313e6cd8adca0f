// Text of tokens as they come. A character may need several tokens, so a piece is given out when no later token can change it.
import type { Model } from '../types';

/** Stands for bytes that are no whole character yet. */
const unfinished = '\ufffd';

export class TextStream {
  private readonly ids: number[] = [];
  /** Text is decoded from here on, since how a token reads can depend on the one before it. */
  private context = 0;
  /** What stands before was given out. */
  private given = 0;

  constructor(private readonly model: Pick<Model, 'detokenize'>) {}

  /** Text that is certain now. */
  async push(ids: readonly number[]): Promise<string> {
    this.ids.push(...ids);
    const { before, all } = await this.texts();
    if (all.length <= before.length || all.endsWith(unfinished)) return '';
    this.context = this.given;
    this.given = this.ids.length;
    return all.slice(before.length);
  }

  /** What is left when no token follows. */
  async end(): Promise<string> {
    const { before, all } = await this.texts();
    this.given = this.ids.length;
    return all.slice(before.length);
  }

  private async texts(): Promise<{ before: string; all: string }> {
    const text = async (to: number): Promise<string> => (to === this.context ? '' : (await this.model.detokenize(this.ids.slice(this.context, to), { skipSpecial: true })).text);
    return { before: await text(this.given), all: await text(this.ids.length) };
  }
}

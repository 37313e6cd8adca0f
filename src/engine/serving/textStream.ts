// Text of tokens as they come. A character may need several tokens, so a piece is given out when no later token can change it.

/** Stands for bytes that are no whole character yet. */
const unfinished = '\ufffd';
/** Tokens before the text is decoded from a later place on. */
const longest = 16;

/** Knows which lists of ids have to be decoded, and is told their texts: so that one call can decode for many streams. */
export class TextStream {
  private readonly ids: number[] = [];
  /** Text is decoded from here on, since how a token reads can depend on the one before it. */
  private context = 0;
  /** What stands before was given out. */
  private given = 0;
  /** Where `given` stood before. */
  private earlier = 0;
  /** Text from `context` to `given`. */
  private before = '';
  /** Text from `context` on. */
  private all = '';

  /** Of tokens that come next. */
  lists(ids: readonly number[]): number[][] {
    const moved = this.given - this.context > longest;
    const context = moved ? this.earlier : this.context;
    const behind = this.ids.slice(context);
    const each = ids.map((_, i) => [...behind, ...ids.slice(0, i + 1)]);
    return moved ? [this.ids.slice(context, this.given), ...each] : each;
  }

  /** The texts of `lists` have come: those of the tokens, one by one. */
  read(ids: readonly number[], texts: readonly string[]): readonly string[] {
    if (texts.length === ids.length) return texts;
    [this.context, this.before] = [this.earlier, texts[0] ?? ''];
    return texts.slice(1);
  }

  /** One token, with the text of all so far. Gives what is certain now. */
  push(id: number, all: string): string {
    this.ids.push(id);
    this.all = all;
    if (all.length <= this.before.length || all.endsWith(unfinished)) return '';
    const more = all.slice(this.before.length);
    [this.earlier, this.given, this.before] = [this.given, this.ids.length, all];
    return more;
  }

  /** What is left when no token follows. */
  end(): string {
    const rest = this.all.slice(this.before.length);
    this.before = this.all;
    return rest;
  }
}

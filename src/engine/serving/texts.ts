// Texts of tokens for everybody in one call of the engine; that of a single token is asked for once.
import type { Model } from '../types';
import { told, toldIds, type Chosen } from './chosen';
import type { Emitted } from './request';
import type { Served } from './served';

export interface Telling {
  readonly served: Served;
  readonly chosen: readonly Chosen[];
}

export class Texts {
  private readonly pieces = new Map<number, string>();

  constructor(private readonly model: Pick<Model, 'detokenize'>) {}

  /** Every request takes its tokens. */
  async emit(all: readonly Telling[]): Promise<void> {
    const lists = all.map(({ served, chosen }) => served.lists(chosen.map(({ id }) => id)));
    const texts = await this.read(all.flatMap(({ served, chosen }) => toldIds(chosen, served.request.logprobs)), lists.flat());
    let from = 0;
    for (const [i, { served, chosen }] of all.entries()) {
      const to = from + (lists[i]?.length ?? 0);
      served.take(told(chosen, served.request.logprobs, this.piece), texts.slice(from, to));
      from = to;
    }
  }

  /** Tokens with their texts, for nobody's stream. `asked`: candidates to tell, null for none. */
  async told(chosen: readonly Chosen[], asked: number | null): Promise<Emitted[]> {
    await this.read(toldIds(chosen, asked), []);
    return told(chosen, asked, this.piece);
  }

  private readonly piece = (id: number): string => this.pieces.get(id) ?? '';

  private async read(ids: readonly number[], lists: readonly (readonly number[])[]): Promise<string[]> {
    const unknown = [...new Set(ids)].filter((id) => !this.pieces.has(id));
    if (unknown.length + lists.length === 0) return [];
    const { pieces, more } = await this.model.detokenize(unknown, { skipSpecial: true, more: lists });
    for (const [i, id] of unknown.entries()) this.pieces.set(id, pieces[i] ?? '');
    return more;
  }
}

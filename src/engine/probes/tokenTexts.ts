// Texts of the ids that a report names, so that its timeline can be read on a machine without the model.
import type { TokenTexts } from '../../shared/results/parts';
import type { Call, Model } from '../types';

export async function tokenTexts(model: Model, ids: Iterable<number>, { signal }: Call): Promise<TokenTexts> {
  const { tokenizer, vocab } = model.info;
  const known = [...new Set(ids)].filter((id) => id < vocab).sort((a, b) => a - b);
  if (!tokenizer || known.length === 0) return { ids: [], texts: [] };
  const { pieces } = await model.detokenize(known, { signal });
  return { ids: known, texts: pieces };
}

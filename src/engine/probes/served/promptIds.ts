// The tokens of a prompt, from a server that tells them.
import { TokensShape } from '../../attached/shapes';
import { askJson } from '../../attached/http';
import { factLimits } from '../../attached/limits';
import { can } from '../../../shared/serverProfile';
import type { AttachedServer } from './server';

/** As the server reads the text of a completion; null where it does not tell. */
export async function tokenize({ target, profile }: AttachedServer, text: string, signal: AbortSignal | undefined): Promise<number[] | null> {
  if (!can(profile, 'tokenize')) return null;
  const { value } = await askJson(target, { path: '/tokenize', body: { model: profile.model, content: text, prompt: text, add_special: true } }, { limits: factLimits, signal });
  const parsed = TokensShape.safeParse(value);
  return parsed.success ? parsed.data.tokens : null;
}

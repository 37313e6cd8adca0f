// How many tokens a text has: from the server where it can say, else by a rule of thumb.
import { z } from 'zod';
import type { Connection } from './connection';

const Tokens = z.object({ tokens: z.array(z.unknown()) });
const charsPerToken = 4;

export async function countTokens({ url, token, ours }: Connection, text: string): Promise<number> {
  const guess = Math.ceil(text.length / charsPerToken);
  if (!ours) return guess;
  const headers = { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `Bearer ${token}` }) };
  const answer = await fetch(`${url}/tokenize`, { method: 'POST', headers, body: JSON.stringify({ content: text, add_special: false }), redirect: 'error' });
  const counted = Tokens.safeParse(await answer.json());
  return counted.success ? counted.data.tokens.length : guess;
}

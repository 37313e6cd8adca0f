// The bearer token of served runs: made once, kept in VS Code's secret storage, shown to nobody who does not ask.
import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';

const key = 'serve.token';

/** `onMade` hears of a token that is new. */
export async function serveToken(secrets: vscode.SecretStorage, onMade: (token: string) => void): Promise<string> {
  const known = await secrets.get(key);
  if (known !== undefined && /^[\w-]{32,}$/.test(known)) return known;
  const made = randomBytes(24).toString('base64url');
  await secrets.store(key, made);
  onMade(made);
  return made;
}

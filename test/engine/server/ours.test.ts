// What the server tells beyond OpenAI: how tokens came, a request's own capture log, and a prompt that is edited at its end.
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { cli, sample } from '../product';
import { dflashPath, target } from '../speculation/support';
import { raw, startServing } from './support';

const serving = await startServing('--drafter', dflashPath, '--width', '4', '--matmul', 'exact', '--attention', 'exact');
const folder = mkdtempSync(path.join(tmpdir(), 'moire-ours-'));
afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Token {
  readonly text: string;
  readonly origin: string;
  readonly round: number;
  readonly logprob: number | null;
  readonly margin: number | null;
}
interface Answer {
  readonly choices: readonly { readonly text: string; readonly moire: { readonly tokens: readonly Token[] } }[];
  readonly usage: { readonly moire: readonly { readonly speculation: { readonly rounds: number; readonly accepted: number }; readonly cached_tokens: number; readonly partition: readonly { readonly tokens: number }[]; readonly capture?: string }[] };
}

async function ask(more: object): Promise<Answer> {
  const body = { model: 'target-4bit', prompt: 'export function add(a: number, b: number)', temperature: 0, max_tokens: 24, ignore_eos: true, ...more };
  return JSON.parse((await raw(serving, 'POST', '/v1/completions', JSON.stringify(body))).body) as Answer;
}

describe('return_tokens', () => {
  it('tells of every token how it came: one after the prompt, then rounds that end with the target\'s own', async () => {
    const { choices, usage } = await ask({ return_tokens: true, logprobs: 0 });
    const { text, moire } = choices[0]!;
    const { rounds, accepted } = usage.moire[0]!.speculation;
    expect(moire.tokens.map((token) => token.text).join('')).toBe(text);
    expect(moire.tokens[0]).toMatchObject({ origin: 'prefill', round: -1 });
    const of = (origin: string): number => moire.tokens.filter((token) => token.origin === origin).length;
    // The last round may be cut by max_tokens.
    expect(of('draft')).toBeLessThanOrEqual(accepted);
    expect(of('draft') + of('bonus')).toBe(23);
    expect(Math.max(...moire.tokens.map(({ round }) => round))).toBe(rounds - 1);
    expect(moire.tokens.every(({ logprob, margin }) => logprob !== null && logprob <= 0 && margin !== null && margin >= 0)).toBe(true);
  });

  it('tells it piece by piece in a stream, in chats as well', async () => {
    const body = JSON.stringify({ model: 'target-4bit', prompt: 'const a', temperature: 0, max_tokens: 8, ignore_eos: true, stream: true, return_tokens: true });
    const events = (await raw(serving, 'POST', '/v1/completions', body)).body.split('\n\n').filter((line) => line.startsWith('data: {'));
    const tokens = events.flatMap((line) => (JSON.parse(line.slice(6)) as Answer).choices.flatMap((choice) => (choice as Partial<Answer['choices'][0]>).moire?.tokens ?? []));
    expect(tokens).toHaveLength(8);
    expect((await ask({})).choices[0]).not.toHaveProperty('moire');
  });
});

describe('return_capture', () => {
  it('gives a log of this request alone that its reader takes for what it is', async () => {
    const [{ usage }] = await Promise.all([ask({ return_capture: true }), ask({ prompt: 'another', return_capture: false })]);
    const { capture, speculation } = usage.moire[0]!;
    const file = path.join(folder, 'one.moire-capture.jsonl');
    writeFileSync(file, capture!);
    const read = await importCapture(file);
    expect(read).toMatchObject({ engine: 'moire', grade: 'A' });
    expect(read.requests.map(({ roundCount, acceptedSum }) => [roundCount, acceptedSum])).toEqual([[speculation.rounds, speculation.accepted]]);
  });

  it('replays to equal where the budget cut the last round by more than one token', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => ask({ return_capture: true, max_tokens: 20 + i })));
    const cuts = answers.map(({ usage }, i) => ({ capture: usage.moire[0]!.capture!, cut: usage.moire[0]!.speculation.rounds + usage.moire[0]!.speculation.accepted - (19 + i) }));
    const cut = cuts.find((one) => one.cut > 1);
    expect(cut).toBeDefined();
    const file = path.join(folder, 'cut.moire-capture.jsonl');
    writeFileSync(file, cut!.capture);
    const replay = await cli('replay', sample, '--log', file, '--fill', 'wrong', '--json', '--matmul', 'exact', '--attention', 'exact');
    expect([replay.stderr, (JSON.parse(replay.stdout) as { verdict: { word: string } }).verdict.word]).toEqual(['', 'equal']);
  });

  it('gives none for single steps', async () => {
    expect((await ask({ return_capture: true, speculation: 'off' })).usage.moire[0]).not.toHaveProperty('capture');
  });
});

describe('cache: edited', () => {
  const before = Array.from({ length: 12 }, (_, i) => `const value${i} = compute(${i});\n`).join('');
  const edits = ['ret', 'retu', 'return', 'return value'];

  it('prefills only the tokens behind the last cut when the end is edited, and answers as without a cache', async () => {
    const answers = [];
    for (const edit of edits) answers.push(await ask({ prompt: before + edit, cache: 'edited', max_tokens: 6, speculation: 'off' }));
    const lengths = await Promise.all(edits.map(async (edit) => (await target.tokenize(before + edit)).length));
    for (const [i, { usage }] of answers.entries()) {
      const prefilled = lengths[i]! - usage.moire[0]!.cached_tokens;
      if (i > 0) expect(prefilled).toBeLessThanOrEqual(36);
    }
    for (const [i, edit] of edits.entries()) expect((await ask({ prompt: before + edit, cache: 'off', max_tokens: 6, speculation: 'off' })).choices[0]!.text).toBe(answers[i]!.choices[0]!.text);
  });

  it('holds in fill-in-the-middle for the text before the gap', async () => {
    const fill = (edit: string): Promise<Answer> => ask({ prompt: before + edit, suffix: '\n}\n', cache: 'edited', max_tokens: 4, speculation: 'off' });
    await fill('if (');
    const { usage } = await fill('if (value');
    expect(usage.moire[0]!.cached_tokens).toBeGreaterThanOrEqual(96);
  });
});

// What a workspace keeps of runs may have been written by another version, or by somebody else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { PanelRun } from '../../../src/shared/panelProtocol';
import { captureName, History } from '../../../src/extension/serving/history';

const folder = mkdtempSync(path.join(tmpdir(), 'moire-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

const rates = { promptTokens: 1, cachedTokens: 0, tokens: 2, firstMs: 1, tokensPerSecond: 3, rounds: 0, drafted: 0, accepted: 0, acceptedPerRound: [] };
const run = (id: string): PanelRun => ({ id, state: 'done', startedAt: 1, model: 'm', drafter: '', prompt: 'p', chat: false, text: 't', tokens: [], rates, declined: '', end: 'length', captured: false });
const opened = (stored: unknown): History => new History({ get: () => stored as never, update: () => Promise.resolve() }, folder);

it.each([null, 7, 'text', {}, { length: 3 }])('begins anew where %j stands', (stored) => {
  expect(opened(stored).entries).toEqual([]);
});

it('drops what is no run and keeps the others', () => {
  const wrong = [null, 'run', { ...run('a'), id: '../../up' }, { ...run('b'), startedAt: 1e300 }, { ...run('c'), startedAt: -1 }, { ...run('d'), rates: {} }, { ...run('e'), tokens: 'many' }];
  const history = opened([...wrong, run('whole')]);
  expect(history.entries.map(({ id }) => id)).toEqual(['whole']);
});

it('names a capture of every run that it keeps', () => {
  const last = opened([{ ...run('late'), startedAt: 8.64e15, model: '../../etc/passwd' }]).latest!;
  expect(captureName(last)).not.toMatch(/[/\\]/);
});

it('reads no more runs than it keeps', () => {
  const history = opened(Array.from({ length: 200_000 }, (_, i) => run(`r${i}`)));
  expect(history.entries).toHaveLength(50);
});

// Runs of the panel over a really served model: which one is shown, what is told of it, and what is kept.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Memento } from 'vscode';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PanelEntry, PanelOptions, PanelRates, PanelRun, PanelServer, ToPanel } from '../../../src/shared/panelProtocol';
import type { Connection } from '../../../src/extension/serving/connection';
import { History } from '../../../src/extension/serving/history';
import { Runs } from '../../../src/extension/serving/runs';
import { reduce, startOf } from '../../../src/webview/panel/store';
import { startServing, type Serving } from '../../engine/server/support';

let serving: Serving;
let folder: string;
beforeAll(async () => {
  serving = await startServing();
  folder = mkdtempSync(path.join(tmpdir(), 'moire-runs-'));
});
afterAll(async () => {
  await serving.stop();
  rmSync(folder, { recursive: true });
});

const options: PanelOptions = { maxTokens: 8, temperature: 0, chat: false, speculation: false, cache: true };
const long: PanelOptions = { ...options, maxTokens: 2000 };
const status: PanelServer = { state: 'ready', kind: 'started', model: 'target-4bit', url: '', drafter: '', speculating: false, speculation: '', problem: '' };

function memento(): Pick<Memento, 'get' | 'update'> {
  const kept = new Map<string, unknown>();
  return { get: (key: string) => kept.get(key) as never, update: (key, value) => Promise.resolve(void kept.set(key, structuredClone(value))) };
}

/** Runs, with all that a panel was told of them. */
function begin(): { runs: Runs; told: ToPanel[]; rates: PanelRates[]; shown: () => PanelRun | null; entries: () => readonly PanelEntry[]; tokens: (least: number) => Promise<void> } {
  const { url, token } = serving;
  const connection: Connection = { kind: 'started', url, token, model: 'target-4bit', path: '', drafter: '', width: 0, context: 2048, completions: true, chat: false, fillInMiddle: false, ours: true };
  const [told, rates]: [ToPanel[], PanelRates[]] = [[], []];
  const runs = new Runs({ connection, status }, new History(memento(), folder), (message) => told.push(structuredClone(message)), (one) => rates.push(one), (problem) => { throw problem; });
  // The page's own state: what a user sees of what was told.
  const state = (): ReturnType<typeof startOf> => told.reduce((now, message) => reduce(now, { type: 'told', message }), startOf(null));
  const tokens = (least: number): Promise<void> => expect.poll(() => runs.entries[0]?.tokens ?? 0, { timeout: 20_000 }).toBeGreaterThan(least);
  return { runs, told, rates, shown: () => state().run, entries: () => state().history, tokens };
}

describe('a run that goes on', () => {
  it('stays in the history, can be left for an older one and come back to, and does not take its place when it ends', async () => {
    const { runs, shown, entries, tokens } = begin();
    const first = await runs.complete('const a = ', options);
    const ended = runs.complete('function b(', long);
    await tokens(3);
    expect(entries().map(({ state }) => state)).toEqual(['running', 'done']);
    runs.show(first.id);
    expect(shown()?.id).toBe(first.id);
    await tokens(runs.entries[0]!.tokens);
    expect(shown()).toEqual(first);
    const { id } = runs.entries[0]!;
    runs.show(id);
    expect([shown()?.id, shown()?.state]).toEqual([id, 'running']);
    runs.show(first.id);
    runs.stop(id);
    expect((await ended).state).toBe('stopped');
    expect(shown()).toEqual(first);
    expect(entries().map(({ state }) => state)).toEqual(['stopped', 'done']);
  });

  it('is told whole to a page that asks in the midst of it: no token is missing and none comes twice', async () => {
    const { runs, shown, tokens } = begin();
    const ended = runs.complete('function b(', { ...options, maxTokens: 200 });
    for (let least = 3; least < 120; least += 13) {
      await tokens(least);
      runs.tellShown();
    }
    const before = shown();
    const run = await ended;
    expect(run.text.startsWith(before?.text ?? '-')).toBe(true);
    expect(run.tokens.slice(0, before?.tokens.length)).toEqual(before?.tokens);
    expect(shown()).toEqual(run);
  });

  it('is not removed with the others', async () => {
    const { runs, entries, shown, tokens } = begin();
    const first = await runs.complete('const a = ', options);
    const ended = runs.complete('function b(', long);
    await tokens(3);
    runs.show(first.id);
    await runs.clear();
    expect(entries().map(({ state }) => state)).toEqual(['running']);
    expect(shown()?.state).toBe('running');
    runs.stop();
    await ended;
    expect(entries().map(({ state }) => state)).toEqual(['stopped']);
  });
});

it('shows the newest run in place of one that is removed, and none when there is none', async () => {
  const { runs, shown } = begin();
  const [first, second] = [await runs.complete('const a = ', options), await runs.complete('function b(', options)];
  await runs.remove(second.id);
  expect(shown()).toEqual(first);
  await runs.remove(first.id);
  expect(shown()).toBe(null);
});

it('tells the figures of the end, as the panel shows them, to the status bar', async () => {
  const { runs, rates } = begin();
  const run = await runs.complete('const a = ', options);
  expect(run.rates.promptTokens).toBeGreaterThan(0);
  expect(rates.at(-1)).toEqual(run.rates);
});

it('keeps rounds in files that tell model and time, inside its folder whatever a model is called, until the run is removed', async () => {
  const { runs } = begin();
  const run = { ...(await runs.complete('const a = ', options)), startedAt: new Date(2026, 0, 31, 15, 45).getTime() };
  const own = mkdtempSync(path.join(folder, 'own-'));
  const history = new History(memento(), own);
  await history.add({ ...run, id: '0123456789', model: '../../org/model 7b' }, 'rounds\n');
  await history.add({ ...run, id: 'abcdefghij', model: '../../org/model 7b' }, 'others\n');
  expect(readdirSync(own).sort()).toEqual(['..-..-org-model-7b-20260131-154500-01234567.moire-capture.jsonl', '..-..-org-model-7b-20260131-154500-abcdefgh.moire-capture.jsonl']);
  expect(readFileSync(history.captureFile(history.find('0123456789')!), 'utf8')).toBe('rounds\n');
  await history.remove('0123456789');
  expect(readdirSync(own)).toHaveLength(1);
});

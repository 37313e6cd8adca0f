// The accept log view over logs that are really read: right figures, hostile text as text, keys, long lists, themes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapturedRequest } from '../../src/shared/capture';
import { importCapture } from '../../src/engine/acceptLogs/importCapture';
import { formatCount } from '../../src/shared/format';
import type { FromLogView } from '../../src/shared/logViewProtocol';
import { openLog, startLogHarness, type LogHarness, type LogPage } from './logPage';
import { settled } from './page';
import { hostile } from './poison';
import type { ThemeName } from './themes';

const root = path.join(import.meta.dirname, '../..');
const served = path.join(root, 'samples/served/rounds.moire-capture.jsonl');
const fixture = (name: string): string => path.join(root, 'test/fixtures/accept-logs', name);

let harness: LogHarness;
let folder: string;
beforeAll(async () => {
  harness = await startLogHarness();
  folder = mkdtempSync(path.join(tmpdir(), 'moire-log-view-'));
});
afterAll(async () => {
  await harness.stop();
  rmSync(folder, { recursive: true });
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** Rounds that hold, of width 4: one list of accepted counts a request. */
function transcript(requests: readonly (readonly number[])[]): string {
  return requests.map((accepted) => accepted.map((count, round) => roundText(accepted, count, round)).join('\n')).join('\n');
}

function roundText(accepted: readonly number[], count: number, round: number): string {
  const targets = [0, 1, 2, 3].map((i) => 1000 + 4 * round + i);
  const drafts = targets.slice(0, 3).map((id, i) => (i < count ? id : id + 500_000));
  const before = accepted[round - 1] ?? 0;
  const bonus = round === 0 ? 517 : 1000 + 4 * (round - 1) + before;
  return `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=${round} bs=4 bonus=${bonus} draft_tokens=[${drafts.join(', ')}] target_tokens=[${targets.join(', ')}] accepted=${count} new_tokens=[${targets.slice(0, count + 1).join(', ')}]`;
}

const texts = (view: LogPage, selector: string): Promise<string[]> => view.page.locator(selector).allInnerTexts();

/** Figures as the page shows them, by name. */
async function figures(view: LogPage): Promise<Record<string, string>> {
  await view.page.locator('.figures').waitFor();
  const [names, values] = [await texts(view, '.figures dt'), await texts(view, '.figures dd')];
  return Object.fromEntries(names.map((name, i) => [name, values[i]!]));
}

const number = (value: number | null): string => (value === null ? '–' : formatCount(value));
const share = (value: number | null): string => (value === null ? '–' : `${(value * 100).toFixed(1)} %`);

function expected({ roundCount, acceptedSum, proposedSum, keptSum, rewinds, acceptanceRate, promptTokens, generatedTokens }: CapturedRequest): Record<string, string> {
  return { rounds: number(roundCount), accepted: number(acceptedSum), drafted: number(proposedSum), 'kept rows': number(keptSum), rewinds: number(rewinds), acceptance: share(acceptanceRate), prompt: number(promptTokens), generated: number(generatedTokens) };
}

/** What the page asked of the host, without its questions to the reader: these come when rows are drawn. */
const orders = async (view: LogPage): Promise<FromLogView[]> => (await view.posted()).filter(({ type }) => type !== 'ask');

const linesAsked = async (view: LogPage): Promise<number[]> => (await view.posted()).flatMap((message) => (message.type === 'goToLine' ? [message.line] : []));

async function sound(view: LogPage): Promise<void> {
  expect(view.errors).toEqual([]);
  expect(await view.violations()).toEqual([]);
  expect((await view.posted()).filter(({ type }) => type === 'failed')).toEqual([]);
  await view.page.close();
}

describe('figures', () => {
  it.each(['mlxcel/full.log', 'vllm/detailed.json', 'sglang/meta-info.json', 'exllamav3/dstats.json', 'ollama/runner.log', 'llama-cpp/response.json', 'aiperf/record.json'])('of %s are those of the importer', async (name) => {
    const capture = await importCapture(fixture(name));
    const view = await openLog(harness, fixture(name));
    expect(await figures(view)).toMatchObject(expected(capture.requests.find(({ roundCount }) => (roundCount ?? 0) > 0) ?? capture.requests[0]!));
    expect(await view.page.locator('.grade').innerText()).toBe(capture.grade);
    expect(await view.page.locator('.log-title').innerText()).toContain(capture.engine);
    await sound(view);
  });

  it('of the shipped capture: every round with its cells and its line', async () => {
    const [request] = (await importCapture(served)).requests;
    const view = await openLog(harness, served);
    expect(await figures(view)).toMatchObject(expected(request!));
    const rows = view.page.locator('.long-rounds tbody tr[data-index]');
    await view.page.locator('.long-rounds .cell-bonus').first().waitFor();
    const first = rows.first();
    expect(await first.locator('.cell-accepted').count()).toBe(request!.rounds![0]!.accepted);
    expect(await first.locator('.cell-rejected').count()).toBe(3 - request!.rounds![0]!.accepted);
    expect(await first.locator('.cell title').first().textContent()).toContain(`id ${request!.rounds![0]!.drafts![0]}`);
    await first.locator('button.line').click();
    await expect.poll(() => linesAsked(view), { timeout: 10_000 }).toEqual([request!.rounds![0]!.line]);
    await sound(view);
  });

  it('of intervals stand as sums over requests, with no request made of them', async () => {
    const view = await openLog(harness, fixture('vllm/v1.log'));
    await view.page.locator('.long-intervals tbody tr[data-index]').first().waitFor();
    await view.page.locator('.long-intervals >> text=0.700, 0.450, 0.250').waitFor();
    expect(await view.page.locator('.log-main').isHidden()).toBe(true);
    await sound(view);
  });
});

it('a file that is read and holds nothing known is not said to be known later', async () => {
  const view = await openLog(harness, write('other.log', 'nothing of interest\n'));
  expect(await view.page.locator('.log-title').innerText()).toMatch(/nothing known$/);
  await sound(view);
});

describe('what a grade does not allow', () => {
  it('is a button that says why', async () => {
    const view = await openLog(harness, fixture('ollama/runner.log'));
    const replay = view.page.locator('vscode-button', { hasText: 'Replay…' });
    await replay.waitFor();
    expect(await replay.getAttribute('disabled')).not.toBeNull();
    expect(await replay.getAttribute('aria-description')).toBe('Not possible. No replay: totals or means only.');
    await sound(view);
  });

  it('leaves the others to be pressed', async () => {
    const view = await openLog(harness, served);
    for (const name of ['Replay…', 'Rewind audit…', 'Compare…', 'Export JSON…']) await view.page.locator('vscode-button', { hasText: name }).click();
    expect((await orders(view)).slice(-4)).toEqual([{ type: 'probe', kind: 'replay', request: 0 }, { type: 'probe', kind: 'rewind', request: 0 }, { type: 'compare' }, { type: 'export', format: 'json' }]);
    await sound(view);
  });
});

describe('faults and stretches', () => {
  it('a violated identity leads to its line', async () => {
    const text = transcript([[1, 3, 0]]).replace('accepted=3', 'accepted=2');
    const view = await openLog(harness, write('fault.log', text));
    const row = view.page.locator('.long-findings tbody tr.violation').first();
    await row.waitFor();
    expect(await view.page.locator('.log-notices').innerText()).toContain('The rounds contradict each other. 1 fault of the round algebra');
    await view.page.locator('vscode-button', { hasText: 'Show the faults' }).click();
    expect(await view.page.locator('.long-findings').evaluate((grid) => grid === document.activeElement)).toBe(true);
    await row.locator('button.line').click();
    expect((await view.posted()).filter(({ type }) => type === 'goToLine')).toEqual([{ type: 'goToLine', slot: 'a', line: 2 }]);
    expect(await view.page.locator('.full-row').first().innerText()).toContain('Line 2:');
    await sound(view);
  });

  it('a stretch without an accepted draft is named with its rounds and leads to them', async () => {
    const accepted = [...Array.from({ length: 100 }, (_, i) => i % 3), ...Array.from({ length: 30 }, () => 0), 1, 2];
    const view = await openLog(harness, write('stretch.log', transcript([accepted])));
    await view.page.locator('.stretches button', { hasText: 'rounds 99 to 129' }).click();
    await view.page.locator('.long-rounds tr.chosen', { hasText: '0 %' }).waitFor();
    expect(await view.page.locator('.long-rounds tr.chosen').getAttribute('data-index')).toBe('99');
    await sound(view);
  });
});

describe('hostile text', () => {
  it('stays text', async () => {
    const ids = JSON.stringify({ request: hostile.slice(0, 100), promptIds: [1], firstBonus: 5 });
    const round = JSON.stringify({ request: hostile.slice(0, 100), round: 0, width: 2, bonus: 5, drafts: [1], targets: [1, 2], accepted: 0, emitted: [1], ms: { draft: 1, verify: 1, accept: 1, rewind: 1 } });
    const head = JSON.stringify({ format: 'moire.capture', version: 1, model: hostile, drafter: hostile, engine: hostile, switches: { a: hostile.slice(0, 60) }, width: 2, widthFrom: hostile, prefill: 'causal', partition: [], sampling: {} });
    const view = await openLog(harness, write('hostile.jsonl', [head, ids, round, hostile].join('\n')));
    await view.page.locator('.request h2', { hasText: '<img' }).waitFor();
    await view.page.locator('.section-facts summary').click();
    await settled(view.page);
    expect(await view.page.locator('#root img, #root script').count()).toBe(0);
    expect(await view.page.evaluate(() => 'hacked' in window)).toBe(false);
    await sound(view);
  });
});

describe('long lists', () => {
  it('hold thirty thousand requests in a few rows, and the last one is reached by a key', async () => {
    const file = write('many.log', Array.from({ length: 29_999 }, () => roundText([1], 1, 0)).join('\n'));
    const view = await openLog(harness, file);
    const grid = view.page.locator('.long-requests-a');
    await grid.focus();
    await view.page.keyboard.press('End');
    await view.page.locator('.long-requests-a tr.chosen th').waitFor();
    expect(await view.page.locator('.long-requests-a tbody tr').count()).toBeLessThan(60);
    expect(await grid.getAttribute('aria-rowcount')).toBe('30000');
    expect(await view.page.locator('.long-requests-a tr.chosen').getAttribute('aria-rowindex')).toBe('30000');
    await view.page.locator('.request h2', { hasText: 'Request 29998' }).waitFor();
    await sound(view);
  }, 120_000);
});

describe('by keyboard', () => {
  it('arrows choose a request, and Enter on a round goes to its line', async () => {
    const view = await openLog(harness, write('keys.log', transcript([[1, 0, 2], [3, 3], [0, 1]])));
    await view.page.locator('.long-rounds').waitFor();
    await view.page.locator('.long-requests-a').focus();
    await view.page.keyboard.press('ArrowDown');
    await view.page.locator('.request h2', { hasText: 'Request 1' }).waitFor();
    expect((await view.posted()).filter(({ type }) => type === 'selected').at(-1)).toEqual({ type: 'selected', request: 1 });
    await view.page.locator('.long-rounds tr[data-index="1"] button').waitFor();
    await view.page.locator('.long-rounds').focus();
    await view.page.keyboard.press('ArrowDown');
    await view.page.keyboard.press('Enter');
    await expect.poll(() => linesAsked(view), { timeout: 10_000 }).toEqual([5]);
    const active = await view.page.locator('.long-rounds').getAttribute('aria-activedescendant');
    await settled(view.page);
    expect(await view.page.locator(`#${active!}`).getAttribute('aria-selected')).toBe('true');
    await sound(view);
  });
});

describe('a log that begins with a warm-up', () => {
  it('is looked at where it has rounds, until somebody chooses', async () => {
    const view = await openLog(harness, fixture('mlxcel/full.log'));
    await view.page.locator('.request h2', { hasText: 'seq-2' }).waitFor();
    expect(await view.page.locator('.long-requests-a tr.chosen').getAttribute('data-index')).toBe('1');
    expect((await view.posted()).filter(({ type }) => type === 'selected').at(-1)).toEqual({ type: 'selected', request: 1 });
    await view.page.locator('.long-requests-a tr[data-index="0"]').click();
    await view.page.locator('.request h2', { hasText: 'warm-up' }).waitFor();
    await sound(view);
  });

  it('is compared from there, and two warm-ups are not said to agree', async () => {
    const view = await openLog(harness, fixture('mlxcel/full.log'));
    await view.compareWith(fixture('mlxcel/accept-lens-w4.log'));
    await view.page.locator('.outcome', { hasText: 'The counts of all 79 rounds agree.' }).waitFor();
    await view.page.locator('.long-requests-a tr[data-index="0"]').click();
    await view.page.locator('.outcome', { hasText: 'Neither request has rounds.' }).waitFor();
    expect(await view.page.locator('.long-pairs').count()).toBe(0);
    await sound(view);
  });
});

describe('two logs', () => {
  it('stand side by side with the first round that differs in sight and marked', async () => {
    const accepted = Array.from({ length: 80 }, (_, i) => i % 4);
    const other = accepted.map((count, i) => (i === 61 ? 3 : count));
    const view = await openLog(harness, write('one.log', transcript([accepted])));
    await view.compareWith(write('other.log', transcript([other])));
    await view.page.locator('.outcome', { hasText: 'Round 61 is the first that differs' }).waitFor();
    const row = view.page.locator('.long-pairs tr.first');
    await row.waitFor();
    expect(await row.getAttribute('data-index')).toBe('61');
    expect(await row.innerText()).toContain('first difference');
    expect(await row.evaluate((node) => node.getBoundingClientRect().bottom <= node.closest('.long-table')!.getBoundingClientRect().bottom)).toBe(true);
    await sound(view);
  });

  it('of which one holds totals alone say what was not compared', async () => {
    const view = await openLog(harness, served);
    await view.compareWith(fixture('ollama/runner.log'));
    await view.page.locator('.outcome', { hasText: 'Only totals can be compared.' }).waitFor();
    expect(await texts(view, '.not-compared li')).toContain('Round by round: B holds no accepted count of every round in order.');
    await sound(view);
  });
});

describe('themes', () => {
  it.each(['dark', 'light', 'highContrast', 'highContrastLight'] as const satisfies readonly ThemeName[])('%s: nothing runs out of the page, cells can be told apart from the ground', async (theme) => {
    for (const width of [420, 900, 1500]) {
      const view = await openLog(harness, served, { theme, width });
      await view.page.locator('.long-rounds .cell-accepted rect').first().waitFor();
      expect(await view.page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
      const [cell, ground] = await view.page.evaluate(() => [getComputedStyle(document.querySelector('.cell-accepted rect')!).fill, getComputedStyle(document.body).backgroundColor]);
      expect(cell).not.toBe(ground);
      await sound(view);
    }
  });
});

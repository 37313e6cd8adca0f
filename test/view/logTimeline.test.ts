// The timeline of a request of an accept log, and of two that are compared, over logs that are really read.
import { FromLogView } from '../../src/shared/logViewProtocol';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCapture } from '../../src/engine/acceptLogs/importCapture';
import { logTokens } from '../../src/engine/acceptLogs/logTokens';
import { compareTimeline, requestTimeline } from '../../src/webview/acceptLog/logTimelines';
import type { Grid } from '../../src/webview/model/grid';
import { roundLine, three } from '../unit/acceptLogs/support';
import { openLog, startLogHarness, type LogHarness, type LogPage } from './logPage';
import { differingBins, settled } from './page';

const served = path.join(import.meta.dirname, '../../samples/served/rounds.moire-capture.jsonl');
const timeout = 20_000;

let harness: LogHarness;
let folder: string;
beforeAll(async () => {
  harness = await startLogHarness();
  folder = mkdtempSync(path.join(tmpdir(), 'moire-log-timeline-'));
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

async function drawn(view: LogPage, label: RegExp): Promise<void> {
  await expect.poll(() => view.page.locator('.log-timeline .map-grid').getAttribute('aria-label'), { timeout }).toMatch(label);
  await settled(view.page);
}

async function expectDrawn(view: LogPage, { rows, positions, values, measures: [measure] }: Grid): Promise<void> {
  // An accepted draft is green wherever one is drawn.
  const equal = measure?.tones === 'drafts' ? '--vscode-charts-green' : '--moire-equal';
  const { drawn: cells, expected } = await differingBins(view as never, { rows: rows.length, positions, equal, differing: [...values('tokens')].map((value) => Math.abs(value)) });
  expect(cells).toBe(expected);
}

async function sound(view: LogPage): Promise<void> {
  expect(view.errors).toEqual([]);
  expect(await view.violations()).toEqual([]);
  expect((await view.posted()).filter(({ type }) => type === 'failed')).toEqual([]);
  await view.page.close();
}

const gridOf = async (file: string, request = 0): Promise<Grid> => {
  const one = (await importCapture(file)).requests[request]!;
  return requestTimeline(logTokens(one, 0), one.facts);
};

describe('the timeline of a request', () => {
  it('draws exactly its bonus tokens and rejected drafts, with a bracket a round', async () => {
    const view = await openLog(harness, served, { width: 1600 });
    const grid = await gridOf(served);
    await drawn(view, /^Heat map, 3 rows by \d+ positions/);
    await expectDrawn(view, grid);
    expect(await view.page.locator('.map-boundaries .round title').allTextContents()).toEqual(grid.tokens!.rounds.map(({ label }) => label));
    expect(await view.page.locator('.map-boundaries .rewind').count()).toBe(grid.tokens!.rounds.filter(({ rejected }) => rejected > 0).length);
    expect(await view.page.locator('.log-timeline .legend').innerText()).toMatch(/accepted draft[^]*bonus of the target[^]*rejected draft[^]*round with a rewind/);
    await sound(view);
  });

  it('is gone through by key, says where one is, and leads to the round', async () => {
    const view = await openLog(harness, served, { width: 1600 });
    await drawn(view, /3 rows/);
    const grid = await gridOf(served);
    await view.page.locator('.log-timeline .map-grid').focus();
    for (let i = 0; i < 3; i++) await view.page.keyboard.press('n');
    const words = await view.page.locator('.log-timeline .cell-words').innerText();
    const position = Number(/token (\d+)/.exec(words)![1]);
    expect(words).toBe(grid.words({ row: 0, position }));
    expect(await view.page.locator('#map-current').textContent()).toBe(words);
    const place = grid.tokens!.rounds.findIndex(({ from, kept }) => position >= from && position < from + kept);
    await expect.poll(() => view.page.locator('.long-rounds tr[aria-selected=true]').getAttribute('data-index'), { timeout }).toBe(String(place));
    await sound(view);
  });

  it('is given away as a drawing, pixels and a table, and its cell is copied', async () => {
    const view = await openLog(harness, served, { width: 1200 });
    await drawn(view, /3 rows/);
    const last = async (type: string): Promise<unknown> => (await view.posted()).findLast((message) => message.type === type);
    const given = async (item: string, format: string): Promise<string> => {
      await view.page.locator('.log-timeline vscode-button', { hasText: 'Export ▾' }).click();
      await view.page.getByRole('menuitem', { name: item }).click();
      await expect.poll(() => last('picture'), { timeout }).toMatchObject({ format, name: 'Request 0' });
      const message = FromLogView.parse(await last('picture'));
      return message.type === 'picture' ? message.content : '';
    };
    expect(await given('Picture as SVG', 'svg')).toMatch(/^<\?xml [^]*accepted draft[^]*<\/svg>\n$/);
    expect(await given('Picture as PNG', 'png')).toMatch(/^iVBORw0KGgo/);
    const grid = await gridOf(served);
    expect((await given('Cells as CSV', 'csv')).trimEnd().split('\r\n')).toHaveLength(1 + grid.rows.length * grid.positions);
    await view.page.locator('.log-timeline .map-grid').focus();
    await view.page.keyboard.press('Control+c');
    expect(await last('copy')).toMatchObject({ text: expect.stringContaining('token 0') as string });
    // Folded it shows nothing that could be given.
    await view.page.locator('.section-timeline > summary').click();
    expect(await view.page.locator('.log-timeline vscode-button', { hasText: 'Export' }).isVisible()).toBe(false);
    await sound(view);
  });

  it('asks for nothing while it is folded, and stays folded for the next request', async () => {
    const file = write('two.log', [...three, ...three].map(roundLine).join('\n'));
    const view = await openLog(harness, file, { width: 1200 });
    await drawn(view, /2 rows/);
    await view.page.locator('.section-timeline > summary').click();
    const asked = async (): Promise<number> => (await view.posted()).filter((message) => message.type === 'ask' && message.question.ask === 'tokens').length;
    const before = await asked();
    await view.page.locator('.long-requests-a').focus();
    await view.page.keyboard.press('End');
    await expect.poll(() => view.page.locator('.request-heading h2').innerText(), { timeout }).toMatch(/^Request 1/);
    await view.page.waitForTimeout(400);
    expect(await asked()).toBe(before);
    await view.page.locator('.section-timeline > summary').click();
    await expect.poll(asked, { timeout }).toBe(before + 1);
    await sound(view);
  });

  it('of 45,000 tokens comes in pictures of 20,000, and says what each leaves out', async () => {
    const text = Array.from({ length: 15_000 }, (_, i) => roundLine({ round: i, bonus: i === 0 ? 7 : 4 * (i - 1) + 2, drafts: [4 * i, 4 * i + 1, 9e6], targets: [4 * i, 4 * i + 1, 4 * i + 2, 0], accepted: 2, emitted: [4 * i, 4 * i + 1, 4 * i + 2] })).join('\n');
    const file = write('long.log', text);
    const view = await openLog(harness, file, { width: 1200 });
    await drawn(view, /by 20000 positions/);
    const range = view.page.locator('.log-timeline .toolbar [role=status]');
    expect(await range.innerText()).toBe('Tokens 0 to 19,999 of 45,001. The others are not in this picture.');
    await expectDrawn(view, await gridOf(file));
    const later = view.page.locator('vscode-button', { hasText: 'Later' });
    await later.click();
    await expect.poll(() => range.innerText(), { timeout }).toBe('Tokens 20,000 to 39,999 of 45,001. The others are not in this picture.');
    await later.click();
    await expect.poll(() => range.innerText(), { timeout }).toBe('Tokens 40,000 to 45,000 of 45,001. The others are not in this picture.');
    expect(await later.getAttribute('aria-description')).toBe('The picture ends with the last token.');
    await view.page.locator('.log-timeline').getByRole('textbox', { name: 'Go to' }).fill('token 44000');
    await view.page.keyboard.press('Enter');
    await expect.poll(() => view.page.locator('.log-timeline .cell-words').innerText(), { timeout }).toContain('token 44,000');
    await sound(view);
  }, 120_000);

  it('is none where a log has no rounds in order', async () => {
    const view = await openLog(harness, path.join(import.meta.dirname, '../fixtures/accept-logs/ollama/runner.log'));
    await view.page.locator('.request').waitFor();
    expect(await view.page.locator('.log-timeline').isHidden()).toBe(true);
    await sound(view);
  });
});

describe('two logs', () => {
  it('stand as lanes above each other, the first fork marked', async () => {
    const a = write('a.log', three.map(roundLine).join('\n'));
    const other = three.map((one, i) => roundLine(i === 1 ? { ...one, targets: [...one.targets.slice(0, 3), 9999], emitted: [...one.emitted.slice(0, 3), 9999] } : i === 2 ? { ...one, bonus: 9999 } : one));
    const b = write('b.log', other.join('\n'));
    const view = await openLog(harness, a, { width: 1200 });
    await drawn(view, /2 rows/);
    await view.compareWith(b);
    await expect.poll(() => view.page.locator('.log-timeline .row-labels text title').allTextContents(), { timeout }).toEqual(['A', 'B']);
    await settled(view.page);
    const [one, two] = [(await importCapture(a)).requests[0]!, (await importCapture(b)).requests[0]!];
    const grid = compareTimeline({ tokens: logTokens(one, 0), facts: one.facts }, { tokens: logTokens(two, 0), facts: two.facts }, 6);
    await expectDrawn(view, grid);
    expect(grid.first).toEqual({ row: 1, position: 6 });
    expect(await view.page.locator('.log-timeline .cell-words').innerText()).toBe(grid.words(grid.first!));
    expect(await view.page.locator('.log-timeline .legend').innerText()).toMatch(/first divergence[^]*round of A/);
    await sound(view);
  });

  it('of which one has no rounds in order have no timeline', async () => {
    const view = await openLog(harness, served, { width: 1200 });
    await drawn(view, /3 rows/);
    await view.compareWith(path.join(import.meta.dirname, '../fixtures/accept-logs/ollama/runner.log'));
    await view.page.locator('.compare').waitFor();
    await settled(view.page);
    expect(await view.page.locator('.log-timeline').isHidden()).toBe(true);
    await sound(view);
  });
});

// Timelines of tokens, on real reports of the sample.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report, ReportOf } from '../../src/shared/report';
import { mappedRuns } from '../../src/webview/model/grids';
import { ViewHarness, type ViewPage } from './harness';
import { differingBins, settled } from './page';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const of = <K extends Report['kind']>(kind: K): ReportOf<K> => speculationReports().find((one) => one.kind === kind) as ReportOf<K>;

async function opened(report: Report, width = 1000): Promise<ViewPage> {
  const view = await harness.open({ width });
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

/** Lists of which the second is another one where `differs` says so, from the first fork on or here and there. */
function idsReport(length: number, differs: (at: number) => boolean): ReportOf<'ids'> {
  const { format, version, complete, incompleteReason, coverage, provenance, run } = of('parity');
  const a = Array.from({ length }, (_, at) => at % 4000);
  const b = a.map((id, at) => (differs(at) ? id + 1 : id));
  const at = a.findIndex((id, i) => id !== b[i]);
  const texts = { ids: [...new Set([...a, ...b])].sort((one, other) => one - other), texts: [] as string[] };
  texts.texts = texts.ids.map((id) => ` w${id}`);
  const list = (ids: number[]): ReportOf<'ids'>['ids']['a'] => ({ source: 'list', about: '', ids });
  return {
    ...{ format, version, complete, incompleteReason, coverage, provenance, run }, kind: 'ids', verdict: { word: at < 0 ? 'equal' : 'defect', sentence: 'So.' }, experiment: { kind: 'ids', a: { file: '/a.json', request: null }, b: { file: '/b.json', request: null }, model: null },
    ids: { a: list(a), b: list(b), fork: at < 0 ? null : { at, a: a[at]!, b: b[at]! }, texts },
  };
}

const kinds = ['parity', 'replay', 'rewind', 'cache', 'concurrency'] as const;

describe.each(kinds)('the timeline of %s', (kind) => {
  const report = of(kind);
  const runs = mappedRuns(report);

  it('draws of every run exactly the tokens that do not agree', async () => {
    const view = await opened(report);
    for (const [i, { grid, label }] of runs.entries()) {
      if (runs.length > 1) await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(i));
      await settled(view.page);
      expect(await view.page.locator('.picture .map').isVisible(), label).toBe(grid !== null);
      if (grid === null) continue;
      const { rows, positions } = grid;
      const { drawn, expected } = await differingBins(view, { rows: rows.length, positions, differing: [...grid.values('tokens')].map((value) => Math.abs(value)) });
      expect(drawn, label).toBe(expected);
    }
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

describe('a timeline', () => {
  const report = of('parity');
  const withGrid = mappedRuns(report).findIndex(({ grid }) => grid !== null);

  it('has a bracket for every round, and a notch for every rewind', async () => {
    const view = await opened(report, 2400);
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await settled(view.page);
    const { rounds } = mappedRuns(report)[withGrid]!.grid!.tokens!;
    expect(await view.page.locator('.rounds .round title').allTextContents()).toEqual(rounds.map(({ label }) => label));
    expect(await view.page.locator('.map-boundaries .rewind').count()).toBe(rounds.filter(({ rejected }) => rejected > 0).length);
  });

  it('writes the tokens into their cells when there is room', async () => {
    const view = await opened(report);
    const run = mappedRuns(report)[withGrid]!;
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await view.page.locator('.map-grid').focus();
    await view.page.evaluate(() => {
      const written: string[] = [];
      Object.assign(window, { written });
      const context = document.querySelector<HTMLCanvasElement>('.map-marks')!.getContext('2d')!;
      const write = context.fillText.bind(context);
      context.fillText = (...args) => {
        written.push(args[0]);
        write(...args);
      };
    });
    for (let i = 0; i < 6; i++) await view.page.keyboard.press('+');
    await settled(view.page);
    const written = await view.page.evaluate(() => (window as unknown as { written: string[] }).written);
    const { tokens, positions, rows } = run.grid!;
    const texts = rows.flatMap((_, row) => Array.from({ length: positions }, (_one, position) => tokens!.text({ row, position })));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter((text) => !texts.includes(text))).toEqual([]);
  });

  it('shows the text that both have', async () => {
    const view = await opened(report);
    await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(withGrid));
    await settled(view.page);
    const { text } = mappedRuns(report)[withGrid]!;
    const shown = await view.page.locator('.texts .text').first().textContent();
    const common = text!.common.tokens.map((token) => token.text).join('');
    expect(shown).not.toBe('');
    expect(common.endsWith(shown!)).toBe(true);
    expect(await view.page.locator('.texts h3').allTextContents()).toEqual(text!.branches.length > 0 ? ['The same until the fork', ...text!.branches.map(({ name }) => name)] : ['The same text']);
  });
});

describe('two lists of ids', () => {
  it('are drawn exactly where they differ, and named by the picture they are in', async () => {
    const report = idsReport(45_000, (at) => at >= 30_000 && at % 7 === 0);
    const view = await opened(report);
    const runs = mappedRuns(report);
    expect(await view.page.locator('.picture select option').allTextContents()).toEqual(['Tokens 0 to 19,999: equal', 'Tokens 20,000 to 39,999: defect', 'Tokens 40,000 to 44,999: defect']);
    // It opens where they part.
    expect(await view.page.locator('.cell-words').innerText()).toBe('list B · token 30,002: " w2003" · id 2003, the lanes differ');
    for (const [i, { grid }] of runs.entries()) {
      await view.page.getByRole('combobox', { name: 'Run' }).selectOption(String(i));
      await settled(view.page);
      const { drawn, expected } = await differingBins(view, { rows: 2, positions: grid!.positions, differing: [...grid!.values('tokens')] });
      expect(drawn).toBe(expected);
      expect(grid!.first === null).toBe(i !== 1);
    }
    const go = view.page.getByRole('textbox', { name: 'Go to' });
    await go.fill('token 44000');
    await go.press('Enter');
    expect(await view.page.locator('.cell-words').innerText()).toContain('token 44,000');
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  }, 120_000);

  it('that end differently, or are hostile, break nothing', async () => {
    const report = idsReport(12, (at) => at === 5);
    const hostile = { ...report, ids: { ...report.ids, b: { ...report.ids.b, ids: report.ids.b.ids.slice(0, 9) }, texts: { ids: report.ids.texts!.ids, texts: report.ids.texts!.ids.map((id) => `<img src=x onerror=alert(${id})>\u202e`) } } };
    const view = await opened(hostile);
    expect(await view.page.locator('.texts img').count()).toBe(0);
    expect(await view.page.locator('.texts h3').allTextContents()).toEqual(['The same until the fork', 'list A', 'list B']);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

describe('the texts below a timeline', () => {
  const report = idsReport(60, (at) => at >= 40);

  it('choose the cell of a token, by pointer and by key, and show the one that is chosen', async () => {
    const view = await opened(report);
    const chosen = (): Promise<string[]> => view.page.locator('.texts .token[aria-selected=true]').allTextContents();
    expect(await chosen()).toEqual([' w41']);
    await view.page.locator('.texts .token', { hasText: /^ w7$/ }).click();
    expect(await view.page.locator('.cell-words').innerText()).toBe('list A · token 7: " w7" · id 7, the lanes agree');
    await view.page.keyboard.press('ArrowRight');
    expect(await chosen()).toEqual([' w8']);
    await view.page.keyboard.press('End');
    expect(await view.page.locator('.cell-words').innerText()).toContain('token 39');
    await view.page.getByRole('listbox', { name: 'list B, from the fork on' }).focus();
    await view.page.keyboard.press('Home');
    expect(await view.page.locator('.cell-words').innerText()).toContain('list B · token 40');
    // And back: a cell that is chosen is the token that is marked.
    await view.page.locator('.map-grid').focus();
    await view.page.keyboard.press('ArrowUp');
    expect(await chosen()).toEqual([' w40']);
    const named = view.page.locator('.texts [role=listbox]').nth(1);
    expect(await named.getAttribute('aria-activedescendant')).toBe(await view.page.locator('.texts .token[aria-selected=true]').getAttribute('id'));
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('of a long one are cut, and say so', async () => {
    const view = await opened(idsReport(6000, (at) => at >= 3000));
    expect(await view.page.locator('.texts .token').count()).toBe(120 + 2 * 2000);
    expect(await view.page.locator('.texts').innerText()).toMatch(/… 2,880 tokens before[^]*… 1,000 more tokens: the timeline has them all/);
  });
});

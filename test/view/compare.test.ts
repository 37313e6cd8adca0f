// The page that compares two reports, on a pair that the command line made of the sample: width 8 under matmul auto, and under matmul exact.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FromCompare, type ToCompare } from '../../src/shared/compareProtocol';
import type { Report, ReportOf } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';
import { comparisonOf } from '../../src/webview/model/compare/comparison';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { settled } from './page';
import { hostile, poisoned } from './poison';
import { bisectReport, bisectRun, sampleReport } from './reports';
import { speculationReports } from './speculationReports';
import { themes, type ThemeName } from './themes';

type Page = ViewPage<FromCompare, ToCompare>;

let harness: ViewHarness<FromCompare, ToCompare>;
beforeAll(async () => {
  harness = await ViewHarness.start<FromCompare, ToCompare>('src/webview/compare/main.ts');
});
afterAll(() => harness.stop());

function fixture(name: string): ReportOf<'bisect'> {
  const read = readReport(readFileSync(path.join(import.meta.dirname, '../fixtures/compare', `${name}.moire.json`), 'utf8'));
  if (!read.ok || read.report.kind !== 'bisect') throw new Error(name);
  return read.report;
}
const [before, after] = [fixture('before'), fixture('after')];

const files = { a: 'file:///before.moire.json', b: 'file:///after.moire.json' };
const side = (report: Report, fileName: string) => ({ type: 'report', report, fileName }) as const;
const message = (a: Report, b: Report): ToCompare => ({ type: 'compared', files, a: side(a, 'before.moire.json'), b: side(b, 'after.moire.json') });

async function opened(a: Report, b: Report, options?: PageOptions): Promise<Page> {
  const view = await harness.open(options);
  await view.send(message(a, b));
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const map = (view: Page, name: 'a' | 'b' | 'delta'): ReturnType<Page['page']['locator']> => view.page.locator(`.map-of-${name}`);

/** The colour in the middle of each cell of a map, row-major. */
const cellsOf = (view: Page, name: 'a' | 'b' | 'delta', rows: number, positions: number): Promise<string[]> =>
  map(view, name)
    .locator('.map-cells')
    .evaluate(
      (node, [rows, positions]) => {
        const canvas = node as HTMLCanvasElement;
        const context = canvas.getContext('2d')!;
        return Array.from({ length: rows * positions }, (_, cell) => {
          const x = Math.floor((((cell % positions) + 0.5) * canvas.width) / positions);
          const y = Math.floor(((Math.floor(cell / positions) + 0.5) * canvas.height) / rows);
          return [...context.getImageData(x, y, 1, 1).data].join();
        });
      },
      [rows, positions] as const,
    );

describe('what became of the cells', () => {
  const last = async (view: Page): Promise<FromCompare | undefined> => (await view.posted()).findLast(({ type }) => type === 'export');
  async function exported(view: Page, item: string, format: string): Promise<string> {
    await view.page.locator('vscode-button', { hasText: 'Export ▾' }).click();
    await view.page.getByRole('menuitem', { name: item }).click();
    await expect.poll(() => last(view), { timeout: 20_000 }).toMatchObject({ format });
    const message = FromCompare.parse(await last(view));
    return message.type === 'export' ? message.content : '';
  }

  it('is given away as a drawing, pixels, a table with the fate of each cell, and the record', async () => {
    const view = await opened(before, after);
    const svg = await exported(view, 'Picture as SVG', 'svg');
    expect(svg).toContain('before.moire.json');
    expect(svg).toContain('after.moire.json');
    expect(await exported(view, 'Picture as PNG', 'png')).toMatch(/^iVBORw0KGgo/);
    const lines = (await exported(view, 'Cells as CSV', 'csv')).trimEnd().split('\r\n');
    const { rows, cells } = before.bisect.runs[0]!;
    expect(lines).toHaveLength(1 + rows.length * cells.positions);
    const fixed = cells.differingBytes.filter((bytes) => bytes > 0).length;
    expect(lines.filter((line) => /,fixed\b/.test(line))).toHaveLength(fixed);
    expect(await exported(view, 'Record as Markdown', 'md')).toMatch(/^# /);
    await view.page.locator('.map-grid').first().press('f');
    await view.page.keyboard.press('Control+c');
    const copied = (await view.posted()).findLast(({ type }) => type === 'copy');
    expect(copied).toMatchObject({ text: expect.stringMatching(/between A and B: fixed/) as string });
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('is looked at step by step, back and forward, by key as well', async () => {
    const view = await opened(before, after);
    const words = (): Promise<string> => map(view, 'delta').locator('.cell-words').innerText();
    const start = await words();
    const grid = view.page.locator('.map-grid').first();
    await grid.press('ArrowDown');
    await grid.press('ArrowRight');
    const there = await words();
    expect(there).not.toBe(start);
    await view.page.keyboard.press('Alt+ArrowLeft');
    await view.page.keyboard.press('Alt+ArrowLeft');
    expect(await words()).toBe(start);
    await view.page.keyboard.press('Alt+ArrowRight');
    await view.page.locator('vscode-button', { hasText: 'Forward' }).click();
    expect(await words()).toBe(there);
    // Where nothing is another place, no step was made: to the left edge, and against it.
    await grid.press('Home');
    const edge = await words();
    await grid.press('ArrowLeft');
    await grid.press('ArrowLeft');
    await view.page.keyboard.press('Alt+ArrowLeft');
    expect(await words()).not.toBe(edge);
    expect(await words()).toBe(there);
  });

  it('hears its keys again after they were pressed while a file could not be read', async () => {
    const view = await opened(before, after);
    await view.send({ ...message(before, after), b: { type: 'problem', fileName: 'after.moire.json', title: 'Cut off', detail: '', action: '' } });
    await view.page.getByRole('alert').waitFor();
    for (const key of ['Alt+ArrowLeft', '?', 'Control+c']) await view.page.keyboard.press(key);
    await view.send(message(before, after));
    const grid = view.page.locator('.map-grid').first();
    await grid.waitFor();
    await view.page.keyboard.press('?');
    await view.page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await view.page.keyboard.press('Escape');
    const words = (): Promise<string> => map(view, 'delta').locator('.cell-words').innerText();
    const start = await words();
    await grid.press('ArrowDown');
    await view.page.keyboard.press('Control+c');
    expect((await view.posted()).filter(({ type }) => type === 'copy')).toHaveLength(1);
    await view.page.keyboard.press('Alt+ArrowLeft');
    expect(await words()).toBe(start);
  });
});

describe('a fix', () => {
  it('is told: verdicts, what differs in how the reports came to be, and how many cells are fixed', async () => {
    const view = await opened(before, after);
    const differing = before.bisect.runs[0]!.cells.differingBytes.filter((bytes) => bytes > 0).length;
    expect(await view.page.getByRole('heading', { level: 1 }).or(view.page.locator('h1')).first().innerText()).toBe(`The verdict went from drift to equal; ${differing} cells fixed, 0 new, 0 changed.`);
    expect(await view.page.getByRole('region', { name: 'Report A' }).innerText()).toMatch(/before\.moire\.json[\s\S]*drift/);
    expect(await view.page.getByRole('region', { name: 'Report B' }).innerText()).toMatch(/after\.moire\.json[\s\S]*equal/);
    expect(await view.page.locator('.section-differences tbody tr').first().innerText()).toMatch(/switches · matmul\s+Experiment\s+not told\s+exact/);
    const fates = (await view.page.locator('.fates li').allInnerTexts()).map((words) => words.replace(/\s+/g, ' '));
    expect(fates.slice(0, 5)).toEqual([`✓ ${differing} fixed`, '↓ 0 still differ, less', '= 0 differ as before', '↑ 0 differ more', '+ 0 new']);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('is drawn: both maps of one size, and blue where B is mended', async () => {
    const view = await opened(before, after);
    const { rows, cells } = before.bisect.runs[0]!;
    const [a, b, delta] = await Promise.all((['a', 'b', 'delta'] as const).map((name) => cellsOf(view, name, rows.length, cells.positions)));
    const sizes = await view.page.locator('.map-cells').evaluateAll((nodes) => nodes.map((node) => `${(node as HTMLCanvasElement).width}x${(node as HTMLCanvasElement).height}`));
    expect(new Set(sizes.slice(0, 3)).size).toBe(1);
    cells.differingBytes.forEach((bytes, cell) => {
      expect(a![cell] === a![0], `cell ${cell}`).toBe(bytes === 0);
      expect(b![cell]).toBe(b![0]);
      expect(delta![cell] === delta![0]).toBe(bytes === 0);
    });
  });

  it('leads to both reports, swaps them, and gives a record', async () => {
    const view = await opened(before, after);
    await view.page.getByRole('button', { name: 'before.moire.json' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'open', side: 'a' });
    await view.page.locator('vscode-button', { hasText: 'Swap' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'swap' });
    await view.page.locator('vscode-button', { hasText: 'Copy as Markdown' }).click();
    const copied = FromCompare.parse((await view.posted()).at(-1));
    expect(copied).toMatchObject({ type: 'copy', text: expect.stringMatching(/^# What became of before\.moire\.json \(A\) in after\.moire\.json \(B\)\?\n/) as string });
    await view.send(message(after, before));
    await expect.poll(() => view.page.locator('h1').innerText(), { timeout: 10_000 }).toMatch(/from equal to drift; 0 cells fixed, 72 new/);
  });
});

describe('the maps', () => {
  const one = bisectReport([bisectRun({ seed: 1, layers: 12, width: 16, first: { layer: 1, tap: 'conv', position: 3 }, spread: 0.2 })]);
  const other = bisectReport([bisectRun({ seed: 2, layers: 13, width: 16, first: { layer: 3, tap: 'q_rope', position: 0 }, spread: 0.15 })]);
  const words = (view: Page): Promise<string[]> => view.page.locator('.compared-map .cell-words').allInnerTexts();

  it('share cell, sight and measure, by pointer and by key', async () => {
    const view = await opened(one, other);
    const grid = map(view, 'b').getByRole('grid');
    await grid.focus();
    await view.page.keyboard.press('Home');
    await view.page.keyboard.press('ArrowDown');
    const [inA, inB, delta] = await words(view);
    expect([inA, inB, delta]).toEqual([expect.stringMatching(/^layer 4, position 0/), expect.stringMatching(/^layer 4, position 0/), expect.stringMatching(/^layer 4 · position 0/)]);
    // n goes over what differs between them on the third map.
    await map(view, 'delta').getByRole('grid').focus();
    await view.page.keyboard.press('n');
    expect((await words(view))[2]).toMatch(/: (fixed|still differs, less|differs as before|differs more|new)$/);
    await view.page.keyboard.press('+');
    await settled(view.page);
    expect(await view.page.locator('.map-tools .muted').first().innerText()).toMatch(/of 16/);
    expect(await view.page.locator('.minimap:visible').count()).toBe(3);
    await view.page.getByRole('radio', { name: 'Max ULP' }).click();
    expect(await view.page.locator('.compared-map .legend-title').allInnerTexts()).toEqual([
      'Largest distance in representable values (ULP)',
      'Largest distance in representable values (ULP)',
      'What became of each cell from A to B. Largest distance in representable values (ULP)',
    ]);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('have one colour scale, and say what is not in both', async () => {
    const view = await opened(one, other);
    const ticks = await view.page.locator('.compared-map .ramp').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label')));
    expect(ticks).toHaveLength(2);
    expect(ticks[0]).toBe(ticks[1]);
    expect(await view.page.locator('.notice').filter({ hasText: 'only in' }).innerText()).toBe('Row only in B: layer 12.');
  });

  it('draw each cell by what became of it', async () => {
    const view = await opened(one, other);
    const { delta } = comparisonOf(one, other).runs[0]!.maps!;
    const drawn = await cellsOf(view, 'delta', delta.rows.length, delta.positions);
    const byCode = new Map<number, Set<string>>();
    // Signs are drawn on another canvas.
    delta.values('bytes').forEach((code, cell) => byCode.set(code, (byCode.get(code) ?? new Set()).add(drawn[cell]!)));
    expect([...byCode.values()].map((colours) => colours.size)).toEqual([...byCode].map(() => 1));
    expect(new Set([...byCode.values()].flatMap((colours) => [...colours])).size).toBe(byCode.size);
    expect(byCode.size).toBeGreaterThanOrEqual(6);
  });

  it('have names of their own for who hears them', async () => {
    const view = await opened(one, other);
    const grids = await view.page.getByRole('grid').evaluateAll((nodes) => nodes.map((node) => ({ label: node.getAttribute('aria-label')!, current: node.getAttribute('aria-activedescendant')! })));
    expect(grids.map(({ label }) => label.split(',')[0])).toEqual(['A', 'B', 'From A to B']);
    expect(new Set(grids.map(({ current }) => current)).size).toBe(3);
    for (const { current } of grids) expect(await view.page.locator(`#${current}`).count()).toBe(1);
  });

  it('are of the pair of runs that is chosen', async () => {
    const view = await opened(sampleReport(), sampleReport());
    const runs = view.page.getByRole('combobox', { name: 'Run' });
    expect(await runs.locator('option').count()).toBe(5);
    await runs.selectOption('2');
    await settled(view.page);
    expect((await words(view))[0]).toMatch(/layer 1, position 2/);
    expect(await view.page.locator('h1').innerText()).toBe('Both reports found the same.');
  });
});

describe('the page', () => {
  it('follows both files and goes on where it was left, also when it is made anew', async () => {
    const view = await opened(before, after);
    await map(view, 'a').getByRole('grid').focus();
    await view.page.keyboard.press('ArrowDown');
    await view.send(message(before, before));
    await expect.poll(() => view.page.locator('h1').innerText(), { timeout: 10_000 }).toBe('Both reports found the same.');
    const left = await view.page.locator('.cell-words').first().innerText();
    expect(left).toMatch(/^layer 1, position 0/);
    await view.page.reload();
    await view.send(message(before, after));
    await view.page.locator('.cell-words').first().waitFor();
    expect(await view.page.locator('.cell-words').first().innerText()).toBe(left);
    expect(await view.page.evaluate(() => JSON.parse(sessionStorage.getItem('state')!) as unknown)).toMatchObject({ files });
  });

  it('says what is wrong with a file, and goes on when it is mended', async () => {
    const view = await harness.open();
    await view.send({ type: 'compared', files, a: side(before, 'before.moire.json'), b: { type: 'problem', fileName: 'after.moire.json', title: 'This report is damaged', detail: hostile, action: 'Mend it.' } });
    expect(await view.page.getByRole('alert').innerText()).toContain('This report is damaged');
    expect(await view.page.evaluate(() => sessionStorage.getItem('state'))).toContain(files.b);
    await view.page.locator('vscode-button', { hasText: 'Open the report' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'open', side: 'a' });
    await view.send(message(before, after));
    await view.page.locator('.map-of-delta').waitFor();
  });

  it.each(speculationReports().map((report) => [report.kind, report] as const))('shows %s against itself', async (_, report) => {
    const view = await opened(report, structuredClone(report));
    expect(await view.page.locator('h1').innerText()).toBe('Both reports found the same.');
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
    await view.page.context().close();
  });

  it('of a kind without a map says what the accounts say differently', async () => {
    const gate = speculationReports().find((one): one is ReportOf<'gate'> => one.kind === 'gate')!;
    const other = structuredClone(gate);
    other.gate.widths[0]!.decision = other.gate.widths[0]!.decision === 'engage' ? 'decline' : 'engage';
    const view = await opened(gate, other);
    expect(await view.page.locator('.section-sayings tbody tr').first().innerText()).toMatch(/engage|decline/);
    expect(await view.page.locator('.compared-map:visible').count()).toBe(0);
  });

  it('holds hostile text as text', async () => {
    const report = sampleReport();
    const bad: Report = { ...report, verdict: { word: 'drift', sentence: hostile }, complete: false, incompleteReason: hostile, provenance: { ...poisoned(report.provenance), model: null }, bisect: { runs: report.bisect.runs.map((run) => ({ ...run, label: hostile, rows: run.rows.map((row) => ({ ...row, label: hostile })) })) } };
    const view = await opened(report, bad);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
    expect(await view.page.getByRole('region', { name: 'Report B' }).innerText()).toContain(hostile.trim().slice(0, 10));
  });

  it.each(Object.keys(themes) as ThemeName[])('fits in %s from 400 to 1400 pixels', async (theme) => {
    for (const width of [400, 800, 1400]) {
      const view = await opened(before, after, { theme, width });
      const over = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      expect(over, `${width}`).toBeLessThanOrEqual(0);
      await view.page.context().close();
    }
  });
});

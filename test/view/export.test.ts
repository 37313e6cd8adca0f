// Copy and export of what a report's page shows, up to the messages to the host.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExportFormat } from '../../src/shared/exportLimits';
import type { Report, ReportOf } from '../../src/shared/report';
import { FromView, type ExportOrder, type ToView } from '../../src/shared/viewProtocol';
import { mappedRuns } from '../../src/webview/model/grids';
import { startSelection } from '../../src/webview/model/selection';
import { ViewHarness, type ViewPage } from './harness';
import { settled } from './page';
import { hostile } from './poison';
import { bisectReport, bisectRun, diffReport, sampleReport } from './reports';
import { speculationReports } from './speculationReports';

type Page = ViewPage<FromView, ToView | ExportOrder>;
type Exported = Extract<FromView, { type: 'export' }>;

let harness: ViewHarness<FromView, ToView | ExportOrder>;
beforeAll(async () => {
  harness = await ViewHarness.start<FromView, ToView | ExportOrder>();
});
afterAll(() => harness.stop());

async function opened(report: Report): Promise<Page> {
  const view = await harness.open();
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const last = async (view: Page, type: FromView['type']): Promise<FromView | undefined> => (await view.posted()).findLast((message) => message.type === type);

async function choose(view: Page, menu: 'Copy' | 'Export', item: string): Promise<void> {
  await view.page.locator('vscode-button', { hasText: `${menu} ▾` }).click();
  await view.page.getByRole('menuitem', { name: item }).click();
}

const items: Readonly<Record<ExportFormat, string>> = { png: 'Picture as PNG', svg: 'Picture as SVG', csv: 'Cells as CSV', md: 'Record as Markdown' };

async function exported(view: Page, format: ExportFormat): Promise<Exported> {
  await choose(view, 'Export', items[format]);
  await expect.poll(() => last(view, 'export'), { timeout: 20_000 }).toMatchObject({ format });
  const message = await last(view, 'export');
  // As the host checks it.
  return FromView.parse(message) as Exported;
}

/** As the browser reads a file: what is wrong with it, its texts, and its rectangles. */
const readSvg = (view: Page, svg: string): Promise<{ error: string; texts: string[]; title: string; about: string; rects: number; foreign: number; width: number }> =>
  view.page.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, 'image/svg+xml');
    const all = (name: string): Element[] => [...document.querySelectorAll(name)];
    return {
      error: document.querySelector('parsererror')?.textContent ?? '',
      texts: all('text').map((node) => node.textContent),
      title: document.querySelector('svg > title')?.textContent ?? '',
      about: document.querySelector('svg > desc')?.textContent ?? '',
      rects: all('rect').length,
      foreign: all('script, foreignObject, a, image, use').length + all('*').filter((node) => [...node.attributes].some(({ name }) => name.startsWith('on') || name.includes('href'))).length,
      width: Number(document.documentElement.getAttribute('width')),
    };
  }, svg);

const pngSize = (view: Page, base64: string): Promise<{ width: number; height: number; colours: number }> =>
  view.page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d')!;
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, canvas.width, canvas.height).data.buffer);
    return { width: canvas.width, height: canvas.height, colours: new Set(pixels).size };
  }, base64);

describe('copying', () => {
  const report = sampleReport();
  const run = report.bisect.runs[3]!;

  it('gives the facts of the chosen cell, by the menu and by Ctrl+C', async () => {
    const view = await opened(report);
    await choose(view, 'Copy', 'Cell');
    const copied = await last(view, 'copy');
    expect(copied).toMatchObject({ text: expect.stringMatching(/^layer 0 · position 0\n.*\nbytes: .*\n/) as string });
    expect(await view.page.getByRole('status').filter({ hasText: 'Copied' }).innerText()).toBe('Copied the cell.');
    await view.page.locator('.map-grid').focus();
    await view.page.keyboard.press('ArrowDown');
    expect(await view.page.getByText('Copied the cell.').count()).toBe(0);
    await view.page.keyboard.press('Control+c');
    await expect.poll(() => last(view, 'copy'), { timeout: 10_000 }).toMatchObject({ text: expect.stringMatching(/^layer 1 · position 0\n/) as string });
  });

  it('leaves marked text and text fields to the browser', async () => {
    const view = await opened(report);
    await view.page.evaluate(() => document.getSelection()!.selectAllChildren(document.querySelector('h1')!));
    await view.page.keyboard.press('Control+c');
    await settled(view.page);
    expect(await last(view, 'copy')).toBeUndefined();
  });

  it('gives the row by the measure that is chosen', async () => {
    const view = await opened(report);
    await view.page.getByRole('radio', { name: 'Max ULP' }).click();
    await choose(view, 'Copy', 'Row');
    const message = (await last(view, 'copy')) as Extract<FromView, { type: 'copy' }>;
    const [, values] = message.text.split('\n').map((line) => line.split('\t'));
    expect(values!.slice(1).map(Number)).toEqual(run.cells.maxUlp.slice(run.first!.row * 16, (run.first!.row + 1) * 16));
  });

  it('puts the picture into the clipboard where that is allowed, and else says why and offers a file', async () => {
    const view = await opened(report);
    await view.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await choose(view, 'Copy', 'Picture');
    await view.page.getByText('Copied the picture.').waitFor();
    const type = await view.page.evaluate(async () => (await navigator.clipboard.read())[0]!.types.join());
    expect(type).toBe('image/png');
    await view.page.evaluate(() => Object.assign(navigator.clipboard, { write: () => Promise.reject(new Error('Write permission denied.')) }));
    await choose(view, 'Copy', 'Picture');
    await view.page.getByText('The picture was not copied: Write permission denied.').waitFor();
    await view.page.locator('vscode-button', { hasText: 'Save as PNG' }).click();
    await expect.poll(() => last(view, 'export'), { timeout: 20_000 }).toMatchObject({ format: 'png' });
  });
});

describe('the menus', () => {
  it('open, walk and close by keyboard, and close when one goes elsewhere', async () => {
    const view = await opened(sampleReport());
    const opener = view.page.locator('vscode-button', { hasText: 'Export ▾' });
    const focused = (): Promise<string> => view.page.evaluate(() => document.activeElement?.textContent ?? '');
    await opener.focus();
    await view.page.keyboard.press('Enter');
    expect(await focused()).toContain('Picture as PNG');
    expect(await opener.getAttribute('aria-expanded')).toBe('true');
    await view.page.keyboard.press('ArrowUp');
    expect(await focused()).toContain('Record as Markdown');
    await view.page.keyboard.press('Escape');
    expect(await focused()).toContain('Export');
    expect(await view.page.getByRole('menu').count()).toBe(0);
    await view.page.keyboard.press('ArrowDown');
    await view.page.getByRole('menuitem', { name: 'Cells as CSV' }).waitFor();
    await view.page.locator('.map-grid').focus();
    expect(await view.page.getByRole('menu').count()).toBe(0);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });
});

const pictured = [sampleReport(), ...speculationReports().filter((one) => mappedRuns(one)[startSelection(one).run]?.grid ?? one.kind === 'widths')];

describe.each(pictured.map((report) => [report.kind, report] as const))('the export of %s', (kind, report) => {
  it('is a drawing that parses, pixels that decode, a table and a record', async () => {
    const view = await opened(report);
    const { content: svg } = await exported(view, 'svg');
    const drawing = await readSvg(view, svg);
    expect([drawing.error, drawing.foreign]).toEqual(['', 0]);
    expect(drawing.title).toMatch(/ of /);
    expect(drawing.texts.join('\n')).toContain(report.verdict.word);
    const grid = mappedRuns(report)[startSelection(report).run]?.grid ?? null;
    for (const { label } of grid?.rows.slice(0, 3) ?? []) expect(drawing.texts).toContain(label);

    const png = await pngSize(view, (await exported(view, 'png')).content);
    expect(png.width).toBe(2 * drawing.width);
    expect(png.colours).toBeGreaterThan(3);

    const csv = (await exported(view, 'csv')).content;
    expect(csv.split('\r\n').length).toBeGreaterThan(grid === null ? 2 : grid.rows.length * grid.positions);
    expect((await exported(view, 'md')).content).toMatch(/^# /);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
    expect(kind).toBe(report.kind);
  });
});

describe('an export', () => {
  it('holds the text of a hostile report as text', async () => {
    const report = sampleReport();
    const runs = report.bisect.runs.map((run) => ({ ...run, label: `=${hostile}`, rows: run.rows.map((row) => ({ ...row, label: `=${hostile}\u0000` })) }));
    const view = await opened({ ...report, bisect: { runs }, verdict: { word: 'drift', sentence: `${hostile}\u0001` } });
    const svg = await exported(view, 'svg');
    const drawing = await readSvg(view, svg.content);
    expect([drawing.error, drawing.foreign]).toEqual(['', 0]);
    const png = await pngSize(view, (await exported(view, 'png')).content);
    expect(png.width).toBe(2 * drawing.width);
    const csv = await exported(view, 'csv');
    for (const line of csv.content.split('\r\n').slice(1, 20)) expect(line).toMatch(/^"?'=/);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('aggregates a large map by maximum, says so, and draws every row that differs', async () => {
    const view = await opened(bisectReport([bisectRun({ seed: 9, layers: 40, width: 1000, first: { layer: 3, tap: 'conv', position: 7 }, spread: 0.001 })]));
    const drawing = await readSvg(view, (await exported(view, 'svg')).content);
    expect(drawing.about).toMatch(/cells are aggregated by maximum to 42 x 476 rectangles/);
    expect(drawing.rects).toBeLessThan(20_100);
  });

  it('follows an order of the host, and says why when it cannot', async () => {
    const view = await opened(sampleReport());
    await view.send({ type: 'export', format: 'csv', order: 7 });
    await expect.poll(() => last(view, 'export'), { timeout: 20_000 }).toMatchObject({ format: 'csv', order: 7, name: 'width 16, draw 0' });
    await view.send({ type: 'report', report: diffReport(), fileName: 'tensors.moire.json' });
    await view.page.locator('.diff, .report table').first().waitFor();
    await view.send({ type: 'export', format: 'svg', order: 8 });
    await expect.poll(() => last(view, 'notExported'), { timeout: 20_000 }).toEqual({ type: 'notExported', order: 8, reason: 'This report has no picture here.' });
    const empty = await harness.open();
    await empty.send({ type: 'export', format: 'svg', order: 9 });
    await expect.poll(() => last(empty, 'notExported'), { timeout: 20_000 }).toMatchObject({ order: 9 });
  });
});

it('the header of a replay that leaves only its prefill leads to a comparison of prefills, and of others it does not', async () => {
  const replay = speculationReports().find(({ kind }) => kind === 'replay') as ReportOf<'replay'>;
  const [run] = replay.replay.runs;
  const log = { file: 'rounds.jsonl', engine: 'moire', request: 0, name: 'one', grade: 'A', rounds: 3, rewinds: 2, keptSum: 5, accepted: 2, findings: [], notes: [], prefill: 'verify' };
  const leaving: Report = { ...replay, replay: { ...replay.replay, log, reference: { ...replay.replay.reference, source: 'log', leavesAt: 2 }, runs: [{ ...run!, form: 'block', verdict: { word: 'equal', sentence: 'So.' } }] } };
  const view = await opened(leaving);
  await view.page.locator('vscode-button', { hasText: 'Compare the prefills' }).click();
  expect((await view.posted()).at(-1)).toEqual({ type: 'comparePrefills' });
  const other = await opened(replay);
  expect(await other.page.locator('vscode-button', { hasText: 'Compare the prefills' }).count()).toBe(0);
});

it('the header leads to a comparison', async () => {
  const view = await opened(sampleReport());
  await view.page.locator('vscode-button', { hasText: 'Compare with' }).click();
  expect((await view.posted()).at(-1)).toEqual({ type: 'compare' });
});

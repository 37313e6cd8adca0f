import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectReport, Report } from '../../src/shared/report';
import { pairOfTile } from '../../src/webview/model/tensorPair';
import { tapList } from '../../src/webview/model/tapList';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { lastSelection, settled } from './page';
import { hostile, poisoned } from './poison';
import { bisectReport, bisectRun, diffReport, sampleReport } from './reports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

async function opened(report: Report, options?: PageOptions): Promise<ViewPage> {
  const view = await harness.open(options);
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('main.report').waitFor();
  await settled(view.page);
  return view;
}

const texts = (view: ViewPage, selector: string): Promise<string[]> => view.page.locator(selector).allInnerTexts();
function hostileReport(): BisectReport {
  const report = sampleReport();
  const runs = report.bisect.runs.map((run) => ({
    ...run,
    label: hostile,
    rows: run.rows.map((row) => ({ ...row, label: hostile })),
    tapsCompared: Object.fromEntries(Object.entries(run.tapsCompared).map(([kind, names]) => [kind, names.map((name) => name + hostile)])),
    differing: { ...run.differing, tap: run.differing.tap.map((name) => name + hostile) },
    tiles: run.tiles.map((tile) => ({ ...tile, dtype: hostile })),
    state: poisoned(run.state),
    first: run.first && { ...run.first, tap: hostile, kernelA: hostile, kernelB: hostile, aHex: hostile, bHex: hostile },
    kernels: run.kernels.map((kernel) => ({ ...kernel, op: kernel.op + hostile, a: hostile, b: `${hostile}b` })),
    noise: { ...run.noise, orders: hostile },
    verdict: { ...run.verdict, sentence: hostile },
  }));
  return { ...report, bisect: { runs }, complete: false, incompleteReason: hostile, coverage: poisoned(report.coverage), provenance: { ...poisoned(report.provenance), model: { ...poisoned(report.provenance.model!), layers: [], warnings: [hostile] } }, verdict: { word: 'drift', sentence: hostile } };
}

describe('before and instead of a report', () => {
  it('says that it is loading, and tells the host that it is ready', async () => {
    const view = await harness.open();
    expect(await view.posted()).toEqual([{ type: 'ready' }]);
    expect(await view.page.getByRole('status').innerText()).toContain('Opening the report');
    expect(await view.violations()).toEqual([]);
  });

  it('shows how far a run is and what stands of it, and can end it', async () => {
    const view = await harness.open();
    const { page } = view;
    await view.send({ type: 'running', fileName: 'run.moire.json', title: 'Bisect of target-4bit', progress: { text: 'starting the engine', done: 0, total: 0 } });
    const bar = page.getByRole('progressbar', { name: 'Progress of the run' });
    await bar.waitFor();
    expect(await page.getByRole('heading').innerText()).toBe('Bisect of target-4bit');
    expect(await bar.getAttribute('value')).toBe(null);
    await view.send({ type: 'progress', progress: { text: 'width 8 · token 2 of 8', done: 2, total: 8 } });
    await page.getByText('width 8 · token 2 of 8').waitFor();
    expect(await bar.getAttribute('value')).toBe('0.25');
    const report = sampleReport();
    const early: Report = { ...report, complete: false, incompleteReason: 'The run has not ended yet.', bisect: { runs: report.bisect.runs.slice(0, 2) } };
    await view.send({ type: 'report', report: early, fileName: 'run.moire.json', running: { text: 'token 5 of 8', done: 5, total: 8 } });
    await page.locator('.map-grid').waitFor();
    expect(await page.getByText('Incomplete.').isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Run again' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'cancelRun' });
    await view.send({ type: 'report', report, fileName: 'run.moire.json' });
    await page.getByRole('button', { name: 'Run again' }).waitFor();
    expect(await bar.isVisible()).toBe(false);
    expect(await page.locator('.runs tbody tr').count()).toBe(report.bisect.runs.length);
    expect(view.errors).toEqual([]);
  });

  it('offers to begin a run anew that left nothing', async () => {
    const view = await harness.open();
    await view.send({ type: 'problem', fileName: 'run.moire.json', title: 'The run left no report', detail: 'The run was cancelled.', action: 'Run it again, or close this page.', again: true });
    await view.page.getByRole('button', { name: 'Run again' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'runAgain' });
  });

  it('shows a problem with what to do, and can go on to a report', async () => {
    const view = await harness.open();
    await view.send({ type: 'problem', fileName: 'broken.moire.json', title: 'This report is damaged', detail: 'bisect.runs[0].cells.maxUlp: has 3 entries where 80 belong.', action: 'Run the experiment again.' });
    const alert = await view.page.getByRole('alert').innerText();
    for (const part of ['broken.moire.json', 'This report is damaged', '3 entries where 80 belong', 'Run the experiment again.']) expect(alert).toContain(part);
    await view.page.getByRole('button', { name: 'Open as text' }).click();
    expect((await view.posted()).at(-1)).toEqual({ type: 'openAsText' });
    await view.send({ type: 'report', report: sampleReport(), fileName: 'mended.moire.json' });
    await view.page.locator('.map-grid').waitFor();
    expect(await view.page.getByRole('alert').count()).toBe(0);
  });

  it('turns a report that it cannot draw into a problem and a line in the log', async () => {
    const report = sampleReport();
    const broken = { ...report, provenance: { ...report.provenance, engine: null } } as unknown as Report;
    const view = await harness.open();
    await view.send({ type: 'report', report: broken, fileName: 'odd.moire.json' });
    expect(await view.page.getByRole('alert').innerText()).toContain('cannot be drawn');
    expect((await view.posted()).map(({ type }) => type)).toContain('failed');
  });

  it('listens to nothing but the messages it knows', async () => {
    const view = await harness.open();
    await view.page.evaluate(() => {
      for (const data of [null, 7, 'report', { type: 'other' }, { report: {} }]) window.postMessage(data, '*');
    });
    await settled(view.page);
    expect(view.errors).toEqual([]);
    expect(await view.page.getByRole('status').count()).toBe(1);
  });
});

describe('a bisect', () => {
  it('says the verdict in shape, word and sentence', async () => {
    const report = sampleReport();
    const view = await opened(report);
    expect(await view.page.getByRole('heading', { level: 1 }).innerText()).toBe(report.verdict.sentence);
    expect(await texts(view, '.runs .verdict')).toEqual(['equal', 'equal', 'drift', 'tie', 'drift']);
    const shapes = await view.page.locator('.runs .verdict-icon .outline').evaluateAll((paths) => paths.map((path) => path.getAttribute('d')));
    expect(new Set(shapes).size).toBe(3);
    expect(await view.violations()).toEqual([]);
  });

  it('lists the taps of a cell, equal until the first that differs', async () => {
    const report = sampleReport();
    const run = report.bisect.runs[3]!;
    const view = await opened(report);
    const taps = tapList(run, run.first!.row, run.first!.position);
    expect(await texts(view, '.cell-panel .lane-row .tap')).toEqual(taps.map(({ tap }) => tap));
    const rows = await view.page.locator('.cell-panel .lane-row').evaluateAll((nodes) => nodes.map((node) => (node.getAttribute('class') ?? '').replace('lane-row ', '').replace(' chosen', '')));
    const first = taps.findIndex(({ differing }) => differing >= 0);
    expect(rows).toEqual(taps.map(({ differing }, i) => (i === first ? 'differs first' : differing < 0 ? 'equal' : 'differs')));
    expect(await view.page.locator('.cell-panel .lane-row.chosen').innerText()).toContain(run.first!.tap);
  });

  it('shows the elements of a tap, A beside B, the differing ones marked', async () => {
    const report = sampleReport();
    const run = report.bisect.runs[3]!;
    const view = await opened(report);
    const { tap } = await lastSelection(view);
    const tile = run.tiles[run.differing.tile[tap]!]!;
    const pair = pairOfTile(tile, run.differing.elements[tap]!);
    await view.page.locator('.long-elements tr.first').waitFor();
    const rows = await view.page.locator('.long-elements tbody tr:not(.edge)').evaluateAll((nodes) => nodes.map((node) => ({ differs: node.classList.contains('differs'), first: node.classList.contains('first'), cells: [...node.children].slice(0, 6).map((cell) => cell.textContent) })));
    expect(rows.length).toBeGreaterThan(12);
    const from = Number(rows[0]!.cells[0]);
    expect(rows).toEqual(
      rows.map((_, i) => {
        const { index, a, b, differs, ulp } = pair.at(from + i);
        return { differs, first: index === run.first!.element, cells: [String(index), a.bits, a.value, b.bits, b.value, differs ? String(ulp) : '='] };
      }),
    );
    const inView = await view.page.locator('.long-elements tr.first').evaluate((row) => {
      const scroll = row.closest('.long-table')!.getBoundingClientRect();
      const box = row.getBoundingClientRect();
      return box.top >= scroll.top && box.bottom <= scroll.bottom;
    });
    expect(inView).toBe(true);
  });

  it('says when no tile was kept', async () => {
    const run = bisectRun({ seed: 2, layers: 2, width: 4, first: { layer: 0, tap: 'conv', position: 0 } });
    run.tiles = [];
    run.differing.tile.fill(-1);
    const view = await opened(bisectReport([run]));
    expect(await view.page.locator('.tile-panel').innerText()).toContain('No tile of this tap was kept');
  });

  it('shows logits, state, kernels, proof, coverage and provenance', async () => {
    const report = sampleReport();
    const run = report.bisect.runs[3]!;
    const view = await opened(report);
    expect(await view.page.locator('.section-logits tbody tr').count()).toBe(16);
    const otherChoice = run.logits.argmaxA.findIndex((a, p) => a !== run.logits.argmaxB[p]);
    expect(await view.page.locator('.section-logits tbody tr').nth(otherChoice).innerText()).toContain(`${run.logits.argmaxA[otherChoice]} | ${run.logits.argmaxB[otherChoice]}`);
    expect(await view.page.locator('.section-state tbody tr').count()).toBe(run.state.length);
    expect(await view.page.locator('.section-kernels tbody tr.differs').first().innerText()).toContain('qmm_b4_g64');
    expect(await view.page.locator('.section-proof').innerText()).toContain('Observing changed nothing');
    expect(await texts(view, '.uncovered li')).toEqual(report.coverage.notCovered);
    for (const part of [report.provenance.engine.libraryHash, report.provenance.model!.fingerprint, 'Test CPU']) expect(await view.page.locator('.section-provenance').innerText()).toContain(part);
  });

  it('warns when a proof does not hold', async () => {
    const run = { ...bisectRun({ seed: 2, layers: 2, width: 4, first: null }), captureDifferingBytes: { a: 0, b: 12 }, nonFinite: { a: 1, b: 0 } };
    const view = await opened(bisectReport([run]));
    expect(await view.page.locator('.section-proof .fails').count()).toBe(2);
    expect(await view.page.locator('.section-proof').innerText()).toContain('Observing changed what was observed');
  });

  it('marks an incomplete report and lives without runs', async () => {
    const view = await opened(bisectReport([], { complete: false, incompleteReason: 'cancelled after the prefill' }));
    expect(await view.page.locator('.notice').innerText()).toContain('cancelled after the prefill');
    expect(await view.page.locator('.bisect').innerText()).toContain('holds no runs');
    expect(await view.page.locator('.section-coverage').count()).toBe(1);
  });

  it('asks the host to copy, run again and open as text', async () => {
    const view = await opened(sampleReport());
    for (const name of ['Run again', 'Copy as Markdown record', 'Open as text']) await view.page.getByRole('button', { name }).click();
    const posted = (await view.posted()).filter(({ type }) => type !== 'selected' && type !== 'ready');
    expect(posted.map(({ type }) => type)).toEqual(['runAgain', 'copy', 'openAsText']);
  });

  it('names everything for readers by ear', async () => {
    const view = await opened(sampleReport());
    const snapshot = await view.page.locator('main').ariaSnapshot();
    for (const part of ['radiogroup "Colour by"', 'grid "Heat map, 10 rows by 16 positions', 'table "Runs: choose one', 'table "Logits per position"', 'table "State tensors', 'img "differs"']) expect(snapshot).toContain(part);
  });
});

describe('what is looked at', () => {
  it('is kept when the page is dropped and loaded again', async () => {
    const view = await opened(sampleReport());
    await view.page.locator('.runs tbody button').nth(2).click();
    await view.page.getByRole('radio', { name: 'Rel. L2' }).click();
    await view.page.locator('.map-grid').focus();
    await view.page.keyboard.press('End');
    await view.page.locator('.section-kernels summary').click();
    await view.page.evaluate(() => window.scrollTo(0, 400));
    await settled(view.page);
    const before = await lastSelection(view);
    await view.page.reload();
    await view.send({ type: 'report', report: sampleReport(), fileName: 'run.moire.json' });
    await settled(view.page);
    expect(await lastSelection(view)).toEqual(before);
    expect(await view.page.evaluate(() => window.scrollY)).toBe(400);
    expect(await view.page.locator('.section-kernels').evaluate((node) => (node as HTMLDetailsElement).open)).toBe(false);
    expect(await view.page.getByRole('radio', { name: 'Rel. L2' }).getAttribute('aria-checked')).toBe('true');
  });
});

describe('a diff of two files', () => {
  it('sorts by a column, filters by name and difference', async () => {
    const view = await opened(diffReport());
    const names = (): Promise<string[]> => texts(view, '.diff tbody th');
    expect((await names()).length).toBe(24);
    await view.page.getByRole('button', { name: 'Tensor' }).click();
    expect(await view.page.locator('th[aria-sort=ascending]').innerText()).toContain('Tensor');
    expect((await names())[2]).toContain('layers.2.');
    await view.page.getByRole('button', { name: 'Tensor' }).click();
    expect((await names())[0]).toContain('layers.23.');
    await view.page.getByRole('checkbox').click();
    expect((await names()).length).toBe(10);
    await view.page.getByRole('textbox').fill('layers.3.');
    expect((await names()).length).toBe(1);
    await view.page.getByRole('textbox').fill('nothing');
    expect(await view.page.locator('.diff').innerText()).toContain('No tensor fits.');
  });

  it('pages long tables', async () => {
    const view = await opened(diffReport(450));
    expect(await view.page.locator('.diff tbody tr').count()).toBe(200);
    await view.page.getByRole('button', { name: 'Show 200 of 250 more' }).click();
    await view.page.getByRole('button', { name: 'Show 50 of 50 more' }).click();
    expect(await view.page.locator('.diff tbody tr').count()).toBe(450);
  });
});

describe('a hostile report', () => {
  it('stays text, whatever it holds', async () => {
    const view = await opened(hostileReport());
    await view.page.locator('.map-grid').hover({ position: { x: 300, y: 100 } });
    for (const row of [0, 2, 3, 4]) await view.page.locator('.runs tbody button').nth(row).click();
    await settled(view.page);
    expect(await view.page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await view.page.locator('#root img[src], #root script').count()).toBe(0);
    expect(await view.page.getByRole('heading', { level: 1 }).innerText()).toBe(hostile);
    expect(await view.violations()).toEqual([]);
    expect(view.errors).toEqual([]);
  });

  it('does not break the page by long words', async () => {
    const long = 'x'.repeat(4000);
    const report = sampleReport();
    const view = await opened({ ...report, verdict: { word: 'defect', sentence: long }, provenance: { ...report.provenance, seeds: long, model: { ...report.provenance.model!, path: `/${long}` } }, coverage: { compared: [long], notCovered: [long] } }, { width: 480 });
    expect(await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
  });
});

describe('the content security policy', () => {
  it.each(['dark', 'light', 'highContrast', 'highContrastLight'] as const)('is kept under %s', async (theme) => {
    const view = await opened(sampleReport(), { theme });
    await view.page.locator('.map-grid').hover();
    await view.page.getByRole('radio', { name: 'Argmax' }).click();
    await settled(view.page);
    expect(await view.violations()).toEqual([]);
    expect(view.errors).toEqual([]);
    expect(await view.page.locator('[style]').evaluateAll((nodes) => nodes.filter((node) => node.getAttribute('style') === '').length)).toBe(0);
  });
});

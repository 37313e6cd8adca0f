import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectReport } from '../../src/shared/report';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { drawnCells, lastSelection, markPixels, settled, themeColour } from './page';
import { bisectReport, bisectRun, randomReport, sampleReport } from './reports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

async function opened(report: BisectReport, options?: PageOptions): Promise<ViewPage> {
  const view = await harness.open(options);
  await view.send({ type: 'report', report, fileName: 'run.moire.json' });
  await view.page.locator('.map-grid').waitFor();
  await settled(view.page);
  return view;
}

/** For each drawn bin '1' where it is not of the colour of equal cells, and what is due. */
async function differing(view: ViewPage, report: BisectReport): Promise<{ drawn: string; expected: string }> {
  const run = report.bisect.runs[0]!;
  const { positions } = run.cells;
  const equal = await themeColour(view.page, '--moire-equal');
  const { colours, rows, columns } = await drawnCells(view.page, run.rows.length, positions);
  const expected = Array<string>(rows * columns).fill('0');
  run.cells.differingBytes.forEach((bytes, cell) => {
    if (bytes === 0) return;
    const from = (index: number, of: number, count: number): [number, number] => [Math.floor((index * count) / of), Math.ceil(((index + 1) * count) / of)];
    const [rowFrom, rowTo] = from(Math.floor(cell / positions), run.rows.length, rows);
    const [columnFrom, columnTo] = from(cell % positions, positions, columns);
    for (let row = rowFrom; row < rowTo; row++) for (let column = columnFrom; column < columnTo; column++) expected[row * columns + column] = '1';
  });
  return { drawn: colours.map((colour) => (colour.some((part, i) => Math.abs(part - equal[i]!) > 2) ? '1' : '0')).join(''), expected: expected.join('') };
}

describe('the heat map', () => {
  it.each([
    { theme: 'dark', width: 1200, scale: 1 },
    { theme: 'light', width: 700, scale: 2 },
    { theme: 'highContrast', width: 480, scale: 1 },
    { theme: 'highContrastLight', width: 400, scale: 1.5 },
  ] as const)('draws exactly the cells that differ as differing: $theme, $width px, $scale x', async (options) => {
    const view = await opened(randomReport(100), options);
    for (let seed = options.width; seed < options.width + 6; seed++) {
      const random = randomReport(seed);
      const report = { ...random, run: { ...random.run, startedAt: `run ${seed}` } };
      await view.send({ type: 'report', report, fileName: 'run.moire.json' });
      await settled(view.page);
      const { drawn, expected } = await differing(view, report);
      expect(drawn, `seed ${seed}`).toBe(expected);
    }
    expect(view.errors).toEqual([]);
  });

  it('loses no differing cell where a pixel shows several positions', async () => {
    const first = { layer: 1, tap: 'conv', position: 1234 };
    const report = bisectReport([bisectRun({ seed: 6, layers: 3, width: 8, positions: 3000, first, spread: 0.001 })]);
    const view = await opened(report, { width: 600 });
    const { drawn, expected } = await differing(view, report);
    expect(drawn.length).toBeLessThan(5 * 600);
    expect(drawn).toBe(expected);
    expect(drawn).toContain('1');
    expect(drawn).toContain('0');
  });

  it.each(['Bytes', 'Max ULP', 'Rel. L2', 'Argmax'])('draws the same set of cells by %s', async (measure) => {
    const report = bisectReport([bisectRun({ seed: 8, layers: 12, width: 16, first: { layer: 2, tap: 'conv', position: 3 }, spread: 0.05, otherChoices: 3 })]);
    const view = await opened(report);
    await view.page.getByRole('radio', { name: measure }).click();
    await settled(view.page);
    const { drawn, expected } = await differing(view, report);
    expect(drawn).toBe(expected);
    expect(await view.page.getByRole('radio', { name: measure }).getAttribute('aria-checked')).toBe('true');
  });

  it('marks the first divergence: a ring around its cell, wedges at its column and row', async () => {
    const report = bisectReport([bisectRun({ seed: 4, layers: 8, width: 8, first: { layer: 4, tap: 'delta_core', position: 5 }, spread: 0.3 })]);
    const view = await opened(report);
    await view.page.locator('.map-grid').focus();
    await view.page.keyboard.press('Control+Home');
    await settled(view.page);
    const { width, height, opaque } = await markPixels(view.page);
    const margin = 12;
    const cell = { width: (width - 2 * margin) / 8, height: (height - 2 * margin) / 10 };
    const inColumn = ([x]: readonly [number, number]): boolean => x >= margin + 5 * cell.width - 4 && x <= margin + 6 * cell.width + 4;
    const inRow = ([, y]: readonly [number, number]): boolean => y >= margin + 5 * cell.height - 4 && y <= margin + 6 * cell.height + 4;
    const selected = ([x, y]: readonly [number, number]): boolean => x <= margin + cell.width + 4 && y <= margin + cell.height + 4;
    const marks = opaque.filter((point) => !selected(point));
    expect(marks.length).toBeGreaterThan(100);
    expect(marks.every((point) => inColumn(point) || inRow(point))).toBe(true);
    expect(marks.some((point) => inColumn(point) && point[1] < margin)).toBe(true);
    expect(marks.some((point) => inRow(point) && point[0] < margin)).toBe(true);
    expect(marks.some((point) => inRow(point) && inColumn(point))).toBe(true);
  });

  it('is drawn again in the colours of another theme', async () => {
    const report = randomReport(3);
    const view = await opened(report);
    const before = await themeColour(view.page, '--moire-equal');
    await view.setTheme('light');
    await settled(view.page);
    expect(await themeColour(view.page, '--moire-equal')).not.toEqual(before);
    const { drawn, expected } = await differing(view, report);
    expect(drawn).toBe(expected);
  });

  it('is as sharp as the screen and follows the width of the page', async () => {
    const view = await opened(sampleReport(), { scale: 2 });
    const size = (): Promise<number[]> => view.page.evaluate(() => [document.querySelector<HTMLCanvasElement>('.map-cells')!.width, document.querySelector<HTMLCanvasElement>('.map-cells')!.clientWidth]);
    const [pixels, css] = await size();
    expect(pixels).toBe(css! * 2);
    await view.page.setViewportSize({ width: 420, height: 800 });
    await settled(view.page);
    expect((await size())[1]).toBeLessThan(css!);
    const overflow = await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow).toBe(0);
  });

  it('tells the values of the cell under the pointer without drawing cells again', async () => {
    const report = sampleReport();
    const view = await opened(report);
    const box = (await view.page.locator('.map-cells').boundingBox())!;
    await view.page.evaluate(() => {
      Object.assign(window, { drawn: 0 });
      const context = document.querySelector<HTMLCanvasElement>('.map-cells')!.getContext('2d')!;
      const fillRect = context.fillRect.bind(context);
      context.fillRect = (...args) => {
        Object.assign(window, { drawn: (window as unknown as { drawn: number }).drawn + 1 });
        fillRect(...args);
      };
    });
    await view.page.mouse.move(box.x + box.width * (4.5 / 16), box.y + box.height * (2.5 / 10));
    await settled(view.page);
    const run = report.bisect.runs[3]!;
    const card = await view.page.locator('.hover-card').innerText();
    expect(card).toContain('layer 1 · position 4');
    expect(card).toContain(`${run.cells.differingBytes[2 * 16 + 4]!.toLocaleString('en-US')} of ${run.cells.rowBytes[2]!.toLocaleString('en-US')}`);
    expect(await view.page.evaluate(() => (window as unknown as { drawn: number }).drawn)).toBe(0);
    await view.page.mouse.move(2, 2);
    expect(await view.page.locator('.hover-card').isHidden()).toBe(true);
  });

  it('selects the cell that was clicked and tells the host', async () => {
    const report = sampleReport();
    const view = await opened(report);
    const box = (await view.page.locator('.map-cells').boundingBox())!;
    await view.page.mouse.click(box.x + box.width * (11.5 / 16), box.y + box.height * (8.5 / 10));
    expect(await lastSelection(view)).toMatchObject({ run: 3, row: 8, position: 11 });
    expect(await view.page.locator('.cell-panel h2').innerText()).toContain('layer 7');
  });

  it('paints 64 layers x 128 positions with 100,000 differing taps at once', async () => {
    const report = bisectReport([bisectRun({ seed: 1, layers: 64, width: 8, positions: 128, first: { layer: 0, tap: 'layer_input', position: 0 }, spread: 1 })]);
    expect(report.bisect.runs[0]!.differing.row.length).toBeGreaterThan(100_000);
    const view = await harness.open();
    await view.page.evaluate(() => {
      const { root } = { root: document.getElementById('root')! };
      const start = { at: 0 };
      window.addEventListener('message', () => (start.at = performance.now()), { capture: true });
      new MutationObserver(() => document.querySelector('.map-cells') && requestAnimationFrame(() => Object.assign(window, { painted: (window as unknown as { painted?: number }).painted ?? performance.now() - start.at }))).observe(root, { childList: true });
    });
    await view.send({ type: 'report', report, fileName: 'run.moire.json' });
    await settled(view.page);
    const painted = await view.page.evaluate(() => (window as unknown as { painted: number }).painted);
    expect(painted).toBeLessThan(1500);
  }, 120_000);
});

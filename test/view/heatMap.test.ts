import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BisectReport } from '../../src/shared/report';
import type { Sight } from '../../src/webview/model/span';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { differingBins, lastSelection, markPixels, settled, themeColour } from './page';
import { random } from './random';
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

/** Of the first run of a bisect. */
function differing(view: ViewPage, report: BisectReport, sight?: Sight): ReturnType<typeof differingBins> {
  const [run] = report.bisect.runs;
  return differingBins(view, { rows: run!.rows.length, positions: run!.cells.positions, differing: run!.cells.differingBytes }, sight);
}

/** What of the map is in sight, as the page keeps it. */
async function sightOf(view: ViewPage): Promise<Sight | null> {
  await settled(view.page);
  await view.page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
  return view.page.evaluate(() => (JSON.parse(sessionStorage.getItem('state') ?? 'null') as { view: { sight: Sight | null } }).view.sight);
}

async function wheel(view: ViewPage, at: readonly [number, number], deltaY: number): Promise<void> {
  await view.page.mouse.move(...at);
  await view.page.keyboard.down('Control');
  await view.page.mouse.wheel(0, deltaY);
  await view.page.keyboard.up('Control');
}

async function brush(view: ViewPage, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await view.page.mouse.move(...from);
  await view.page.mouse.down();
  await view.page.mouse.move(...to, { steps: 3 });
  await view.page.mouse.up();
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

  it('draws exactly what differs in sight, at every zoom', async () => {
    const first = { layer: 1, tap: 'conv', position: 700 };
    const report = bisectReport([bisectRun({ seed: 12, layers: 30, width: 8, positions: 4000, first, spread: 0.0004 })]);
    const view = await opened(report, { width: 560, scale: 1.5 });
    const r = random(21);
    const seen = new Set<string>();
    for (let step = 0; step < 18; step++) {
      const box = (await view.page.locator('.map-cells').boundingBox())!;
      const point = (): [number, number] => [box.x + 1 + r.next() * (box.width - 2), box.y + 1 + r.next() * (box.height - 2)];
      if (step % 6 === 5) await view.page.keyboard.press('0');
      else if (step % 3 === 2) await brush(view, point(), point());
      else await wheel(view, point(), r.next() < 0.7 ? -160 : 90);
      const sight = await sightOf(view);
      seen.add(JSON.stringify(sight));
      const { drawn, expected } = await differing(view, report, sight ?? undefined);
      const wrong = Array.from({ length: drawn.length }, (_, bin) => bin).filter((bin) => drawn[bin] !== expected[bin]);
      expect(wrong, `step ${step}, ${JSON.stringify(sight)}`).toEqual([]);
      expect(drawn).toHaveLength(expected.length);
    }
    expect(seen.size).toBeGreaterThan(10);
    expect(view.errors).toEqual([]);
  }, 120_000);

  it.each(['Bytes', 'Max ULP', 'Rel. L2', 'Argmax', 'Margin'])('draws the same set of cells by %s', async (measure) => {
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

  it('goes where a text and Enter say, and says when there is no such place', async () => {
    const report = bisectReport([bisectRun({ seed: 12, layers: 30, width: 8, positions: 400, first: { layer: 1, tap: 'conv', position: 70 }, spread: 0.01 })]);
    const view = await opened(report);
    const field = view.page.getByRole('textbox', { name: 'Go to' });
    await field.fill('layer 7, pos 396');
    await field.press('Enter');
    expect(await lastSelection(view)).toMatchObject({ row: 8, position: 396 });
    await field.fill('layer 99');
    await field.press('Enter');
    expect(await view.page.locator('.find-missing').innerText()).toBe('Not found. Rows are embedding to head, positions 0 to 399.');
    await field.fill('conv');
    expect(await view.page.locator('.find-missing').innerText()).toBe('');
    await field.press('Enter');
    const { row, position, tap } = await lastSelection(view);
    const { differing } = report.bisect.runs[0]!;
    expect([differing.row[tap], differing.position[tap]]).toEqual([row, position]);
    expect(differing.tap[tap]).toContain('conv');
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
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
      const put: (image: ImageData, x: number, y: number) => void = context.putImageData.bind(context);
      context.putImageData = (image: ImageData, x: number, y: number) => {
        Object.assign(window, { drawn: (window as unknown as { drawn: number }).drawn + 1 });
        put(image, x, y);
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

});

// What stands at the edges of maps and charts: whole numbers, whole labels, axes that reach as far as what they measure.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReportOf } from '../../src/shared/report';
import { mappedRuns } from '../../src/webview/model/grids';
import { ViewHarness, type ViewPage } from './harness';
import { openLog, startLogHarness, type LogHarness } from './logPage';
import { settled } from './page';
import { bisectReport, bisectRun } from './reports';
import { speculationReports } from './speculationReports';

let harness: ViewHarness;
let logs: LogHarness;
beforeAll(async () => {
  [harness, logs] = await Promise.all([ViewHarness.start(), startLogHarness()]);
});
afterAll(() => Promise.all([harness.stop(), logs.stop()]));

const replay = speculationReports().find((one): one is ReportOf<'replay'> => one.kind === 'replay')!;

interface Written {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly clipped: boolean;
}

/** What the page's canvases write while `act` goes on. */
async function written(view: ViewPage, act: () => Promise<void>): Promise<Written[]> {
  await view.page.evaluate(() => {
    // Called on the context that each is called on.
    // eslint-disable-next-line @typescript-eslint/unbound-method
    const { fillText, clip, restore } = CanvasRenderingContext2D.prototype;
    const all: Written[] = ((window as unknown as { all: Written[] }).all = []);
    let clipped = false;
    Object.assign(CanvasRenderingContext2D.prototype, {
      clip(this: CanvasRenderingContext2D) {
        clipped = true;
        Reflect.apply(clip, this, []);
      },
      restore(this: CanvasRenderingContext2D) {
        clipped = false;
        restore.call(this);
      },
      fillText(this: CanvasRenderingContext2D, text: string, x: number, y: number) {
        all.push({ text, from: x, to: x + this.measureText(text).width, clipped });
        fillText.call(this, text, x, y);
      },
    });
  });
  await act();
  await settled(view.page);
  return view.page.evaluate(() => (window as unknown as { all: Written[] }).all);
}

describe('counts of the state', () => {
  const { grid: lanes } = mappedRuns(replay).find((one) => one.grid !== null)!;
  const row = lanes!.rows.findIndex(({ label }) => label === 'state');
  const counts = new Set(Array.from({ length: lanes!.positions }, (_, position) => lanes!.tokens!.text({ row, position })).filter((text) => text !== ''));

  it.each([600, 1000, 1800])('are written whole or not at all, and none over another, %i pixels wide', async (width) => {
    const view = await harness.open({ width });
    await view.send({ type: 'report', report: replay, fileName: 'replay.moire.json' });
    await view.page.locator('.map-grid').waitFor();
    await settled(view.page);
    const grid = view.page.locator('.map-grid');
    const all = await written(view, async () => {
      for (let i = 0; i < 3; i++) await grid.press('+');
    });
    const numbers = all.filter(({ text, clipped }) => counts.has(text) && !clipped);
    expect(all.filter(({ text, clipped }) => /^\d\d\d+$/.test(text) && clipped)).toEqual([]);
    // Each draw writes from the left; one after the other may be drawn.
    numbers.forEach(({ text, from }, i) => {
      const before = numbers[i - 1];
      if (before !== undefined && before.from < from) expect(from, text).toBeGreaterThanOrEqual(before.to);
    });
    if (width === 1800) expect(numbers.length).toBeGreaterThan(10);
    await view.page.close();
  });
});

it('the last label of a map ends within its picture', async () => {
  const positions = 3001;
  const view = await harness.open({ width: 1000 });
  await view.send({ type: 'report', report: bisectReport([bisectRun({ layers: 2, positions, seed: 5, width: 8, first: null })]), fileName: 'long.moire.json' });
  await view.page.locator('.map-grid').waitFor();
  await settled(view.page);
  const edges = await view.page.locator('.map-axes').first().evaluate((axes) => {
    const right = axes.getBoundingClientRect().right;
    return [...axes.querySelectorAll('.axis text')].map((text) => right - text.getBoundingClientRect().right);
  });
  expect(edges.length).toBeGreaterThan(5);
  for (const room of edges) expect(room).toBeGreaterThanOrEqual(0);
});

it('the axis of a histogram reaches as far as its longest bar', async () => {
  const view = await openLog(logs, path.join(import.meta.dirname, '../../samples/served/rounds.moire-capture.jsonl'), { width: 1000 });
  const chart = view.page.locator('.chart-histogram svg.chart');
  await chart.waitFor();
  const { top, tick } = await chart.evaluate((svg) => {
    const bars = [...svg.querySelectorAll('.chart-bar')].map((bar) => Number(bar.getAttribute('y')));
    const ticks = [...svg.querySelectorAll('.axis:last-of-type .tick')].map((one) => Number(/,([\d.]+)\)/.exec(one.getAttribute('transform') ?? '')?.[1]));
    return { top: Math.min(...bars), tick: Math.min(...ticks.filter((y) => y > 0)) };
  });
  expect(tick).toBeLessThanOrEqual(top + 0.5);
  await view.page.close();
});

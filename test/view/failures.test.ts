// What throws where nobody catches it, as in a frame: the host hears of it, and the page says so.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ViewHarness, type ViewPage } from './harness';
import { sampleReport } from './reports';

let harness: ViewHarness;
let view: ViewPage;
beforeAll(async () => {
  harness = await ViewHarness.start();
  view = await harness.open();
  await view.send({ type: 'report', report: sampleReport(), fileName: 'run.moire.json' });
  await view.page.locator('.map-grid').waitFor();
});
afterAll(() => harness.stop());

const failures = async (): Promise<unknown[]> => (await view.posted()).filter(({ type }) => type === 'failed');

it('tells of a frame that cannot be drawn, once for all of them, until it is closed', async () => {
  const { page } = view;
  await page.evaluate(() => {
    CanvasRenderingContext2D.prototype.strokeRect = () => {
      throw new Error('the canvas <b>is gone</b>');
    };
  });
  for (const key of ['f', 'ArrowDown', 'ArrowRight']) {
    await page.locator('.map-grid').press(key);
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  const notice = page.getByRole('alert');
  await expect.poll(() => notice.count(), { timeout: 10_000 }).toBe(1);
  expect(await notice.innerText()).toMatch(/^A part of this page failed: the canvas <b>is gone<\/b>\. What it shows may be old or incomplete\./);
  expect((await failures()).length).toBeGreaterThan(0);
  await notice.getByRole('button', { name: 'Close' }).click();
  expect(await notice.count()).toBe(0);
  // The rest of the page works on.
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Width 8/);
});

it('says nothing of what a browser calls an error and is none', async () => {
  const before = (await failures()).length;
  await view.page.evaluate(() => window.dispatchEvent(new ErrorEvent('error', { message: 'ResizeObserver loop completed with undelivered notifications.' })));
  expect(await view.page.getByRole('alert').count()).toBe(0);
  expect((await failures()).length).toBe(before);
});

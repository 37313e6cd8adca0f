// The element grid in a real browser: the report's tile alone, and whole rows from a host that computes them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ElementsAnswer } from '../../src/shared/elementsProtocol';
import type { BisectRun } from '../../src/shared/report';
import type { FromView, ToView } from '../../src/shared/viewProtocol';
import { ViewHarness, type ViewPage } from './harness';
import { random } from './random';
import { bisectReport, bisectRun } from './reports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const width = 12_000;
const heads = [12, 1000];

/** A run whose first difference is in a wide tap, and the whole row of it: the report tells its counts, and keeps 32 elements of it. */
function wide(): { run: BisectRun; answer: ElementsAnswer; differing: number[] } {
  const run = bisectRun({ seed: 4, layers: 4, width: 4, first: { layer: 3, tap: 'q_rope', position: 1 }, spread: 0 });
  const r = random(77);
  const a = Uint16Array.from({ length: width }, () => 0x3f00 + r.whole(0, 0x80));
  const b = a.slice();
  const differing = [5000, 5001, 5010, 5900, 11_999];
  const places = [1, 4, 0x8000, 2, 0x40];
  differing.forEach((index, i) => (b[index] = a[index]! ^ places[i]!));
  b[5010] = 0x7fc0;
  b[11_999] = 0xff80;
  const [bytesA, bytesB] = [Buffer.from(a.buffer), Buffer.from(b.buffer)];
  const tap = 0;
  const differingBytes = [...bytesA.keys()].filter((i) => bytesA[i] !== bytesB[i]).length;
  const set = (column: unknown[], value: unknown): void => void (column[tap] = value);
  set(run.differing.elements, width);
  set(run.differing.bytes, width * 2);
  set(run.differing.differingElements, differing.length);
  set(run.differing.differingBytes, differingBytes);
  set(run.differing.firstIndex, 5000);
  const hex = (bytes: Buffer): string => bytes.subarray(4992 * 2, 5024 * 2).toString('hex');
  run.tiles[run.differing.tile[tap]!] = { dtype: 'bf16', shape: heads, start: 4992, a: hex(bytesA), b: hex(bytesB) };
  run.first = { ...run.first!, element: 5000 };
  const report = bisectReport([run]);
  const answer: ElementsAnswer = {
    dtype: 'bf16', shape: heads, total: width, start: 0, a: bytesA.toString('base64'), b: bytesB.toString('base64'), differingBytes, differingElements: differing.length, firstIndex: 5000, heads: null,
    fingerprint: report.provenance.model!.fingerprint, libraryHash: report.provenance.engine.libraryHash,
  }; // prettier-ignore
  return { run, answer, differing };
}

const made = wide();
type Asked = Extract<FromView, { type: 'loadElements' }>;

async function opened(answers: (asked: Asked) => readonly ToView[], options: Parameters<ViewHarness['open']>[0] = {}): Promise<ViewPage> {
  const hears = (message: unknown): readonly unknown[] => ((message as FromView).type === 'loadElements' ? answers(message as Asked) : []);
  const view = await harness.open({ ...options, hears });
  await view.send({ type: 'report', report: bisectReport([made.run]), fileName: 'run.moire.json' });
  await view.page.locator('.long-elements tr.first').waitFor();
  return view;
}

const full = ({ id }: Asked): ToView[] => [{ type: 'elements', id, answer: made.answer }];
const panel = (view: ViewPage): ReturnType<ViewPage['page']['locator']> => view.page.locator('.tile-panel');
const chosen = async (view: ViewPage): Promise<string> => (await view.page.locator('.long-elements tr.chosen th').innerText()).replaceAll(',', '');
const expectChosen = (view: ViewPage, index: number): Promise<void> => expect.poll(() => chosen(view).catch(() => ''), { timeout: 15_000 }).toMatch(new RegExp(`^${index}( |$)`));

async function load(view: ViewPage): Promise<void> {
  await view.send({ type: 'canLoad', can: true });
  await view.page.getByRole('button', { name: 'Load all elements' }).click();
}

async function jump(view: ViewPage, text: string): Promise<void> {
  const field = panel(view).getByRole('textbox', { name: 'Element' });
  await field.fill(text);
  await field.press('Enter');
}

describe('the tile of a report', () => {
  it('is told as a tile, with no way to load where the host cannot', async () => {
    const view = await opened(() => []);
    expect(await panel(view).innerText()).toContain('a tile of this tap: 32 of 12,000 elements, from 4,992 on');
    expect(await view.page.getByRole('button', { name: 'Load all elements' }).isVisible()).toBe(false);
    await expectChosen(view, 5000);
    expect(await panel(view).innerText()).toContain('difference 1 of 3');
    await jump(view, '5010');
    await expectChosen(view, 5010);
    await jump(view, '[5, 11]');
    await expectChosen(view, 5011);
    await jump(view, '11999');
    expect(await panel(view).innerText()).toContain('The report keeps no element 11,999.');
    await jump(view, '12000');
    expect(await panel(view).innerText()).toContain('The last element is 11,999.');
  });

  it('marks what is no number, the sign, and the bits that differ by their meaning', async () => {
    const view = await opened(() => []);
    await jump(view, '5010');
    const row = view.page.locator('.long-elements tr.chosen');
    await expectChosen(view, 5010);
    expect(await row.locator('.non-finite').allInnerTexts()).toEqual(['NaN']);
    const xor = await view.page.locator('.long-elements tr.first .xor').allInnerTexts();
    expect(xor).toEqual(['0', '00000000', '0000001']);
    expect(await view.page.locator('.long-elements tr.first .xor.some').allInnerTexts()).toEqual(['0000001']);
  });
});

describe('all elements', () => {
  it('come from the host, proven against the report, a few rows of them drawn', async () => {
    const view = await opened(full);
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('All 12,000 elements, computed again by the engine. Counts, first difference and tile are those of the report.');
    const asked = (await view.posted()).find((message): message is Asked => message.type === 'loadElements');
    expect(asked).toMatchObject({ run: 0, tap: 0, around: 5000 });
    expect(await view.page.locator('.long-elements').getAttribute('aria-rowcount')).toBe('12001');
    expect(await view.page.locator('.long-elements tbody tr').count()).toBeLessThan(80);
    await expectChosen(view, 5000);
    await jump(view, '11,999');
    await expectChosen(view, 11_999);
    expect(await view.page.locator('.long-elements tr.chosen .non-finite').innerText()).toBe('-Infinity');
    await jump(view, '[0, 3]');
    await expectChosen(view, 3);
    expect(view.errors).toEqual([]);
    expect(await view.violations()).toEqual([]);
  });

  it('are walked with keys: rows, pages, ends, and from difference to difference', async () => {
    const view = await opened(full);
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('difference 1 of 5');
    const { keyboard } = view.page;
    await view.page.locator('.long-elements').focus();
    for (const index of made.differing.slice(1)) {
      await keyboard.press('n');
      await expectChosen(view, index);
    }
    await keyboard.press('n');
    expect(await panel(view).innerText()).toContain('No later element differs.');
    await keyboard.press('p');
    await expectChosen(view, 5900);
    await keyboard.press('Home');
    await expectChosen(view, 0);
    await keyboard.press('ArrowDown');
    await expectChosen(view, 1);
    await keyboard.press('PageDown');
    await expect.poll(async () => Number((await chosen(view)).split(' ')[0]), { timeout: 15_000 }).toBeGreaterThan(5);
    await keyboard.press('End');
    await expectChosen(view, 11_999);
    await view.page.getByRole('button', { name: '‹ Difference' }).click();
    await expectChosen(view, 5900);
    expect(await view.page.evaluate(() => document.querySelector('.long-table-elements')!.scrollTop)).toBeGreaterThan(100_000);
  });

  it('are spread over distances and heads, and a head leads to its first difference', async () => {
    const view = await opened(full);
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('All 12,000 elements');
    await view.page.locator('.section-ulps summary').click();
    await view.page.locator('.histogram tbody tr').first().waitFor();
    expect(await view.page.locator('.histogram tbody th').allInnerTexts()).toContain('no distance (NaN)');
    await view.page.locator('.section-groups summary').click();
    const rows = view.page.locator('.section-groups tbody tr');
    await rows.first().waitFor();
    expect(await rows.count()).toBe(12);
    expect(await view.page.locator('.section-groups tbody tr.differs th').allInnerTexts()).toEqual(['head 5', 'head 11']);
    expect(await rows.nth(5).locator('td').first().innerText()).toContain('4 of 1,000');
    await view.page.getByRole('button', { name: 'head 11' }).click();
    await expectChosen(view, 11_999);
  });

  it('are said to be others where they are not what the report tells', async () => {
    const view = await opened(({ id }) => {
      const b = Buffer.from(made.answer.b, 'base64');
      b[0]! ^= 1;
      return [{ type: 'elements', id, answer: { ...made.answer, b: b.toString('base64'), fingerprint: 'other' } }];
    });
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('not as the report tells: the model or the engine has changed since.');
    expect(await panel(view).innerText()).toContain('The report tells 5 differing elements, now there are 6.');
    expect(await panel(view).innerText()).toContain('The weights are others.');
  });

  it('tell how far the engine is, can be cancelled, and are not shown when they come late', async () => {
    const view = await opened(({ id }) => [{ type: 'loading', id, progress: { text: 'single steps · token 3 of 9', done: 3, total: 12 } }]);
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('single steps · token 3 of 9');
    expect(await view.page.getByRole('progressbar', { name: 'Loading the elements' }).evaluate((bar: HTMLProgressElement) => bar.value)).toBe(0.25);
    expect(await view.page.locator('.long-elements tbody tr.differs').count()).toBeGreaterThan(0);
    await view.page.getByRole('button', { name: 'Cancel' }).click();
    const { id } = (await view.posted()).find((message): message is Asked => message.type === 'loadElements')!;
    expect(await view.posted()).toContainEqual({ type: 'cancelElements', id });
    await view.send({ type: 'elements', id, answer: made.answer });
    expect(await panel(view).innerText()).toContain('a tile of this tap');
    expect(await view.page.getByRole('button', { name: 'Load all elements' }).isVisible()).toBe(true);
  });

  it('say in words why they did not come, and can be asked for again', async () => {
    let times = 0;
    const view = await opened((asked) => ((times += 1) === 1 ? [{ type: 'notLoaded', id: asked.id, problem: { kind: 'engine', title: 'The engine ended', place: '', action: 'Run it again' } }] : full(asked)));
    await load(view);
    await view.page.getByRole('alert').getByText('The engine ended. Run it again.').waitFor();
    await view.page.getByRole('button', { name: 'Load all elements' }).click();
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('All 12,000 elements');
  });

  it('come as a window where there are many, and another one for an element outside of it', async () => {
    const view = await opened(({ id, around }) => {
      const start = Math.max(0, Math.min(width - 4000, around - 2000));
      const part = (text: string): string => Buffer.from(text, 'base64').subarray(start * 2, (start + 4000) * 2).toString('base64');
      return [{ type: 'elements', id, answer: { ...made.answer, start, a: part(made.answer.a), b: part(made.answer.b) } }];
    });
    await load(view);
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('Elements 3,000 to 6,999 of 12,000');
    await jump(view, '11999');
    await expect.poll(() => panel(view).innerText(), { timeout: 15_000 }).toContain('Elements 8,000 to 11,999 of 12,000');
    await expectChosen(view, 11_999);
  });
});

// The lane of a cell in a real browser: what it shows, says and does by key.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCount } from '../../src/shared/format';
import type { BisectRun } from '../../src/shared/report';
import { bisectGrid } from '../../src/webview/model/bisectGrid';
import { differingCells } from '../../src/webview/model/grid';
import { percent } from '../../src/webview/model/numbers';
import { tapList } from '../../src/webview/model/tapList';
import { ViewHarness, type ViewPage } from './harness';
import { lastSelection } from './page';
import { bisectReport, bisectRun } from './reports';
import type { ThemeName } from './themes';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

/** An attention layer parts at its rotation; everything before is equal, and some of what follows. */
const run = bisectRun({ seed: 12, layers: 8, width: 8, first: { layer: 3, tap: 'q_rope', position: 2 }, spread: 0.5 });

async function opened(runs: BisectRun[] = [run], options: Parameters<ViewHarness['open']>[0] = {}): Promise<ViewPage> {
  const view = await harness.open(options);
  await view.send({ type: 'report', report: bisectReport(runs), fileName: 'run.moire.json' });
  await view.page.locator('.lane-list').waitFor();
  return view;
}

const focusedTap = (view: ViewPage): Promise<string> => view.page.evaluate(() => document.activeElement?.closest('.lane-row')?.querySelector('.tap')?.textContent ?? '');

describe('a lane', () => {
  it('names every node with what it says, and marks the chosen one as current', async () => {
    const view = await opened();
    const { row, position, tap } = run.first!;
    const list = view.page.getByRole('list', { name: /^Taps of layer 3, position 2/ });
    const names = await list.getByRole('button').evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label') ?? ''));
    tapList(run, row, position).forEach((one, i) => {
      const amounts = `differs, ${percent(one.differingBytes / one.bytes)} of bytes, ${formatCount(one.maxUlp)} ULP`;
      expect(names[i]).toMatch(one.state === 'differs' ? new RegExp(`^${one.tap}: ${amounts.replaceAll('.', '\\.')}`) : new RegExp(`^${one.tap}: equal`));
    });
    const current = list.locator('[aria-current=true]');
    expect(await current.count()).toBe(1);
    expect(await current.getAttribute('aria-label')).toMatch(new RegExp(`^${tap}: differs, .*the first that differs`));
    expect(await list.locator('.lane-row.first').count()).toBe(1);
    const taps = tapList(run, row, position);
    const until = taps[taps.findIndex(({ state }) => state === 'differs') - 1]!.tap;
    expect(await list.locator('.lane-row', { hasText: 'equal until here' }).locator('.tap').allInnerTexts()).toEqual([until]);
  });

  it('tells equal and differing nodes apart by shape as well as by colour', async () => {
    const view = await opened();
    const shapes = async (state: string): Promise<Set<string>> => new Set(await view.page.locator(`.lane-row.${state} .lane-mark path`).evaluateAll((paths) => paths.map((path) => path.getAttribute('d') ?? '')));
    const [equal, differs] = [await shapes('equal'), await shapes('differs')];
    expect([equal.size, differs.size]).toEqual([1, 1]);
    expect([...equal][0]).not.toBe([...differs][0]);
    const dashes = await view.page.locator('.lane-lines path').evaluateAll((paths) => paths.map((path) => [path.getAttribute('class'), getComputedStyle(path).strokeDasharray]));
    for (const [state, dash] of dashes) expect(dash === 'none', String(state)).toBe(state === 'line-equal');
  });

  it('shows both kernels where the arms ran different ones, and one where they did not', async () => {
    const view = await opened([bisectRun({ seed: 5, layers: 4, width: 8, first: { layer: 0, tap: 'in_proj_qkv', position: 0 } })], { width: 1800 });
    const name = view.page.locator('.lane-row', { hasText: 'in_proj_qkv' }).locator('.kernels');
    expect(await name.innerText()).toBe('qmv_b4_g64 | qmm_b4_g64');
    expect(await view.page.getByRole('button', { name: /^in_proj_qkv: .*kernel qmv_b4_g64 \| qmm_b4_g64$/ }).count()).toBe(1);
  });

  it('walks along the data, across branches and to both ends, and chooses with Enter', async () => {
    const view = await opened();
    const { keyboard } = view.page;
    await view.page.locator('.map-grid').focus();
    await keyboard.press('Enter');
    expect(await focusedTap(view)).toBe('q_rope');
    const seen: string[] = [];
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowRight', 'ArrowDown', 'ArrowRight', 'ArrowLeft', 'Home', 'End']) {
      await keyboard.press(key);
      seen.push(await focusedTap(view));
    }
    expect(seen).toEqual(['q_norm', 'q_proj', 'k_proj', 'k_norm', 'v_proj', 'k_norm', 'layer_input', 'layer_output'].map((name, i) => (i === 5 ? seen[5] : name)));
    expect(['k_norm', 'k_proj', 'k_rope']).toContain(seen[5]);
    const differing = tapList(run, 4, 2).filter(({ state }) => state === 'differs');
    const last = differing.at(-1)!;
    while ((await focusedTap(view)) !== last.tap) await keyboard.press('ArrowUp');
    await keyboard.press('Enter');
    expect((await lastSelection(view)).tap).toBe(last.differing);
    await keyboard.press('Escape');
    expect(await view.page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('grid');
  });

  it('goes on with n and p and with its buttons: to the next differing tap, and from the last one to the next differing cell', async () => {
    const view = await opened();
    const { keyboard } = view.page;
    await view.page.locator('.map-grid').focus();
    await keyboard.press('Enter');
    const all = [...differingCells(bisectGrid(run))];
    const from = all.indexOf(run.first!.row * run.cells.positions + run.first!.position);
    const cells = all.slice(from, from + 3).map((cell) => ({ row: Math.floor(cell / run.cells.positions), position: cell % run.cells.positions }));
    const taps = cells.flatMap(({ row, position }) => tapList(run, row, position).flatMap(({ differing }) => (differing < 0 ? [] : [{ row, position, tap: differing }])));
    for (const expected of taps.slice(1)) {
      await keyboard.press('n');
      expect(await lastSelection(view)).toMatchObject(expected);
      expect(await focusedTap(view)).toBe(run.differing.tap[expected.tap]);
    }
    for (const expected of taps.slice(0, -1).toReversed()) {
      await keyboard.press('p');
      expect(await lastSelection(view)).toMatchObject(expected);
    }
    await view.page.getByRole('button', { name: 'Next ›' }).click();
    expect(await lastSelection(view)).toMatchObject(taps[1]!);
    await view.page.getByRole('button', { name: '‹ Previous' }).click();
    expect(await lastSelection(view)).toMatchObject(taps[0]!);
  });

  it('draws taps that it does not know, as text, and does not choose what is equal', async () => {
    const odd = structuredClone(run);
    odd.tapsCompared['attention']!.splice(6, 0, '<img src=x onerror=alert(1)>');
    const view = await opened([odd]);
    expect(await view.page.locator('.lane-row .tap').nth(6).innerText()).toBe('<img src=x onerror=alert(1)>');
    const before = await lastSelection(view);
    await view.page.locator('.lane-row .tap').nth(6).click({ force: true });
    expect(await lastSelection(view)).toEqual(before);
    expect(view.errors).toEqual([]);
    expect(await view.violations()).toEqual([]);
  });

  it('has room in a narrow page and in every theme', async () => {
    for (const theme of ['dark', 'light', 'highContrast', 'highContrastLight'] satisfies ThemeName[]) {
      for (const width of [400, 800, 1400]) {
        const view = await opened([run], { theme, width });
        const wide = await view.page.locator('.lane-row').evaluateAll((rows) => rows.filter((row) => row.scrollWidth > row.clientWidth + 1).length);
        expect(wide, `${theme} ${width}`).toBe(0);
        expect(await view.page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
        await view.page.context().close();
      }
    }
  });
});

// The completions panel in use: long streams, keyboard alone, themes, sizes, and a page that is dropped.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromPanel, ToPanel } from '../../src/shared/panelProtocol';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { settled } from './page';
import { drafters, entryOf, models, options, runOf, served } from './panelData';
import { hostile } from './poison';

type Panel = ViewPage<FromPanel, ToPanel>;

let harness: ViewHarness<FromPanel, ToPanel>;
beforeAll(async () => {
  harness = await ViewHarness.start<FromPanel, ToPanel>('src/webview/panel/main.ts');
});
afterAll(() => harness.stop());

async function tell(view: Panel, ...messages: ToPanel[]): Promise<void> {
  for (const message of messages) await view.send(message);
  await settled(view.page);
}

const start: readonly ToPanel[] = [
  { type: 'server', server: served },
  { type: 'folders', models, drafters, model: models[0]!.path, drafter: drafters[0]!.path },
  { type: 'options', options },
  { type: 'prompt', text: '' },
];

async function opened(run = runOf(80), size: PageOptions = { width: 320, height: 900 }): Promise<Panel> {
  const view = await harness.open({ ...size, place: 'sideBar' });
  await tell(view, ...start, { type: 'history', entries: [entryOf(run)] }, { type: 'run', run });
  return view;
}

const place = (view: Panel): Promise<{ top: number; beyond: number }> => view.page.locator('.text').evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({ top: scrollTop, beyond: scrollHeight - clientHeight - scrollTop }));

describe('10,000 tokens', () => {
  it('only ever add nodes, follow the end, and let the reader look back', async () => {
    const whole = runOf(10_000);
    const view = await opened({ ...runOf(0, { state: 'running' }), text: '', tokens: [], end: '' });
    await view.page.locator('.text').evaluate((node) => {
      const seen = { removed: 0 };
      Object.assign(window, { seen });
      new MutationObserver((changes) => {
        for (const { removedNodes } of changes) seen.removed += removedNodes.length;
      }).observe(node, { childList: true, subtree: true });
    });
    const send = async (from: number, to: number): Promise<void> => {
      for (let i = from; i < to; i += 50) {
        const tokens = whole.tokens.slice(i, i + 50);
        await view.send({ type: 'tokens', id: whole.id, text: tokens.map(({ text }) => text).join(''), tokens, rates: { ...whole.rates, tokens: i + 50 } });
      }
      await settled(view.page);
    };
    await send(0, 5000);
    expect((await place(view)).beyond).toBeLessThan(2);
    await view.page.locator('.text').evaluate((node) => (node.scrollTop = 300));
    await settled(view.page);
    await send(5000, 10_000);
    expect((await place(view)).top).toBe(300);
    await tell(view, { type: 'run', run: whole });
    expect((await place(view)).top).toBe(300);
    expect(await view.page.evaluate(() => (window as unknown as { seen: unknown }).seen)).toEqual({ removed: 0 });
    expect(await view.page.locator('.text .token:not(.rest)').count()).toBe(10_000);
    expect(await view.page.locator('.text').evaluate((node) => node.textContent)).toBe(whole.text);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('are not read out one by one', async () => {
    const run = runOf(0, { state: 'running' });
    const view = await opened({ ...run, text: '', tokens: [], end: '' });
    await view.page.getByRole('status').evaluate((node) => {
      const said: string[] = [];
      Object.assign(window, { said });
      new MutationObserver(() => said.push(node.textContent)).observe(node, { childList: true, characterData: true, subtree: true });
    });
    const whole = runOf(30);
    for (const token of whole.tokens) await tell(view, { type: 'tokens', id: run.id, text: token.text, tokens: [token], rates: whole.rates });
    await tell(view, { type: 'run', run: whole });
    expect(await view.page.evaluate(() => (window as unknown as { said: string[] }).said)).toEqual(['qwen3.5-0.8b-4bit is ready. Run done: token limit: 30 tokens, 61.4 tokens per second.']);
    expect(await view.page.locator('.text[aria-live], .text[role=log]').count()).toBe(0);
  });
});

describe('by keyboard alone', () => {
  it('reaches every control, and walks over tokens that are spoken', async () => {
    const run = runOf(80);
    const view = await opened(run);
    const reached: string[] = [];
    for (let i = 0; i < 24; i++) {
      await view.page.keyboard.press('Tab');
      reached.push(await view.page.evaluate(() => (document.activeElement?.getAttribute('aria-label') ?? '') || (document.activeElement?.textContent ?? '')));
    }
    for (const name of ['Speculation', 'Model and drafter', 'Prompt', 'Use selection', 'Options', 'Text of the run', 'Insert', 'Inspect', 'History', 'Write a function', 'Remove the run', 'Clear all']) expect(reached.filter((one) => one.includes(name))).not.toEqual([]);
    await view.page.locator('.text').focus();
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await view.page.keyboard.press(key);
    await settled(view.page);
    expect(await view.page.locator('.text .current').evaluate((node) => node.textContent)).toBe(run.tokens[1]!.text);
    expect(await view.page.locator('.hover-card').isVisible()).toBe(true);
    expect(await view.page.locator('[aria-live=polite].reader-only').innerText()).toMatch(new RegExp(`^“${run.tokens[1]!.text.replace('(', '\\(')}”, probability .* margin .* origin ${run.tokens[1]!.origin}: `));
    await view.page.keyboard.press('End');
    await settled(view.page);
    expect((await place(view)).beyond).toBeLessThan(30);
    await view.page.keyboard.press('Escape');
    await settled(view.page);
    expect(await view.page.locator('.hover-card').isVisible()).toBe(false);
  });

  it('does not lose the focus when Stop goes', async () => {
    const run = runOf(10, { state: 'running' });
    const view = await opened(run);
    await view.page.getByRole('button', { name: 'Stop', exact: true }).focus();
    await view.page.keyboard.press('Enter');
    await tell(view, { type: 'run', run: { ...run, state: 'stopped' } });
    expect(await view.page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Prompt');
  });
});

describe('sizes', () => {
  it.each([200, 320, 640, 1000, 1200])('nothing leaves a page of %i pixels, and the text keeps room', async (width) => {
    for (const height of [260, 800]) {
      const view = await opened(runOf(80), { width, height });
      await view.page.evaluate(() => document.querySelectorAll<HTMLElement>('details:not([open]) > summary').forEach((summary) => summary.click()));
      await settled(view.page);
      const beyond = await view.page.evaluate(() => [...document.querySelectorAll('.panel, .ask, .server, .prompt, .run, .aside')].map((node) => node.scrollWidth - node.clientWidth));
      expect(Math.max(...beyond)).toBeLessThanOrEqual(0);
      expect((await view.page.locator('.text').boundingBox())!.height).toBeGreaterThanOrEqual(70);
      await view.page.context().close();
    }
  });
});

it.each([900, 1200])('a low panel of %i x 260 with everything open has prompt box and Run in sight', async (width) => {
  const view = await opened(runOf(80), { width, height: 260 });
  await view.page.evaluate(() => document.querySelectorAll<HTMLElement>('details:not([open]) > summary').forEach((summary) => summary.click()));
  await settled(view.page);
  for (const part of [view.page.getByRole('textbox', { name: 'Prompt' }), view.page.getByRole('button', { name: 'Run', exact: true })]) {
    const { x, y, width: wide, height: high } = (await part.boundingBox())!;
    expect([x >= 0, y >= 0, x + wide <= width, y + high <= 260]).toEqual([true, true, true, true]);
  }
});

describe('themes', () => {
  it.each(['dark', 'light', 'highContrast', 'highContrastLight'] as const)('text and lines under tokens stand off in %s', async (theme) => {
    const view = await opened(runOf(80), { theme, width: 320, height: 900 });
    await tell(view, { type: 'run', run: { ...runOf(40), tokens: runOf(40).tokens.map((token, i) => (i > 20 ? { ...token, origin: 'classic' } : token)) } });
    const worst = await view.page.evaluate(() => {
      const canvas = document.createElement('canvas');
      const context = canvas.getContext('2d', { willReadFrequently: true })!;
      /** Paints colours over each other and gives the relative luminance of what is seen. */
      const luminance = (...colours: string[]): number => {
        context.clearRect(0, 0, 1, 1);
        for (const colour of colours) {
          context.fillStyle = colour;
          context.fillRect(0, 0, 1, 1);
        }
        const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data].slice(0, 3).map((n) => (n / 255 <= 0.03928 ? n / 255 / 12.92 : ((n / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
      };
      const contrast = (a: number, b: number): number => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      const ground = getComputedStyle(document.querySelector('.text')!).backgroundColor;
      return [...document.querySelectorAll('.text .token')].map((node) => {
        const { backgroundColor, color, textDecorationColor } = getComputedStyle(node);
        const behind = luminance(ground, backgroundColor);
        return { text: contrast(luminance(ground, backgroundColor, color), behind), line: contrast(luminance(ground, backgroundColor, textDecorationColor), behind) };
      });
    });
    for (const { text, line } of worst) {
      expect(text).toBeGreaterThanOrEqual(4.5);
      expect(line).toBeGreaterThanOrEqual(3);
    }
    const styles = await view.page.locator('.text .token').evaluateAll((nodes) => nodes.map((node) => `${node.classList[1]!} ${getComputedStyle(node).textDecorationStyle}`));
    expect(new Set(styles)).toEqual(new Set(['prefill dashed', 'draft solid', 'bonus double', 'classic dotted']));
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('moves nothing where less motion is wished', async () => {
    const view = await opened(runOf(5, { state: 'running' }));
    expect(await view.page.locator('.run .sign-running').evaluate((node) => getComputedStyle(node).animationName)).toBe('none');
    await view.page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await view.page.locator('.run .sign-running').evaluate((node) => getComputedStyle(node).animationName)).toBe('turn');
  });
});

describe('a page that was dropped', () => {
  it('comes back as it was', async () => {
    const run = runOf(400);
    const view = await opened(run, { width: 240, height: 600 });
    await view.page.getByRole('textbox', { name: 'Prompt' }).fill(`draft ${hostile}`);
    await view.page.locator('.section-options summary').click();
    await view.page.getByRole('textbox', { name: 'Max. tokens' }).fill('77');
    await view.page.locator('.text').evaluate((node) => (node.scrollTop = 210));
    await view.page.locator('.panel').evaluate((node) => (node.scrollTop = 150));
    await settled(view.page);
    await view.page.reload();
    await tell(view, ...start, { type: 'history', entries: [entryOf(run)] }, { type: 'run', run });
    expect(await view.page.getByRole('textbox', { name: 'Prompt' }).inputValue()).toBe(`draft ${hostile}`);
    expect(await view.page.getByRole('textbox', { name: 'Max. tokens' }).inputValue()).toBe('77');
    expect(await view.page.locator('.section-options').evaluate((node) => (node as HTMLDetailsElement).open)).toBe(true);
    expect((await place(view)).top).toBe(210);
    expect(await view.page.locator('.panel').evaluate((node) => node.scrollTop)).toBe(150);
  });
});

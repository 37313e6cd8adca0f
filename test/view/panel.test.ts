// The completions panel in a real browser: what each message shows, and what each control asks for.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromPanel, PanelRun, ToPanel } from '../../src/shared/panelProtocol';
import { escaped, tokenFacts } from '../../src/webview/panel/model/origins';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { settled } from './page';
import { declined, drafters, entryOf, models, noServer, options, runOf, served } from './panelData';
import { hostile, poisoned } from './poison';

type Panel = ViewPage<FromPanel, ToPanel>;

let harness: ViewHarness<FromPanel, ToPanel>;
beforeAll(async () => {
  harness = await ViewHarness.start<FromPanel, ToPanel>('src/webview/panel/main.ts');
});
afterAll(() => harness.stop());

const old = runOf(20, { seed: 2, width: 1, prompt: 'fn main() {\n' });
const broken = runOf(1, { seed: 3, state: 'failed', end: 'The engine process ended (signal 9).', tokens: [], text: '' });

async function tell(view: Panel, ...messages: ToPanel[]): Promise<void> {
  for (const message of messages) await view.send(message);
  await settled(view.page);
}

/** A panel with a served model and a run. */
async function opened(run: PanelRun | null, size: PageOptions = { width: 320, height: 900 }): Promise<Panel> {
  const view = await harness.open({ ...size, place: 'sideBar' });
  await tell(
    view,
    { type: 'server', server: served },
    { type: 'folders', models, drafters, model: models[0]!.path, drafter: drafters[0]!.path },
    { type: 'options', options },
    { type: 'prompt', text: 'Merge two lists.' },
    { type: 'history', entries: [...(run === null ? [] : [run]), old, broken].map(entryOf) },
    { type: 'run', run },
  );
  return view;
}

const button = (view: Panel, name: string): ReturnType<Panel['page']['locator']> => view.page.getByRole('button', { name, exact: true });
const asked = async (view: Panel): Promise<FromPanel[]> => (await view.posted()).filter(({ type }) => type !== 'ready');
const isDisabled = (view: Panel, name: string): Promise<boolean> => button(view, name).evaluate((node) => (node.getRootNode() instanceof ShadowRoot ? ((node.getRootNode() as ShadowRoot).host as HTMLButtonElement).disabled : (node as HTMLButtonElement).disabled));
const textShown = (view: Panel): Promise<string> => view.page.locator('.text').evaluate((node) => node.textContent);
const inText = (view: Panel, token: number): ReturnType<Panel['page']['locator']> => view.page.locator('.text .token').nth(token);
const field = (view: Panel, name: string): ReturnType<Panel['page']['locator']> => view.page.getByRole('textbox', { name });

describe('the server', () => {
  it('is asked for, and its absence says what to do', async () => {
    const view = await harness.open({ width: 240, height: 800, place: 'sideBar' });
    expect(await view.posted()).toEqual([{ type: 'ready' }]);
    // Nothing is known yet: neither that there is no run, nor that there is no history.
    for (const empty of ['.run .empty', '.section-history .empty']) expect(await view.page.locator(empty).isVisible()).toBe(false);
    await tell(view, { type: 'server', server: noServer }, { type: 'folders', models, drafters, model: '', drafter: '' });
    expect(await view.page.locator('.server').innerText()).toContain('Pick a model folder and start it here, or attach to a server');
    expect(await isDisabled(view, 'Start')).toBe(true);
    expect(await isDisabled(view, 'Run')).toBe(true);
    expect(await view.page.locator('.run').innerText()).toContain('No run yet.');
    await view.page.getByRole('combobox', { name: 'Model' }).selectOption(models[2]!.path);
    await view.page.getByRole('combobox', { name: 'Drafter' }).selectOption(drafters[0]!.path);
    await settled(view.page);
    await button(view, 'Start').click();
    expect((await asked(view)).at(-1)).toEqual({ type: 'serve', model: models[2]!.path, drafter: drafters[0]!.path });
  });

  it('offers folders by name, two of one name with their place', async () => {
    const view = await opened(null);
    const names = await view.page.getByRole('combobox', { name: 'Model', includeHidden: true }).locator('option').allTextContents();
    expect(names).toEqual(['Pick a model', 'qwen3.5-0.8b-4bit', 'llama-3.2-1b (/models/a)', 'llama-3.2-1b (/models/b)']);
  });

  it.each([
    ['starting', 'The weights are read'],
    ['away', 'is being started again'],
    ['failed', 'Mend it and start again'],
  ] as const)('says what %s means', async (state, words) => {
    const view = await opened(null);
    await tell(view, { type: 'server', server: { ...served, state, problem: state === 'failed' ? 'Port 8321 is taken.' : '' } });
    const shown = await view.page.locator('.server').innerText();
    expect(shown).toContain(words);
    if (state === 'failed') expect(shown).toContain('Port 8321 is taken.');
    expect(await isDisabled(view, 'Run')).toBe(true);
    expect(await view.page.getByRole('status').innerText()).not.toBe('');
  });

  it('browses, attaches, stops and starts again', async () => {
    const view = await opened(null);
    await view.page.locator('.section-pick summary').click();
    for (const name of ['Browse for a model folder', 'Browse for a drafter folder', 'Start again', 'Stop server', 'Attach…']) await view.page.getByRole('button', { name, exact: true }).first().click();
    expect(await asked(view)).toEqual([{ type: 'browse', what: 'model' }, { type: 'browse', what: 'drafter' }, { type: 'serve', model: models[0]!.path, drafter: drafters[0]!.path }, { type: 'stopServer' }, { type: 'attach' }]); // prettier-ignore
  });

  it('tells why there is no speculation, one click away', async () => {
    const view = await opened(null);
    await tell(view, { type: 'server', server: declined });
    const section = view.page.locator('.section-reason');
    expect(await section.innerText()).toContain('off · why?');
    await section.locator('summary').click();
    expect(await section.innerText()).toContain(declined.speculation);
    await button(view, 'Ask the gate…').click();
    expect(await asked(view)).toEqual([{ type: 'askGate' }]);
    for (const other of [{ ...declined, drafter: '' }, { ...declined, kind: 'attached' as const }]) {
      await tell(view, { type: 'server', server: other });
      expect(await button(view, 'Ask the gate…').isVisible()).toBe(false);
    }
  });
});

describe('the prompt', () => {
  it('runs by button and by Ctrl+Enter, with the options of the boxes', async () => {
    const view = await opened(null);
    await button(view, 'Run').click();
    await view.page.locator('.section-options summary').click();
    await field(view, 'Max. tokens').fill('12');
    await field(view, 'Temperature').fill('0.5');
    for (const name of ['Chat', 'Speculation', 'Prefix cache']) await view.page.getByRole('checkbox', { name }).click();
    await field(view, 'Prompt').fill('Two\nlines');
    await view.page.keyboard.press('Enter');
    await view.page.keyboard.press('Control+Enter');
    expect(await asked(view)).toEqual([
      { type: 'complete', prompt: 'Merge two lists.', options },
      { type: 'complete', prompt: 'Two\nlines\n', options: { maxTokens: 12, temperature: 0.5, chat: true, speculation: false, cache: false } },
    ]);
  });

  it('refuses what is no number, an empty prompt, and a second run beside the first', async () => {
    const view = await opened(null);
    await view.page.locator('.section-options summary').click();
    await field(view, 'Max. tokens').fill('many');
    await settled(view.page);
    expect(await view.page.locator('.run-note').innerText()).toContain('give a whole number');
    await field(view, 'Prompt').press('Control+Enter');
    await field(view, 'Max. tokens').fill('5');
    await field(view, 'Prompt').fill('');
    await field(view, 'Prompt').press('Control+Enter');
    await tell(view, { type: 'run', run: runOf(3, { state: 'running' }) });
    await field(view, 'Prompt').fill('x');
    await field(view, 'Prompt').press('Control+Enter');
    expect(await isDisabled(view, 'Run')).toBe(true);
    expect(await asked(view)).toEqual([]);
  });

  it('takes the selection', async () => {
    const view = await opened(null);
    await button(view, 'Use selection').click();
    expect(await asked(view)).toEqual([{ type: 'useSelection' }]);
    await tell(view, { type: 'prompt', text: 'let x = 1;\n' });
    expect(await field(view, 'Prompt').inputValue()).toBe('let x = 1;\n');
  });
});

describe('a run', () => {
  it('shows its text to the byte, every token with its origin', async () => {
    const run = runOf(150);
    const view = await opened(run);
    expect(await textShown(view)).toBe(run.text);
    const origins = await view.page.locator('.text .token:not(.rest)').evaluateAll((nodes) => nodes.map((node) => node.classList[1]));
    expect(origins).toEqual(run.tokens.map(({ origin }) => origin));
    const legend = await view.page.locator('.origins').innerText();
    for (const origin of ['draft', 'bonus'] as const) expect(legend.replace(/\s+/g, ' ')).toContain(`${origin} ${run.tokens.filter((token) => token.origin === origin).length}`);
    const bars = await view.page.getByRole('img', { name: /^Accepted drafts of / }).locator('path').getAttribute('d');
    expect(bars!.match(/M/g)!.length).toBe(run.rates.acceptedPerRound.filter((n) => n > 0).length);
  });

  it('streams: tokens come to the end, rates follow, and nothing is drawn twice', async () => {
    const whole = runOf(60);
    const run = runOf(0, { state: 'running', tokens: [], text: '' });
    const view = await opened({ ...run, tokens: [], text: '' });
    for (let i = 0; i < 60; i += 4) {
      const tokens = whole.tokens.slice(i, i + 4);
      await view.send({ type: 'tokens', id: run.id, text: tokens.map(({ text }) => text).join(''), tokens, rates: { ...whole.rates, tokens: i + tokens.length } });
      if (i === 0) {
        await settled(view.page);
        await inText(view, 0).evaluate((node) => Object.assign(node, { kept: true }));
      }
    }
    await tell(view, { type: 'run', run: { ...whole, state: 'done' } });
    expect(await textShown(view)).toBe(whole.text);
    expect(await inText(view, 0).evaluate((node) => 'kept' in node)).toBe(true);
    expect(await view.page.locator('.figures').innerText()).toMatch(/Tokens\s+60/);
    expect(await view.page.locator('.run-head').innerText()).toContain('done: token limit');
  });

  it('is copied as it came, whatever blocks it is drawn in', async () => {
    const run = runOf(300);
    const view = await opened(run);
    const copied = await view.page.locator('.text').evaluate((node) => {
      getSelection()!.selectAllChildren(node);
      const clipboardData = new DataTransfer();
      node.dispatchEvent(new ClipboardEvent('copy', { clipboardData, cancelable: true }));
      return clipboardData.getData('text/plain');
    });
    expect(copied).toBe(run.text);
    expect(await view.page.locator('.text > div').count()).toBeGreaterThan(2);
    // A block shows as many lines as the same text in one piece.
    const lines = await view.page.locator('.text').evaluate((node) => {
      const one = node.cloneNode() as HTMLElement;
      one.append(...[...node.querySelectorAll('.token')].map((token) => token.cloneNode(true)));
      node.after(one);
      return [node.scrollHeight, one.scrollHeight];
    });
    expect(lines[0]).toBe(lines[1]);
  });

  it('gives signs to what cannot be seen, and keeps half characters together', async () => {
    const token = (text: string): PanelRun['tokens'][number] => ({ text, origin: 'classic', round: -1, logprob: null, margin: null });
    const tokens = ['a', '\ufffd', '\ufffd', '\n\n', '\u200b', '<|end|>'].map(token);
    const view = await opened(runOf(0, { tokens, text: 'aé\n\n\u200b' }));
    expect(await textShown(view)).toBe('aé\n\n\u200b');
    const signs = await view.page.locator('.text .token').evaluateAll((nodes) => nodes.map((node) => getComputedStyle(node, '::before').content));
    expect(signs).toEqual(['none', '"▯"', 'none', '"↵"', '"▯"', '"▯"']);
  });

  it('shows the card of a token under the pointer, and its round', async () => {
    const run = runOf(40);
    const view = await opened(run);
    const index = run.tokens.findIndex(({ origin }, i) => origin === 'draft' && run.tokens[i + 1]?.origin === 'draft');
    const { round, text } = run.tokens[index]!;
    await inText(view, index).hover();
    const card = view.page.locator('.hover-card');
    expect(await card.locator('header').innerText()).toBe(escaped(text));
    const pairs = await card.locator('dl').evaluate((list) => [...list.querySelectorAll('dt')].map((name) => [name.textContent, name.nextElementSibling!.textContent]));
    expect(pairs).toEqual(tokenFacts(run.tokens[index]!, run));
    expect(pairs.at(-1)).toEqual(['round', `${round}, ${run.rates.acceptedPerRound[round]} drafts accepted`]);
    const together = await view.page.locator('.text .same-round').count();
    expect(together).toBe(run.tokens.filter((token) => token.round === round).length);
    await view.page.locator('.server').hover();
    expect(await card.isVisible()).toBe(false);
  });

  it('hides the card of a token that the page carries away from under the pointer', async () => {
    const view = await opened(runOf(40), { width: 320, height: 500 });
    await inText(view, 3).hover();
    const card = view.page.locator('.hover-card');
    expect(await card.isVisible()).toBe(true);
    await view.page.locator('.panel').evaluate((node) => node.scrollBy(0, node.scrollTop > 0 ? -node.scrollTop : node.scrollHeight));
    await settled(view.page);
    const below = (await card.isVisible()) ? await card.locator('header').innerText() : '';
    expect(below).not.toBe(escaped(runOf(40).tokens[3]!.text));
  });

  it.each([[240, 300], [1200, 260]])('keeps the card inside of a page of %i x %i', async (width, height) => {
    const view = await opened(runOf(60), { width, height });
    await view.page.locator('.text').focus();
    for (const key of ['Home', ...Array.from({ length: 12 }, () => 'ArrowRight'), 'End']) {
      await view.page.keyboard.press(key);
      await settled(view.page);
      const box = (await view.page.locator('.hover-card').boundingBox())!;
      expect(Math.min(box.x, box.y)).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
  });

  it('can be stopped while it runs, and used when it has ended', async () => {
    const run = runOf(12, { state: 'running' });
    const view = await opened(run);
    for (const name of ['Insert', 'Replace', 'Copy', 'Capture', 'Inspect']) expect(await isDisabled(view, name)).toBe(true);
    await button(view, 'Stop').click();
    await tell(view, { type: 'run', run: { ...run, state: 'stopped', end: '' } });
    expect(await button(view, 'Stop').count()).toBe(0);
    for (const name of ['Insert', 'Replace', 'Copy', 'Capture', 'Inspect']) await button(view, name).click();
    expect(await asked(view)).toEqual(['stop', 'insert', 'replace', 'copy', 'capture', 'inspect'].map((type) => ({ type, id: run.id })));
  });

  it('says what cannot be done with it', async () => {
    const view = await opened(old);
    for (const name of ['Capture', 'Inspect']) expect(await isDisabled(view, name)).toBe(true);
    await tell(view, { type: 'run', run: { ...broken, declined: 'The gate declined.' } });
    expect(await isDisabled(view, 'Insert')).toBe(true);
    const shown = await view.page.locator('.run').innerText();
    expect(shown).toContain('The engine process ended (signal 9).');
    expect(await view.page.locator('.text').isVisible()).toBe(false);
    expect(shown).toMatch(/No speculation\s+The gate declined\./);
  });
});

describe('the history', () => {
  it('shows, removes, and clears only when asked twice', async () => {
    const run = runOf(20);
    const view = await opened(run);
    const entries = view.page.locator('.history li');
    expect(await entries.count()).toBe(3);
    expect(await view.page.locator('.history [aria-current=true]').innerText()).toContain('Write a function');
    await entries.nth(1).locator('.entry').click();
    await entries.nth(1).locator('.remove').click();
    await button(view, 'Clear all').click();
    await button(view, 'Keep').click();
    await button(view, 'Clear all').click();
    await button(view, 'Remove all').click();
    expect(await asked(view)).toEqual([{ type: 'show', id: old.id }, { type: 'remove', id: old.id }, { type: 'clearHistory' }]); // prettier-ignore
    await tell(view, { type: 'history', entries: [] });
    expect(await view.page.locator('.section-history').innerText()).toContain('Runs of this workspace are kept here.');
  });

  it('leads back to a run that goes on, which is neither removed nor counted among those to be cleared', async () => {
    const running = runOf(20, { seed: 4, state: 'running', end: '' });
    const view = await opened(running);
    await tell(view, { type: 'run', run: old });
    const entry = view.page.locator('.history li').first();
    expect(await entry.innerText()).toContain('running');
    expect(await entry.locator('.remove').count()).toBe(0);
    expect(await isDisabled(view, 'Run')).toBe(true);
    await entry.locator('.entry').click();
    await tell(view, { type: 'run', run: running });
    await button(view, 'Stop').click();
    expect(await asked(view)).toEqual([{ type: 'show', id: running.id }, { type: 'stop', id: running.id }]);
    await button(view, 'Clear all').click();
    await view.page.locator('.clearing', { hasText: 'Remove 2 runs?' }).waitFor();
    await tell(view, { type: 'history', entries: [running].map(entryOf) });
    expect(await view.page.locator('.clearing').isVisible()).toBe(false);
  });

  it('leaves the focus where it was when an entry goes', async () => {
    const run = runOf(20);
    const view = await opened(run);
    await view.page.locator('.history li').nth(1).locator('.remove').focus();
    await view.page.keyboard.press('Enter');
    await tell(view, { type: 'history', entries: [run, broken].map(entryOf) });
    expect(await view.page.locator('.history li').nth(1).locator('.remove').evaluate((node) => node === document.activeElement)).toBe(true);
  });
});

describe('hostile texts', () => {
  it('stay text, and leave the page its width', async () => {
    const run = runOf(30);
    const tokens = run.tokens.map((token) => ({ ...token, text: hostile }));
    const view = await opened({ ...poisoned(run), id: 'x', state: 'done', text: hostile.repeat(30), tokens, declined: hostile }, { width: 200, height: 700 });
    await tell(view, { type: 'server', server: { ...poisoned(served), state: 'failed', kind: 'attached' } }, { type: 'history', entries: [{ ...entryOf(run), prompt: hostile, model: 'm'.repeat(300) }] }, { type: 'folders', models: poisoned(models), drafters: poisoned(drafters), model: hostile, drafter: hostile }, { type: 'prompt', text: hostile });
    await inText(view, 3).hover();
    expect(await view.page.evaluate(() => 'hacked' in window)).toBe(false);
    expect(await view.page.locator('#root img, #root script').count()).toBe(0);
    expect(await textShown(view)).toBe(hostile.repeat(30));
    expect(await view.page.locator('.panel').evaluate((node) => node.scrollWidth - node.clientWidth)).toBe(0);
    expect(await view.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0);
    expect([...view.errors, ...(await view.violations())]).toEqual([]);
  });

  it('a message that cannot be drawn is told to the host, and the next one is drawn', async () => {
    const view = await opened(null);
    await tell(view, { type: 'run', run: { ...runOf(3), rates: null } as unknown as PanelRun });
    expect((await asked(view)).map(({ type }) => type)).toContain('failed');
    const run = runOf(5, { seed: 9 });
    await tell(view, { type: 'run', run });
    expect(await textShown(view)).toBe(run.text);
  });
});

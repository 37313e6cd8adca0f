import { describe, expect, it } from 'vitest';
import type { ToPanel } from '../../../src/shared/panelProtocol';
import { isBusy, reduce, savedOf, startOf, type Action, type State } from '../../../src/webview/panel/store';
import { drafters, entryOf, models, options, runOf, served } from '../../view/panelData';

const then = (state: State, ...actions: Action[]): State => actions.reduce(reduce, state);
const told = (message: ToPanel): Action => ({ type: 'told', message });
const start = (): State => then(startOf(null), told({ type: 'options', options }), told({ type: 'prompt', text: '' }));
/** What a dropped page is given when it comes back. */
const dropped = (state: State): State => startOf(JSON.parse(JSON.stringify(savedOf(state))));

describe('what the host tells', () => {
  it('is taken as it is', () => {
    const state = then(start(), told({ type: 'server', server: served }), told({ type: 'folders', models, drafters, model: 'm', drafter: 'd' }), told({ type: 'history', entries: [entryOf(runOf(3))] }));
    expect(state).toMatchObject({ server: served, models, drafters, picked: { model: 'm', drafter: 'd' } });
    expect(state.history.map(({ tokens }) => tokens)).toEqual([3]);
  });

  it('adds tokens to the run that is shown, and to no other', () => {
    const run = runOf(4, { state: 'running' });
    const more = runOf(6);
    const tokens = { type: 'tokens', id: run.id, text: 'xy', tokens: more.tokens.slice(4), rates: more.rates } as const;
    const state = then(start(), told({ type: 'run', run }));
    const grown = then(state, told(tokens)).run!;
    expect(grown.text).toBe(`${run.text}xy`);
    expect(grown.tokens).toEqual([...run.tokens, ...more.tokens.slice(4)]);
    expect(grown.rates).toBe(more.rates);
    expect(then(state, told({ ...tokens, id: 'other' }))).toBe(state);
  });

  it('keeps what is drawn of a run that comes again at its end, and draws anew what is another', () => {
    const run = runOf(4, { state: 'running' });
    const running = then(start(), told({ type: 'run', run }));
    const ended = then(running, told({ type: 'run', run: { ...runOf(4), end: 'stop' } }));
    expect(ended.shown).toBe(running.shown);
    expect(ended.run).toMatchObject({ state: 'done', end: 'stop' });
    expect(ended.run!.tokens).toBe(run.tokens);
    expect(then(ended, told({ type: 'run', run: runOf(5) })).shown).toBe(ended.shown + 1);
    expect(then(ended, told({ type: 'run', run: null })).run).toBeNull();
  });

  it('follows a running text, and begins an older one at its start', () => {
    const running = then(start(), told({ type: 'run', run: null }), { type: 'scrolled', scroll: { text: 40 } }, told({ type: 'run', run: runOf(4, { state: 'running' }) }));
    expect(running.scroll.text).toBeNull();
    expect(then(running, told({ type: 'run', run: runOf(9, { seed: 2 }) })).scroll.text).toBe(0);
  });

  it('is busy while any run goes on', () => {
    const run = runOf(2, { state: 'running' });
    const old = runOf(2, { seed: 2 });
    expect(isBusy(start())).toBe(false);
    expect(isBusy(then(start(), told({ type: 'run', run })))).toBe(true);
    expect(isBusy(then(start(), told({ type: 'run', run: old }), told({ type: 'history', entries: [run, old].map(entryOf) })))).toBe(true);
    // The list may be told after the run.
    expect(isBusy(then(start(), told({ type: 'history', entries: [entryOf(run)] }), told({ type: 'run', run: runOf(2) })))).toBe(false);
  });

  it('asks no longer whether to clear what is gone', () => {
    const asking = then(start(), told({ type: 'history', entries: [entryOf(runOf(2))] }), { type: 'clearing', clearing: true });
    expect(asking.clearing).toBe(true);
    expect(then(asking, told({ type: 'history', entries: [] })).clearing).toBe(false);
  });
});

describe('a page that was dropped', () => {
  const left = then(start(), { type: 'prompt', prompt: 'half a thought' }, { type: 'boxes', boxes: { maxTokens: '12x', chat: true } }, { type: 'section', name: 'options', open: true }, { type: 'scrolled', scroll: { page: 120, text: 30 } });

  it('comes back with its boxes, folds and places, when the host says what it said before', () => {
    const back = then(dropped(left), told({ type: 'options', options }), told({ type: 'prompt', text: '' }), told({ type: 'run', run: runOf(4) }));
    expect(back).toMatchObject({ prompt: 'half a thought', boxes: { maxTokens: '12x', chat: true }, sections: { options: true }, scroll: { page: 120, text: 30 } });
  });

  it('takes what the host changed meanwhile, and everything it says later', () => {
    const changed = then(dropped(left), told({ type: 'options', options: { ...options, maxTokens: 7 } }), told({ type: 'prompt', text: 'selected' }));
    expect(changed).toMatchObject({ prompt: 'selected', boxes: { maxTokens: '7', chat: false } });
    const later = then(dropped(left), told({ type: 'prompt', text: '' }), told({ type: 'prompt', text: '' }));
    expect(later.prompt).toBe('');
  });

  it('starts anew from what it does not know', () => {
    for (const saved of [null, 7, 'x', {}, { version: 0, kept: {} }]) expect(startOf(saved)).toMatchObject({ prompt: '', sections: {}, returned: { prompt: false } });
  });
});

it('gives the same state when nothing changes', () => {
  const state = start();
  expect(then(state, { type: 'prompt', prompt: '' })).toBe(state);
  expect(then(state, { type: 'scrolled', scroll: { page: 0 } })).toBe(state);
});

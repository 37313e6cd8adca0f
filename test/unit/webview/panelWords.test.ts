import { describe, expect, it } from 'vitest';
import { boxesOf, optionsInWords, optionsOf } from '../../../src/webview/panel/model/boxes';
import { escaped, signOf, tokenFacts, tokenInWords } from '../../../src/webview/panel/model/origins';
import { barsOf, mostBars, pathOf } from '../../../src/webview/panel/model/rounds';
import { announced, figuresOf, firstLine, speculationInWords, stateInWords, whenInWords, whyInWords } from '../../../src/webview/panel/model/words';
import { declined, noServer, options, runOf, served } from '../../view/panelData';
import { random } from '../../view/random';

describe('a token in words', () => {
  it('is written so that everything in it can be seen', () => {
    expect(escaped(' a\n\t"b"\\')).toBe('“ a\\n\\t"b"\\\\”');
    expect(escaped('\u202e\u200b\u00a0\u0007\u2028')).toBe('“\\u{202e}\\u{200b}\\u{a0}\\u0007\\u{2028}”');
    expect(escaped('\ufffd')).toBe('“\ufffd”');
    expect(escaped('x'.repeat(500)).length).toBeLessThan(90);
  });

  it('tells probability, margin, origin and round', () => {
    const run = runOf(30);
    const round = 3;
    const token = { text: 'a', origin: 'draft', round, logprob: Math.log(0.25), margin: 1.23456 } as const;
    expect(Object.fromEntries(tokenFacts(token, run))).toEqual({ 'probability': '25 %', 'margin': '1.23 logits', 'origin': 'draft: proposed by the drafter and accepted', 'round': `${round}, ${run.rates.acceptedPerRound[round]} ${run.rates.acceptedPerRound[round] === 1 ? 'draft' : 'drafts'} accepted` });
    expect(tokenFacts({ text: '', origin: 'unknown', round: -1, logprob: null, margin: null }, run)).toEqual([['probability', 'not told'], ['margin', 'not told'], ['origin', 'not told: the server does not say']]); // prettier-ignore
    expect(Object.fromEntries(tokenFacts({ ...token, logprob: -Number.MAX_VALUE, round: 999 }, run))).toMatchObject({ probability: '0 %', round: '999' });
    expect(tokenInWords({ ...token, text: '\ufffd' }, run)).toMatch(/^“\ufffd”, part of a character, probability 25 %, margin 1.23 logits, origin draft: /);
  });

  it('gets a sign where nothing of it can be seen', () => {
    expect(['\n', '\n   ', ' \n'].map(signOf)).toEqual(['breaks', 'breaks', 'breaks']);
    expect(['', '\u200b', '\u0000'].map(signOf)).toEqual(['unseen', 'unseen', 'unseen']);
    expect([' ', '\t', 'a\n', '.'].map(signOf)).toEqual([null, null, null, null]);
  });
});

describe('boxes', () => {
  it('give the options they were filled from', () => {
    const all = { maxTokens: 64, temperature: 0.7, chat: true, speculation: false, cache: false };
    expect(optionsOf(boxesOf(all))).toEqual(all);
    expect(optionsInWords(all)).toBe('64 tokens · temperature 0.7 · chat · no speculation · no cache');
    expect(optionsInWords(options)).toBe('256 tokens · greedy');
  });

  it.each(['', ' ', '0', '-1', '1.5', 'ten', '1e9', 'NaN', 'Infinity'])('refuse %j tokens, with what to do', (maxTokens) => {
    expect(optionsOf({ ...boxesOf(options), maxTokens })).toMatch(/^Max. tokens: give a whole number from 1 to 1,000,000\.$/);
  });

  it.each(['', '-0.1', '11', 'hot', 'NaN'])('refuse a temperature of %j', (temperature) => {
    expect(optionsOf({ ...boxesOf(options), temperature })).toMatch(/^Temperature: give a number from 0/);
  });
});

describe('bars of accepted drafts', () => {
  it('are the rounds themselves while they have room', () => {
    expect(barsOf([0, 3, 1])).toEqual([0, 3, 1]);
    expect(barsOf([])).toEqual([]);
    expect(pathOf([0, 2], 3)).toBe('M1.1 3v-2h0.8v2z');
  });

  it('are means of neighbours beyond that, and keep the mean of all', () => {
    const dice = random(5);
    const rounds = Array.from({ length: mostBars * 7 }, () => dice.whole(0, 4));
    const bars = barsOf(rounds);
    expect(bars.length).toBe(mostBars);
    expect(bars[1]).toBeCloseTo(rounds.slice(7, 14).reduce((sum, n) => sum + n, 0) / 7, 12);
    const mean = (all: readonly number[]): number => all.reduce((sum, n) => sum + n, 0) / all.length;
    expect(mean(bars)).toBeCloseTo(mean(rounds), 10);
  });
});

describe('server and run in words', () => {
  it('says whether there is speculation and why not', () => {
    expect(speculationInWords(served)).toBe('on · qwen3.5-0.8b-dflash');
    expect(speculationInWords(declined)).toBe('off · why?');
    expect(whyInWords(declined)).toBe(declined.speculation);
    const unknown = { ...served, speculating: null, speculation: '' };
    expect(speculationInWords(unknown)).toBe('being checked');
    expect(whyInWords(unknown)).toContain('The exactness gate runs');
    expect(whyInWords({ ...unknown, kind: 'attached' })).toContain('does not say');
    expect(whyInWords({ ...unknown, speculating: false, drafter: '' })).toContain('No drafter is loaded');
  });

  it('names states, ends and figures', () => {
    expect(stateInWords(runOf(2))).toBe('done: token limit');
    expect(stateInWords({ state: 'failed', end: 'The engine died.' })).toBe('failed');
    const run = runOf(30);
    const { rounds, drafted } = run.rates;
    expect(figuresOf(run).map(([name]) => name)).toEqual(['Tokens', 'Rate', 'First token', 'Prompt', 'Rounds', 'Accepted']);
    expect(Object.fromEntries(figuresOf(run))).toMatchObject({ 'Tokens': '30', 'Rate': '61.4 /s', 'First token': '214 ms', 'Prompt': '57, 32 cached', 'Rounds': String(rounds) });
    expect(Object.fromEntries(figuresOf(run))['Accepted']).toMatch(new RegExp(` % of ${drafted}$`));
    const waits = { ...runOf(0, { width: 1, state: 'running' }), tokens: [] };
    expect(Object.fromEntries(figuresOf({ ...waits, rates: { ...waits.rates, firstMs: null, tokensPerSecond: null, cachedTokens: 0 } }))).toMatchObject({ 'Rate': '–', 'First token': 'reads the prompt', 'Prompt': '57' });
    // The length of the prompt comes with the end of the answer.
    expect(Object.fromEntries(figuresOf({ ...waits, rates: { ...waits.rates, promptTokens: 0, cachedTokens: 0 } }))['Prompt']).toBe('–');
    expect(firstLine('\n  a b\nc')).toBe('a b');
  });

  it('tells states to readers by ear, not tokens', () => {
    expect(announced(null, null)).toBe('');
    expect(announced(noServer, null)).toBe('Server: no server.');
    const running = runOf(10, { state: 'running' });
    expect(announced(served, running)).toBe(announced(served, { ...running, rates: { ...running.rates, tokens: 99 } }));
    expect(announced(served, runOf(10))).toBe('qwen3.5-0.8b-4bit is ready. Run done: token limit: 10 tokens, 61.4 tokens per second.');
  });

  it('gives the day where it is not today', () => {
    const now = new Date(2026, 10, 30, 12, 0).getTime();
    expect(whenInWords(now - 60_000, now)).not.toMatch(/2026|26/);
    expect(whenInWords(now - 86_400_000, now)).toMatch(/26/);
  });
});

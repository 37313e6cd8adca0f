// Requests that are served together: each has the answer that it would have alone, whoever else runs, whatever is cached.
import { describe, expect, it } from 'vitest';
import { target } from '../speculation/support';
import { alone, ask, prompts, request, serve } from './support';

const expected = await Promise.all(prompts.map((prompt) => alone(prompt)));
const served = await serve();

describe('under exact kernels', () => {
  it('an answer is that of single steps alone, with eight requests together and more waiting', async () => {
    const heard = await Promise.all(prompts.map((prompt) => ask(served, request(prompt))));
    expect(heard.map(({ ids }) => ids)).toEqual(expected);
    expect(Math.max(...heard.map(({ outcome }) => outcome.together))).toBeGreaterThan(3);
    expect(heard.map(({ outcome }) => outcome.speculation.engaged)).toEqual(prompts.map(() => true));
    for (const { outcome, tokens } of heard) {
      const { speculation } = outcome;
      expect(outcome).toMatchObject({ end: 'length', emitted: 32, cachedTokens: 0 });
      expect(speculation.acceptedPerRound).toHaveLength(speculation.rounds);
      expect(speculation.drafted).toBe(3 * speculation.rounds);
      expect(speculation.accepted).toBe(speculation.acceptedPerRound.reduce((sum, one) => sum + one, 0));
      expect(tokens[0]!.origin).toBe('prefill');
      expect(new Set(tokens.slice(1).map(({ origin }) => origin))).toEqual(new Set(['draft', 'bonus']));
    }
  });

  it('the same with requests that come and go at other times', async () => {
    const late = prompts.map(async (prompt, i) => {
      await new Promise((resolve) => setTimeout(resolve, 40 * ((i * 7) % 10)));
      return ask(served, request(prompt, { maxTokens: 32 - i, speculate: i % 3 !== 2 }));
    });
    expect((await Promise.all(late)).map(({ ids }) => ids)).toEqual(expected.map((ids, i) => ids.slice(0, 32 - i)));
  });

  it('sampled answers depend on their seed alone', async () => {
    const sampled = (seed: number) => request(prompts[1]!, { sampling: { temperature: 1.5, topK: 40, topP: 0.95, seed } });
    const first = await ask(served, sampled(7));
    const [again, other] = await Promise.all([ask(served, sampled(7)), ask(served, sampled(8)), ...prompts.slice(2, 6).map((prompt) => ask(served, request(prompt)))]);
    expect(again.ids).toEqual(first.ids);
    expect(other.ids).not.toEqual(first.ids);
  });

  it('a client that goes ends its own request alone', async () => {
    const [gone, ...others] = await Promise.all([
      ask(served, request(prompts[0]!, { maxTokens: 500 }), (deltas, controller) => deltas === 3 && controller.abort()),
      ...prompts.slice(1, 4).map((prompt) => ask(served, request(prompt))),
    ]);
    expect(gone.outcome.end).toBe('cancelled');
    expect(gone.outcome.emitted).toBeLessThan(100);
    expect(others.map(({ ids }) => ids)).toEqual(expected.slice(1, 4));
    expect(served.state()).toMatchObject({ waiting: 0, running: 0 });
  });
});

describe('the cache', () => {
  it('gives a repeated prompt without a forward, and a longer one from where they part', async () => {
    const cached = await serve();
    const prompt = prompts[5]!;
    const first = await ask(cached, request(prompt, { cache: true }));
    expect(first.outcome).toMatchObject({ cachedTokens: 0, partition: [64, 64, 2].map((tokens) => ({ how: 'prefill', tokens })) });
    const again = await ask(cached, request(prompt, { cache: true }));
    expect(again.outcome).toMatchObject({ cachedTokens: 130, speculation: { engaged: true } });
    expect(again.ids).toEqual(first.ids);
    const other = [...prompt.slice(0, 100), ...prompts[1]!];
    const parted = await ask(cached, request(other, { cache: true }));
    expect(parted.outcome.cachedTokens).toBe(64);
    expect(parted.ids).toEqual(await alone(other));
    const longer = [...prompt, ...first.ids, 5, 6, 7];
    const gone = await ask(cached, request(longer, { cache: true }));
    expect(gone.outcome.cachedTokens).toBeGreaterThan(130);
    expect(gone.outcome.partition.map(({ how }) => how)).toContain('verify');
    expect(gone.ids).toEqual(await alone(longer));
  });

  it('is left alone by a request that asks for none', async () => {
    const cached = await serve();
    await ask(cached, request(prompts[1]!, { cache: true }));
    const without = await ask(cached, request(prompts[1]!));
    expect(without.outcome.cachedTokens).toBe(0);
    expect(cached.state().cachedPrefixes).toBeGreaterThan(0);
  });

  it('changes no sampled answer', async () => {
    const cached = await serve();
    const sampled = (cache: boolean) => request(prompts[5]!, { cache, sampling: { temperature: 1, topK: 0, topP: 1, seed: 3 } });
    const first = await ask(cached, sampled(false));
    for (const turn of [1, 2, 3]) expect((await ask(cached, sampled(true))).ids, `turn ${turn}`).toEqual(first.ids);
  });
});

describe('an end', () => {
  const text = async (ids: readonly number[]): Promise<string> => (await target.detokenize(ids, { skipSpecial: true })).text;

  it('comes at a stop text, which is not part of the answer', async () => {
    const whole = await ask(served, request(prompts[2]!));
    expect(whole.text).toBe(await text(whole.ids));
    const stop = whole.text.slice(9, 12);
    const ended = await ask(served, request(prompts[2]!, { stop: [stop] }));
    expect(ended.outcome).toMatchObject({ end: 'stop', stopped: stop });
    expect(ended.text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
    const single = await ask(served, request(prompts[2]!, { stop: [stop], speculate: false }));
    expect([single.text, single.ids]).toEqual([ended.text, ended.ids]);
  });

  it('comes after so many tokens, none and one among them', async () => {
    expect((await ask(served, request(prompts[2]!, { maxTokens: 0 }))).ids).toEqual([]);
    expect((await ask(served, request(prompts[2]!, { maxTokens: 1 }))).ids).toEqual(expected[2]!.slice(0, 1));
  });
});

describe('probabilities', () => {
  it('are those of the logits, for the answer and the prompt', async () => {
    const prompt = prompts[0]!;
    const heard = await ask(served, request(prompt, { maxTokens: 3, logprobs: 2, promptLogprobs: true }));
    expect(heard.prompt.map(({ id }) => id)).toEqual(prompt);
    expect(heard.prompt.map(({ logprob }) => logprob === null)).toEqual(prompt.map((_, i) => i === 0));
    for (const token of [...heard.prompt.slice(1), ...heard.tokens]) expect(token.logprob).toBeLessThanOrEqual(0);
    for (const { id, top, logprob } of heard.tokens) expect([top[0]!.id, top[0]!.logprob, top.length]).toEqual([id, logprob, 2]);
    // The answer as part of a prompt has the same probabilities.
    const rescored = await ask(served, request([...prompt, ...heard.ids], { maxTokens: 0, logprobs: 1, promptLogprobs: true }));
    expect(rescored.prompt.slice(-3).map(({ logprob }) => logprob)).toEqual(heard.tokens.map(({ logprob }) => logprob));
  });
});

describe('speculation', () => {
  it('is off, with the reason, where the gate declines the batch', async () => {
    const auto = await serve({ switches: {}, parallel: 4 });
    const heard = await Promise.all(prompts.slice(0, 3).map((prompt) => ask(auto, request(prompt, { maxTokens: 64 }))));
    const engaged = heard.filter(({ outcome }) => outcome.speculation.engaged);
    expect(engaged).toHaveLength(1);
    for (const { outcome } of heard.filter((one) => !engaged.includes(one))) expect(outcome.speculation.reason).toMatch(/^with 2 requests together: .*falling back to classic decode/);
    expect(auto.state().gate!.map(({ batch, engaged: on }) => [batch, on])).toEqual([[1, true], [2, false]]);
  });

  it('is off where the request wants none, a block does not fit, or there is no drafter', async () => {
    const reason = async (on: typeof served, more: Parameters<typeof request>[1]): Promise<string> => (await ask(on, request(prompts[0]!, more))).outcome.speculation.reason;
    expect(await reason(served, { speculate: false })).toBe('the request asked for none');
    const long = prompts[0]!.length;
    const heard = await ask(served, request(prompts[0]!, { maxTokens: 2048 - long, stop: ['e'] }));
    expect(heard.outcome.speculation).toMatchObject({ engaged: false, reason: expect.stringContaining('does not fit') as string });
    expect(await reason(await serve({ drafter: null }), {})).toBe('there is no drafter');
  });

  it('runs with the MTP head as well', async () => {
    const mtp = await serve({ drafter: target.info.path });
    const heard = await Promise.all(prompts.slice(0, 4).map((prompt) => ask(mtp, request(prompt))));
    expect(heard.map(({ ids }) => ids)).toEqual(expected.slice(0, 4));
    expect(heard.every(({ outcome }) => outcome.speculation.engaged)).toBe(true);
  });
});

it('refuses what the model cannot take', () => {
  expect(() => served.generate(request([5000]), { signal: new AbortController().signal, onDelta: () => undefined, onPrompt: () => undefined })).toThrow('Token id 5,000 is beyond the vocabulary');
  expect(() => served.generate(request(prompts[0]!, { maxTokens: 2048 }), { signal: new AbortController().signal, onDelta: () => undefined, onPrompt: () => undefined })).toThrow("beyond the model's context of 2,048");
});

// The official OpenAI client against `moire serve`.
import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { dflashPath, target } from '../speculation/support';
import { alone } from '../serving/support';
import { raw, startServing } from './support';

const serving = await startServing('--drafter', dflashPath, '--width', '4', '--matmul', 'exact', '--attention', 'exact');
afterAll(() => serving.stop());
const { client } = serving;
const model = 'target-4bit';
const greedy = { model, temperature: 0, max_tokens: 24, ignore_eos: true } as const;
const prompt = 'export function add(a: number, b: number)';
const textOf = async (ids: readonly number[]): Promise<string> => (await target.detokenize(ids, { skipSpecial: true })).text;
const expected = await textOf(await alone(await target.tokenize(prompt), 24));

interface Ours {
  readonly usage: { readonly moire: readonly { readonly speculation: { readonly engaged: boolean; readonly rounds: number; readonly accepted_per_round?: readonly number[] }; readonly cached_tokens: number }[] };
}

describe('completions', () => {
  it('are the text of single steps, with what speculation did in the usage', async () => {
    const answer = await client.completions.create({ ...greedy, prompt, return_rounds: true } as OpenAI.CompletionCreateParamsNonStreaming);
    expect(answer).toMatchObject({ object: 'text_completion', model, choices: [{ text: expected, finish_reason: 'length' }], usage: { completion_tokens: 24, prompt_tokens: (await target.tokenize(prompt)).length } });
    const [ours] = (answer as unknown as Ours).usage.moire;
    expect(ours!.speculation.engaged).toBe(true);
    expect(ours!.speculation.accepted_per_round).toHaveLength(ours!.speculation.rounds);
  });

  it('come in pieces that add up, with the usage at the end', async () => {
    const stream = await client.completions.create({ ...greedy, prompt, stream: true, stream_options: { include_usage: true } } as OpenAI.CompletionCreateParamsStreaming);
    let text = '';
    let usage: OpenAI.CompletionUsage | null | undefined;
    let pieces = 0;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.text ?? '';
      usage = chunk.usage ?? usage;
      pieces += 1;
    }
    expect(text).toBe(expected);
    expect(pieces).toBeGreaterThan(4);
    expect(usage).toMatchObject({ completion_tokens: 24 });
  });

  it('repeat the prompt with its probabilities', async () => {
    const { choices } = await client.completions.create({ ...greedy, prompt, max_tokens: 2, echo: true, logprobs: 2 });
    const { text, logprobs } = choices[0]!;
    const ids = await target.tokenize(prompt);
    expect(text.startsWith(prompt)).toBe(true);
    expect(logprobs!.tokens).toHaveLength(ids.length + 2);
    expect(logprobs!.tokens!.join('')).toBe(text);
    expect(logprobs!.text_offset!.at(-1)).toBe(text.length - logprobs!.tokens!.at(-1)!.length);
    expect(logprobs!.token_logprobs![0]).toBeNull();
    expect(Object.keys(logprobs!.top_logprobs!.at(-1)!)).toHaveLength(2);
  });

  it('take several prompts, token ids and several choices', async () => {
    const ids = await target.tokenize(prompt);
    const { choices } = await client.completions.create({ ...greedy, prompt: [ids, ids] });
    expect(choices.map(({ index, text }) => [index, text])).toEqual([[0, expected], [1, expected]]);
    const seeded = (n: number) => client.completions.create({ ...greedy, prompt, n, temperature: 1.5, seed: 5 });
    const [three, again] = [await seeded(3), await seeded(3)];
    expect(three.choices).toHaveLength(3);
    expect(again.choices.map(({ text }) => text)).toEqual(three.choices.map(({ text }) => text));
    expect(new Set(three.choices.map(({ text }) => text)).size).toBe(3);
  });

  it('fill in the middle before a suffix', async () => {
    const suffix = '\n}\n';
    const { choices } = await client.completions.create({ ...greedy, prompt, suffix });
    const ids = await target.tokenize(`<|fim_prefix|>${prompt}<|fim_suffix|>${suffix}<|fim_middle|>`);
    expect(choices[0]!.text).toBe(await textOf(await alone(ids, 24)));
  });

  it('give token ids on request, and end at a stop text', async () => {
    const stop = expected.slice(8, 11);
    const answer = await client.completions.create({ ...greedy, prompt, stop, return_token_ids: true } as OpenAI.CompletionCreateParamsNonStreaming);
    const [choice] = answer.choices as unknown as { text: string; finish_reason: string; token_ids: number[]; prompt_token_ids: number[] }[];
    expect(choice!.text).toBe(expected.slice(0, expected.indexOf(stop)));
    expect(choice!.finish_reason).toBe('stop');
    expect(choice!.prompt_token_ids).toEqual(await target.tokenize(prompt));
    expect((await textOf(choice!.token_ids)).startsWith(choice!.text)).toBe(true);
  });
});

describe('chat', () => {
  it('answers messages, whole and in pieces', async () => {
    const messages = [{ role: 'system' as const, content: 'Short.' }, { role: 'user' as const, content: [{ type: 'text' as const, text: 'Say a number.' }] }];
    const whole = await client.chat.completions.create({ ...greedy, messages, logprobs: true, top_logprobs: 3 });
    const { content } = whole.choices[0]!.message;
    const { ids } = await target.chat([{ role: 'system', content: 'Short.' }, { role: 'user', content: 'Say a number.' }], { addGenerationPrompt: true });
    expect(content).toBe(await textOf(await alone(ids, 24)));
    expect(whole.usage!.prompt_tokens).toBe(ids.length);
    expect(whole.choices[0]!.logprobs!.content!.map(({ top_logprobs }) => top_logprobs.length)).toEqual(Array(24).fill(3));
    const runner = client.chat.completions.stream({ ...greedy, messages });
    expect((await runner.finalChatCompletion()).choices[0]!.message.content).toBe(content);
  });
});

describe('other endpoints', () => {
  it('name the model', async () => {
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([model]);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: 'model' });
  });

  it('turn text into tokens and back', async () => {
    const { body } = await raw(serving, 'POST', '/tokenize', JSON.stringify({ content: prompt }));
    const { tokens } = JSON.parse(body) as { tokens: number[] };
    expect(tokens).toEqual(await target.tokenize(prompt));
    expect(JSON.parse((await raw(serving, 'POST', '/detokenize', JSON.stringify({ tokens }))).body)).toEqual({ content: prompt });
  });

  it('tell health and counters', async () => {
    expect(JSON.parse((await raw(serving, 'GET', '/health')).body)).toMatchObject({ status: 'ok', running: 0, waiting: 0 });
    const { body } = await raw(serving, 'GET', '/metrics');
    const value = (name: string): number => Number(new RegExp(`^${name.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(body)?.[1]);
    expect(value('moire_tokens_total{kind="emitted"}')).toBeGreaterThan(100);
    expect(value('moire_speculation_proposed_total')).toBe(3 * value('moire_speculation_rounds_total'));
    expect(value('moire_requests_total{endpoint="/v1/completions",status="200"}')).toBeGreaterThan(3);
    expect(value('moire_engine_up')).toBe(1);
  });
});

describe('what cannot be answered has the shape that clients know', () => {
  const refused = async (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    const thrown = await work.then(() => null, (error: unknown) => error);
    expect(thrown).toBeInstanceOf(OpenAI.APIError);
    return thrown as InstanceType<typeof OpenAI.APIError>;
  };

  it.each<[string, Record<string, unknown>, number, string | null, RegExp]>([
    ['another model', { model: 'gpt-4' }, 404, 'model', /is not served\. Use "target-4bit"/],
    ['a prompt beyond the context', { max_tokens: 2040 }, 400, 'max_tokens', /beyond the model's context of 2,048\. Use a prompt of at most 8 tokens, or at most [\d,]+ new ones\.$/],
    ['more tokens than any prompt leaves room for', { max_tokens: 100_000 }, 400, 'max_tokens', /beyond the model's context of 2,048\. Use at most [\d,]+ new ones\.$/],
    ['a wrong type', { max_tokens: 'many' }, 400, 'max_tokens', /./],
    ['a negative count', { max_tokens: -1 }, 400, 'max_tokens', /./],
    ['token ids beyond the vocabulary', { prompt: [1, 999_999] }, 400, 'prompt, entry 1', /beyond the vocabulary/],
    ['more ids than anything takes', { prompt: Array.from({ length: 3000 }, () => 1) }, 400, 'prompt', /3,000 tokens is beyond the model's context of 2,048/],
    ['no prompt that there is', { prompt: { text: 'x' } }, 400, 'prompt', /^400 The prompt is a text, a list of token ids/],
    ['half of a character', { prompt: 'a\ud800' }, 400, 'prompt', /half of a character/],
    ['a seed that choices cannot count up from', { seed: Number.MAX_SAFE_INTEGER, n: 2, temperature: 1 }, 400, 'seed', /./],
    ['an empty prompt', { prompt: '' }, 400, 'prompt', /no tokens/],
    ['what would change the answer and is not there', { presence_penalty: 1 }, 400, 'presence_penalty', /not supported/],
    ['a suffix to token ids', { prompt: [1, 2], suffix: 'x' }, 400, 'suffix', /needs a prompt of text/],
  ])('%s', async (_, change, status, param, message) => {
    const error = await refused(client.completions.create({ ...greedy, prompt, ...change } as OpenAI.CompletionCreateParamsNonStreaming));
    expect([error.status, error.param]).toEqual([status, param]);
    expect(error.message).toMatch(message);
  });

  it('a missing or wrong token, and embeddings', async () => {
    const other = new OpenAI({ baseURL: `${serving.url}/v1`, apiKey: 'wrong', maxRetries: 0 });
    expect((await refused(other.completions.create({ ...greedy, prompt }))).status).toBe(401);
    expect(await refused(client.embeddings.create({ model, input: 'x' }))).toMatchObject({ status: 404, code: 'no_embeddings' });
  });

  it('a body that is no JSON, an unknown path', async () => {
    const broken = await raw(serving, 'POST', '/v1/completions', '{"model": ');
    expect([broken.status, (JSON.parse(broken.body) as { error: { type: string } }).error.type]).toEqual([400, 'invalid_request_error']);
    expect((await raw(serving, 'GET', '/v2/nothing')).status).toBe(404);
    const deep = await raw(serving, 'POST', '/v1/chat/completions', `{"model":"${model}","messages":[{"role":"user","content":"x"}],"chat_template_kwargs":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`);
    expect([deep.status, (JSON.parse(deep.body) as { error: { message: string } }).error.message]).toEqual([400, 'The body cannot be read as JSON: it is nested more than 64 deep.']);
    expect((await raw(serving, 'GET', '/health')).status).toBe(200);
    const unknown = await raw(serving, 'POST', '/detokenize', '{"tokens":[1,4096]}');
    expect([unknown.status, JSON.parse(unknown.body)]).toMatchObject([400, { error: { param: 'tokens[1]' } }]);
  });

  it('another host name, and pages of other sites', async () => {
    const { port } = new URL(serving.url);
    expect((await raw(serving, 'GET', '/health', undefined, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await raw(serving, 'OPTIONS', '/v1/completions', undefined, { origin: 'https://evil.example', 'access-control-request-method': 'POST' })).status).toBe(403);
    expect(await hostStatus(Number(port), 'evil.example')).toBe(403);
    expect(await hostStatus(Number(port), `localhost:${port}`)).toBe(200);
  });
});

/** fetch sets the host by itself, so this goes by the socket. */
async function hostStatus(port: number, host: string): Promise<number> {
  const { connect } = await import('node:net');
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

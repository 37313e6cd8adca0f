// A document of nothing but wrong entries has one fault, not as many as entries.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AnswerShape, ListLogprobs, ModelsShape, TokensShape } from '../../../src/engine/attached/shapes';
import { ChatRequest, CompletionRequest, DetokenizeRequest } from '../../../src/server/schemas';
import { formOf, listOf, recordOf } from '../../../src/shared/firstFault';
import { firstIssue } from '../../../src/shared/issues';

const many = <T>(entry: T): T[] => Array.from({ length: 5000 }, () => entry);
const faults = (schema: z.ZodType, value: unknown): [number, string] => {
  const { error } = schema.safeParse(value);
  return [error?.issues.length ?? 0, error === undefined ? '' : firstIssue(error).place];
};

describe('a list or a record', () => {
  it('gives what it holds', () => {
    expect(listOf(z.int(), 3).parse([1, 2, 3])).toEqual([1, 2, 3]);
    expect(recordOf(z.int()).parse({ a: 1, b: 2 })).toEqual({ a: 1, b: 2 });
  });

  it('tells the first fault alone, and where it is', () => {
    expect(faults(listOf(z.object({ a: listOf(z.int()) })), [{ a: [1] }, { a: [1, 'x', 'y'] }, 7])).toEqual([1, '[1].a[1]']);
    expect(faults(recordOf(z.int()), { a: 1, b: 'x', c: 'y' })).toEqual([1, 'b']);
    expect(faults(listOf(z.int(), 2), [1, 2, 'x'])).toEqual([1, '']);
  });

  it('has the faults of the form that it looks like', () => {
    const either = formOf<number | number[]>((value) => (Array.isArray(value) ? listOf(z.number()) : z.number()));
    expect(either.parse(1)).toBe(1);
    expect(either.parse([1])).toEqual([1]);
    expect(faults(either, [1, 'x'])).toEqual([1, '[1]']);
  });
});

it.each([
  ['prompt ids', CompletionRequest, { model: 'm', prompt: [1, ...many('x')] }, 'prompt[1]'],
  ['prompts', CompletionRequest, { model: 'm', prompt: ['x', ...many(1)] }, 'prompt'],
  ['lists of ids', CompletionRequest, { model: 'm', prompt: [[1, ...many(-1)]] }, 'prompt[0][1]'],
  ['no prompt', CompletionRequest, { model: 'm', prompt: many(null) }, 'prompt'],
  ['half a character', CompletionRequest, { model: 'm', prompt: 'a\ud800' }, 'prompt'],
  ['stop texts', CompletionRequest, { model: 'm', prompt: 'x', stop: many(1) }, 'stop'],
  ['biases', CompletionRequest, { model: 'm', prompt: 'x', logit_bias: Object.fromEntries(many('x').map((value, i) => [i, value])) }, 'logit_bias'],
  ['messages', ChatRequest, { model: 'm', messages: many(1) }, 'messages'],
  ['parts', ChatRequest, { model: 'm', messages: [{ role: 'user', content: many(1) }] }, 'messages[0].content'],
  ['ids', DetokenizeRequest, { tokens: many('') }, 'tokens[0]'],
  ['choices of a server', AnswerShape, { choices: many(1) }, 'choices[0]'],
  ['ids of a server', AnswerShape, { choices: [{ token_ids: many('') }] }, 'choices[0].token_ids[0]'],
  ['log probabilities of a server', ListLogprobs, { tokens: many('x'), token_logprobs: many('x') }, 'token_logprobs[0]'],
  ['candidates of a server', ListLogprobs, { tokens: ['x'], token_logprobs: [0], top_logprobs: [Object.fromEntries(many('x').map((value, i) => [`t${i}`, value]))] }, 'top_logprobs[0].t0'],
  ['models of a server', ModelsShape, { data: many(1) }, 'data[0]'],
  ['tokens of a server', TokensShape, { tokens: many('') }, 'tokens[0]'],
])('%s', (_, schema, value, place) => {
  expect(faults(schema as z.ZodType, value)).toEqual([1, place]);
});

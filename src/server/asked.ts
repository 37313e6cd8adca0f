// From what a client asks to what the engine runs.
import { randomInt } from 'node:crypto';
import type { GenerateRequest } from '../engine/serving/request';
import { formatCount } from '../shared/format';
import type { ServedFacts, Completer } from './completer';
import { ApiError } from './apiError';
import type { ChatRequest, CompletionRequest } from './schemas';

type Common = CompletionRequest | ChatRequest;

/** One prompt with its text, which an echo repeats. */
export interface Prompt {
  readonly ids: readonly number[];
  /** Leading tokens that stay when the text before the cursor is edited at its end. */
  readonly edited: number;
  readonly text: () => Promise<string>;
}

/** Who asks, under which name. */
export interface Asker {
  readonly id: string;
  readonly client: string;
}

/** One choice of the answer. */
export interface Asked {
  readonly prompt: Prompt;
  readonly request: GenerateRequest;
}

const completionTokens = 16;
/** An edited prompt is resumed at a multiple of so many tokens, at least `margin` before its end: what is typed next can change how the last tokens are cut. */
const resume = { step: 32, margin: 4 } as const;

/** OpenAI's own preset. A temperature of 0 is greedy. */
function samplingOf({ temperature, top_p, top_k, seed }: Common, choice: number): GenerateRequest['sampling'] {
  const heat = temperature ?? 1;
  if (heat === 0) return null;
  return { temperature: heat, topP: top_p ?? 1, topK: Math.max(0, top_k ?? 0), seed: (seed ?? randomInt(2 ** 47)) + choice };
}

function commonOf(body: Common, { edited }: Prompt, client: string): Omit<GenerateRequest, 'name' | 'prompt' | 'maxTokens' | 'logprobs' | 'promptLogprobs' | 'sampling'> {
  const stop = body.stop ?? [];
  const cut = Math.floor((edited - resume.margin) / resume.step) * resume.step;
  return {
    stop: typeof stop === 'string' ? [stop] : stop,
    ignoreEos: body.ignore_eos === true,
    cache: body.cache !== 'off',
    cuts: body.cache === 'edited' && cut > 0 ? [cut] : [],
    speculate: body.speculation !== 'off',
    capture: body.return_capture === true,
    client: `${client} ${body.user ?? ''}`,
  };
}

const copies = <T>(n: number | null | undefined, make: (i: number) => T): T[] => Array.from({ length: n ?? 1 }, (_, i) => make(i));

export async function completionsAsked(body: CompletionRequest, completer: Completer, { id, client }: Asker): Promise<Asked[]> {
  const { echo, logprobs = null, max_tokens: maxTokens } = body;
  const prompts = await promptsOf(body, completer);
  return prompts.flatMap((prompt, at) =>
    copies(body.n, (i): Asked => ({
      prompt,
      request: { ...commonOf(body, prompt, client), name: `${id}-${at * (body.n ?? 1) + i}`, prompt: [...prompt.ids], maxTokens: maxTokens ?? completionTokens, logprobs, promptLogprobs: echo === true && logprobs !== null, sampling: samplingOf(body, at * (body.n ?? 1) + i) },
    })),
  );
}

async function promptsOf({ prompt, suffix }: CompletionRequest, completer: Completer): Promise<Prompt[]> {
  const ofText = async (text: string): Promise<Prompt> => {
    const gap = suffix === undefined || suffix === null ? null : fillIn(text, suffix, completer.facts);
    const ids = fitting(await completer.tokenize(gap === null ? text : gap.before + gap.after, true), completer.facts);
    return { ids, edited: gap === null ? ids.length : (await completer.tokenize(gap.before, true)).length, text: () => Promise.resolve(text) };
  };
  const ofIds = (ids: readonly number[]): Prompt => ({ ids: fitting(ids, completer.facts), edited: ids.length, text: async () => (await completer.detokenize(ids, false)).text });
  if (typeof prompt === 'string') return [await ofText(prompt)];
  if (suffix !== undefined && suffix !== null && typeof prompt[0] !== 'string') throw new ApiError(400, 'A suffix needs a prompt of text.', 'suffix');
  const many = prompt as readonly (string | number | readonly number[])[];
  if (typeof many[0] === 'number') return [ofIds(many as readonly number[])];
  return Promise.all(many.map(async (one) => (typeof one === 'string' ? await ofText(one) : ofIds(one as readonly number[]))));
}

/** The text before and after a gap in the order that the model was trained on, the gap last. */
function fillIn(before: string, after: string, { fillInMiddle }: ServedFacts): { before: string; after: string } {
  if (fillInMiddle === null) throw new ApiError(400, 'This model has no fill-in-the-middle tokens, so it cannot take a suffix. Leave suffix out.', 'suffix');
  const { prefix, suffix, middle } = fillInMiddle;
  return { before: prefix + before, after: suffix + after + middle };
}

export async function chatAsked(body: ChatRequest, completer: Completer, { id, client }: Asker): Promise<Asked[]> {
  const { facts } = completer;
  if (!facts.chatTemplate) throw new ApiError(400, 'This model has no chat template. Use /v1/completions, or put chat_template.jinja into the model folder.', 'messages');
  const messages = body.messages.map(({ role, content }) => ({ role, content: typeof content === 'string' ? content : (content ?? []).map((part) => part.text).join('') }));
  const { ids, text } = await completer.chat(messages, body.chat_template_kwargs ?? {});
  const prompt: Prompt = { ids: fitting(ids, facts), edited: ids.length, text: () => Promise.resolve(text) };
  const maxTokens = body.max_completion_tokens ?? body.max_tokens ?? Math.max(1, facts.context - ids.length);
  const logprobs = body.logprobs === true ? (body.top_logprobs ?? 0) : null;
  return copies(body.n, (i): Asked => ({ prompt, request: { ...commonOf(body, prompt, client), name: `${id}-${i}`, prompt: [...ids], maxTokens, logprobs, promptLogprobs: false, sampling: samplingOf(body, i) } }));
}

/** A prompt that cannot be taken goes no further than here. */
function fitting(ids: readonly number[], { context }: ServedFacts): readonly number[] {
  if (ids.length === 0) throw new ApiError(400, 'The prompt has no tokens. Give at least one character.', 'prompt');
  if (ids.length > context) throw new ApiError(400, `The prompt of ${formatCount(ids.length)} tokens is beyond the model's context of ${formatCount(context)}.`, 'prompt', 'context_length_exceeded');
  return ids;
}

// The tokens of a prompt, checked against the model before any work starts.
import { greatest } from '../../shared/extremes';
import type { Prompt } from '../../shared/experiment';
import { formatCount } from '../../shared/format';
import type { PromptFacts } from '../../shared/results/parts';
import { badInput } from '../problem';
import type { Model, ModelInfo } from '../types';
import { drawPrompt, drawSalt, syntheticIds, walkPrompt } from './syntheticIds';

/** Runs when the user gives no prompt: code, since that is what drafters are mostly used on, and a few hundred tokens of it, since some differences need that many to show. */
export const defaultPrompt = `// Returns the items whose key is in the set, in their order.
export function selectByKey<T>(items: readonly T[], keyOf: (item: T) => string, keys: ReadonlySet<string>): T[] {
  const selected: T[] = [];
  for (const item of items) {
    if (keys.has(keyOf(item))) selected.push(item);
  }
  return selected;
}

// Gathers items under their key. The groups stand in the order in which their first item came.
export function groupByKey<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) {
      groups.set(key, [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

// Counts how often each key comes, and returns the keys that come most often first.
export function countByKey<T>(items: readonly T[], keyOf: (item: T) => string): [string, number][] {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a);
}

// Splits items into those that pass the test and those that do not, each in their order.
export function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
`;

const syntheticLength = 64;

export async function tokenIds(model: Model, text: string, signal: AbortSignal | undefined): Promise<readonly number[]> {
  if (!model.info.tokenizer) {
    throw badInput('This model has no tokenizer, so a text prompt cannot be turned into token ids', model.info.path, 'Give token ids or synthetic draws instead, or put tokenizer.json into the model folder.');
  }
  const ids = await model.tokenize(text, { signal });
  if (ids.length === 0) throw badInput('The prompt has no tokens', 'prompt', 'Give a longer prompt.');
  return ids;
}

/** Throws a Problem for an id that the model does not have; `what` names the list. */
export function checkIds(ids: readonly number[], info: ModelInfo, what = 'prompt'): void {
  const at = ids.findIndex((id) => id >= info.vocab);
  if (at < 0) return;
  throw badInput(`Token id ${String(ids[at])} is beyond the vocabulary of ${formatCount(info.vocab)}`, `${what}, entry ${at}`, `Use ids from 0 to ${info.vocab - 1}.`);
}

/** Throws a Problem when prompt and what follows do not fit the model's context. */
export function checkLength(promptLength: number, following: number, info: ModelInfo, shorten = 'a shorter walk or smaller widths'): void {
  if (promptLength + following <= info.context) return;
  throw badInput(
    `The prompt of ${formatCount(promptLength)} tokens and the ${formatCount(following)} after it are beyond the model's context of ${formatCount(info.context)}`,
    info.path,
    following < info.context ? `Use a prompt of at most ${formatCount(info.context - following)} tokens, or ${shorten}.` : `Use ${shorten}: after this prompt there is room for ${formatCount(Math.max(0, info.context - promptLength))}.`,
  );
}

/** The ids of a prompt. Throws a Problem for one that the model cannot take. */
export async function promptOf(model: Model, prompt: Prompt, signal?: AbortSignal): Promise<PromptFacts> {
  const { info } = model;
  switch (prompt.type) {
    case 'ids':
      checkIds(prompt.ids, info);
      return { source: 'ids', ids: [...prompt.ids] };
    case 'text':
      return { source: 'text', ids: [...(await tokenIds(model, prompt.text, signal))] };
    case 'draw':
      return { source: 'synthetic ids', ids: syntheticIds(drawPrompt, drawSalt(prompt.draw), prompt.length, info.vocab) };
    case 'default':
      if (!info.tokenizer) return { source: 'synthetic ids', ids: syntheticIds(walkPrompt, 0, Math.min(syntheticLength, Math.max(1, info.context >> 1)), info.vocab) };
      return { source: 'built-in text', ids: [...(await tokenIds(model, defaultPrompt, signal))] };
  }
}

/** As promptOf, of every prompt. */
export async function promptsOf(model: Model, prompts: readonly Prompt[], signal?: AbortSignal): Promise<PromptFacts[]> {
  const facts: PromptFacts[] = [];
  for (const prompt of prompts) facts.push(await promptOf(model, prompt, signal));
  return facts;
}

/** Tokens of the longest. */
export const longest = (prompts: readonly PromptFacts[]): number => greatest(prompts.map(({ ids }) => ids.length));

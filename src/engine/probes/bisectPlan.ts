// From an experiment to comparisons: which tokens, in which order, checked against the model before any work starts.
import type { BisectExperiment, Input } from '../../shared/experiment';
import { limits } from '../../shared/experiment';
import { formatCount } from '../../shared/format';
import { badInput } from '../problem';
import type { Model, ModelInfo } from '../types';

/** One prompt and what follows it; every width is compared on it. */
export interface Source {
  readonly kind: 'text' | 'ids' | 'draw' | 'walk';
  /** Draw number, -1 for others. */
  readonly draw: number;
  /** "draw 2 of 3", "prompt", "walk of 128 tokens". */
  readonly name: string;
  readonly promptIds: readonly number[];
  /** Tokens after the prompt, null: the greedy continuation of arm A, to be made. */
  readonly following: readonly number[] | null;
  /** Tokens a comparison needs: the width itself, or the whole walk. */
  readonly tokens: (width: number) => number;
}

/** Synthetic id i of a sequence is (i * stride + offset + salt) mod vocab. */
interface Recipe {
  readonly stride: number;
  readonly offset: number;
}
const drawPrompt: Recipe = { stride: 7, offset: 1 };
const drawBlock: Recipe = { stride: 13, offset: 3 };
const walkPrompt: Recipe = { stride: 7, offset: 5 };
const walkTokens: Recipe = { stride: 31, offset: 11 };

export function syntheticIds({ stride, offset }: Recipe, salt: number, length: number, vocab: number): number[] {
  return Array.from({ length }, (_, i) => (i * stride + offset + salt) % vocab);
}

/** How the ids of `sourcesOf` were made, for the provenance. */
export function describeSeeds(experiment: BisectExperiment): string {
  if (experiment.input.type !== 'draws') return '';
  const rule = ({ stride, offset }: Recipe, salt: string): string => `(i*${stride} + ${offset}${salt}) mod vocab`;
  const draws = `draw d: prompt ids ${rule(drawPrompt, ' + salt')}, block ids ${rule(drawBlock, ' + salt')}, salt = 977*d + 1`;
  return experiment.walk === 0 ? draws : `${draws}; walk: prompt ids ${rule(walkPrompt, '')}, tokens ${rule(walkTokens, '')}`;
}

function drawSources(input: Extract<Input, { type: 'draws' }>, walk: number, widest: number, vocab: number): Source[] {
  const draws = Array.from({ length: input.draws }, (_, draw): Source => {
    const salt = 977 * draw + 1;
    return {
      kind: 'draw',
      draw,
      name: `draw ${draw + 1} of ${input.draws}`,
      promptIds: syntheticIds(drawPrompt, salt, input.promptLength, vocab),
      following: syntheticIds(drawBlock, salt, widest, vocab),
      tokens: (width) => width,
    };
  });
  if (walk === 0) return draws;
  return [...draws, walkSource(syntheticIds(walkPrompt, 0, input.promptLength, vocab), syntheticIds(walkTokens, 0, walk, vocab), walk)];
}

function walkSource(promptIds: readonly number[], following: readonly number[] | null, walk: number): Source {
  return { kind: 'walk', draw: -1, name: `walk of ${walk} ${walk === 1 ? 'token' : 'tokens'}`, promptIds, following, tokens: () => walk };
}

function promptSources(kind: 'text' | 'ids', promptIds: readonly number[], walk: number): Source[] {
  const prompt: Source = { kind, draw: -1, name: 'prompt', promptIds, following: null, tokens: (width) => width };
  return walk === 0 ? [prompt] : [prompt, walkSource(promptIds, null, walk)];
}

async function promptIds(model: Model, input: Extract<Input, { type: 'text' | 'ids' }>, signal: AbortSignal | undefined): Promise<readonly number[]> {
  if (input.type === 'ids') return input.ids;
  if (!model.info.tokenizer) {
    throw badInput('This model has no tokenizer, so a text prompt cannot be turned into token ids', model.info.path, 'Give token ids or synthetic draws instead, or put tokenizer.json into the model folder.');
  }
  const ids = await model.tokenize(input.text, { signal });
  if (ids.length === 0) throw badInput('The prompt has no tokens', 'prompt', 'Give a longer prompt.');
  return ids;
}

function checkIds(ids: readonly number[], info: ModelInfo): void {
  const at = ids.findIndex((id) => id >= info.vocab);
  if (at < 0) return;
  throw badInput(`Token id ${String(ids[at])} is beyond the vocabulary of ${formatCount(info.vocab)}`, `prompt, entry ${at}`, `Use ids from 0 to ${info.vocab - 1}.`);
}

function checkLength(promptLength: number, following: number, info: ModelInfo): void {
  if (promptLength + following <= info.context) return;
  throw badInput(
    `The prompt of ${formatCount(promptLength)} tokens and the ${formatCount(following)} after it are beyond the model's context of ${formatCount(info.context)}`,
    info.path,
    `Use a prompt of at most ${formatCount(Math.max(0, info.context - following))} tokens, or a shorter walk or smaller widths.`,
  );
}

/** Tokens after the longest prompt that any comparison needs. */
function longest(experiment: BisectExperiment): number {
  return Math.max(experiment.walk, ...experiment.widths);
}

/**
 * The sources of an experiment in the order of the report.
 * Throws a Problem for a prompt that the model cannot take, before anything is computed.
 */
export async function sourcesOf(model: Model, experiment: BisectExperiment, signal?: AbortSignal): Promise<Source[]> {
  const { input, walk } = experiment;
  if (input.type === 'draws') {
    checkLength(input.promptLength, longest(experiment), model.info);
    return drawSources(input, walk, Math.max(...experiment.widths), model.info.vocab);
  }
  const ids = await promptIds(model, input, signal);
  checkIds(ids, model.info);
  checkLength(ids.length, longest(experiment), model.info);
  return promptSources(input.type, ids, walk);
}

/** Refuses switches that this model does not have, with what it has. */
export function checkSwitches(experiment: BisectExperiment, info: ModelInfo): void {
  for (const [name, value] of Object.entries(experiment.switches)) {
    const known = info.switches.find((one) => one.name === name);
    if (known === undefined) throw badInput(`There is no switch "${name}"`, `switches.${name}`, `This model's switches are ${info.switches.map((one) => one.name).join(', ')}.`);
    const { values, min = 0, max = limits.threads } = known;
    if (values === null) {
      // The engine limits a whole number outside of these, and says so.
      if (typeof value === 'number' && Number.isInteger(value) && value >= 0) continue;
      throw badInput(`${name} cannot be ${JSON.stringify(value)}`, `switches.${name}`, `Use a whole number from ${min} to ${max}.`);
    }
    if (!values.includes(String(value))) throw badInput(`${name} cannot be ${JSON.stringify(value)}`, `switches.${name}`, `Use one of ${values.join(', ')}.`);
  }
}

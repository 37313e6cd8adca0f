// From an experiment to comparisons: which tokens, in which order, checked against the model before any work starts.
import { greatest } from '../../shared/extremes';
import type { BisectExperiment, Input } from '../../shared/experiment';
import type { Model } from '../types';
import { checkIds, checkLength, tokenIds } from './prompts';
import { drawBlock, drawPrompt, drawSalt, syntheticIds, walkPrompt, walkTokens, type Recipe } from './syntheticIds';

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

/** How the ids of `sourcesOf` were made, for the provenance. */
export function describeSeeds(experiment: BisectExperiment): string {
  if (experiment.input.type !== 'draws') return '';
  const rule = ({ stride, offset }: Recipe, salt: string): string => `(i*${stride} + ${offset}${salt}) mod vocab`;
  const draws = `draw d: prompt ids ${rule(drawPrompt, ' + salt')}, block ids ${rule(drawBlock, ' + salt')}, salt = 977*d + 1`;
  return experiment.walk === 0 ? draws : `${draws}; walk: prompt ids ${rule(walkPrompt, '')}, tokens ${rule(walkTokens, '')}`;
}

function drawSources(input: Extract<Input, { type: 'draws' }>, walk: number, widest: number, vocab: number): Source[] {
  const draws = Array.from({ length: input.draws }, (_, draw): Source => {
    const salt = drawSalt(draw);
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

/** Tokens after the longest prompt that any comparison needs. */
function longest(experiment: BisectExperiment): number {
  return greatest([experiment.walk, ...experiment.widths]);
}

/**
 * The sources of an experiment in the order of the report.
 * Throws a Problem for a prompt that the model cannot take, before anything is computed.
 */
export async function sourcesOf(model: Model, experiment: BisectExperiment, signal?: AbortSignal): Promise<Source[]> {
  const { input, walk } = experiment;
  if (input.type === 'draws') {
    checkLength(input.promptLength, longest(experiment), model.info);
    return drawSources(input, walk, greatest(experiment.widths), model.info.vocab);
  }
  const ids = input.type === 'ids' ? input.ids : await tokenIds(model, input.text, signal);
  checkIds(ids, model.info);
  checkLength(ids.length, longest(experiment), model.info);
  return promptSources(input.type, ids, walk);
}


// Runs of the panel as a served model makes them: rounds of speculation with accepted drafts and a bonus, or single steps.
import type { PanelEntry, PanelFolder, PanelOptions, PanelRun, PanelServer, PanelToken } from '../../src/shared/panelProtocol';
import { random } from './random';

export const options: PanelOptions = { maxTokens: 256, temperature: 0, chat: false, speculation: true, cache: true };

export const served: PanelServer = {
  state: 'ready',
  kind: 'started',
  model: 'qwen3.5-0.8b-4bit',
  url: 'http://127.0.0.1:8321',
  drafter: 'qwen3.5-0.8b-dflash',
  speculating: true,
  speculation: 'The gate passed: blocks of 4 gave the bytes of single steps over 128 positions, under exact kernels.',
  problem: '',
};

export const declined: PanelServer = {
  ...served,
  speculating: false,
  speculation: 'The gate declined: the block of width 4 parts from single steps at layer 0, in_proj_qkv. Under exact kernels it would pass.',
};

export const noServer: PanelServer = { state: 'none', kind: 'started', model: '', url: '', drafter: '', speculating: null, speculation: '', problem: '' };

export const models: readonly PanelFolder[] = [
  { path: '/models/a/qwen3.5-0.8b-4bit', name: 'qwen3.5-0.8b-4bit', place: '/models/a' },
  { path: '/models/a/llama-3.2-1b', name: 'llama-3.2-1b', place: '/models/a' },
  { path: '/models/b/llama-3.2-1b', name: 'llama-3.2-1b', place: '/models/b' },
];
export const drafters: readonly PanelFolder[] = [{ path: '/models/a/qwen3.5-0.8b-dflash', name: 'qwen3.5-0.8b-dflash', place: '/models/a' }];

const pieces = ['def', ' merge', '(left', ', right', '):', '\n   ', ' """', 'Two', ' sorted', ' lists', ' as', ' one', '."""', '\n   ', ' out', ' =', ' []', '\n   ', ' i', ' =', ' j', ' =', ' 0', '\n   ', ' while', ' i', ' <', ' len', '(left', ')', ' and', ' j', ' <', ' len', '(right', '):', '\n       ', ' if', ' left', '[i', ']', ' <=', ' right', '[j', ']:', '\n           ', ' out', '.append', '(left', '[i', '])', '\n           ', ' i', ' +=', ' ', '1', '\n       ', ' else', ':', '\n           ', ' out', '.append', '(right', '[j', '])', '\n           ', ' j', ' +=', ' ', '1', '\n   ', ' return', ' out', ' +', ' left', '[i', ':]', ' +', ' right', '[j', ':]', '\n\n\n'];

/** `count` tokens; with a width of 1 every token is a single step, else rounds accept up to `width` - 1 drafts. */
export function tokensOf(count: number, { seed = 1, width = 4 } = {}): { tokens: PanelToken[]; acceptedPerRound: number[] } {
  const dice = random(seed);
  const tokens: PanelToken[] = [];
  const acceptedPerRound: number[] = [];
  const add = (origin: PanelToken['origin'], round: number): void => void tokens.push({ text: pieces[tokens.length % pieces.length]!, origin, round, logprob: -dice.next() * (origin === 'draft' ? 0.2 : 1.6), margin: dice.whole(1, 4000) / 400 });
  add('prefill', -1);
  while (tokens.length < count) {
    if (width === 1) {
      add('classic', -1);
      continue;
    }
    const accepted = Math.min(count - tokens.length - 1, dice.whole(0, width));
    for (let i = 0; i < accepted; i++) add('draft', acceptedPerRound.length);
    add('bonus', acceptedPerRound.length);
    acceptedPerRound.push(accepted);
  }
  return { tokens, acceptedPerRound };
}

export function runOf(count: number, { seed = 1, width = 4, ...more }: Partial<PanelRun> & { seed?: number; width?: number } = {}): PanelRun {
  const { tokens, acceptedPerRound } = tokensOf(count, { seed, width });
  const accepted = acceptedPerRound.reduce((sum, n) => sum + n, 0);
  const rounds = acceptedPerRound.length;
  return {
    id: `run-${seed}`,
    state: 'done',
    startedAt: Date.UTC(2026, 10, 30, 9, 41),
    model: served.model,
    drafter: width === 1 ? '' : served.drafter,
    prompt: 'Write a function that merges two sorted lists.\nIn Python, without imports.',
    chat: true,
    text: tokens.map(({ text }) => text).join(''),
    tokens,
    rates: { promptTokens: 57, cachedTokens: 32, tokens: count, firstMs: 214, tokensPerSecond: 61.37, rounds, drafted: rounds * (width - 1), accepted, acceptedPerRound },
    declined: '',
    end: 'length',
    captured: width > 1,
    ...more,
  };
}

export const entryOf = ({ id, state, startedAt, model, prompt, tokens }: PanelRun): PanelEntry => ({ id, state, startedAt, model, prompt, tokens: tokens.length });

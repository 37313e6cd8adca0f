// An experiment of each kind as it is when the user says nothing but the model.
import type { MatrixBase, ModelExperiment, Prompt } from './experiment';

export interface PresetSettings {
  readonly widths: readonly number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  /** Engage widths although the gate declines them. */
  readonly allowInexact: boolean;
}

type Presets = { readonly [K in ModelExperiment['kind']]: (model: string, settings: PresetSettings) => Extract<ModelExperiment, { kind: K }> };

/** Beside the built-in text some synthetic prompts, so that not all of it is one text. */
export const presetPrompts: readonly Prompt[] = [{ type: 'default' }, ...[0, 1, 2].map((draw): Prompt => ({ type: 'draw', draw, length: 64 }))];

const sequence = (model: string) =>
  ({ model, width: 4, tokens: 200, prompt: { type: 'default' }, accepts: { type: 'kept', kept: [1, 2, 3] }, reference: null, switches: {} }) as const;

/** What a matrix of switches runs, small enough to be run many times. `width`: where row-count policies switch. */
export function matrixBase(kind: MatrixBase['kind'], model: string, width = 8): MatrixBase {
  const short = { ...sequence(model), accepts: { type: 'kept' as const, kept: [1, 2, 3] }, width, tokens: 32 };
  switch (kind) {
    case 'gate':
      return { kind, model, drafter: null, widths: [width], draws: 1, promptLength: 64, walk: 32, batch: 1, switches: {}, override: false };
    case 'prefill':
      return { kind, model, prompt: { type: 'default' }, partitions: [0], switches: {} };
    case 'replay':
      return { kind, ...short, fills: ['wrong'], forms: ['block', 'kept', 'chain'] };
    case 'rewind':
      return { kind, ...short, batch: 1 };
    case 'parity':
      return { kind, model, drafter: model, prompts: [{ type: 'default' }], widths: [width], tokens: 32, batch: 1, gate: 'override', ignoreEos: true, audit: false, switches: {} };
  }
}

export const presets: Presets = {
  bisect: (model, { widths, draws, promptLength, walk }) => ({ kind: 'bisect', model, widths: [...widths], input: { type: 'draws', draws, promptLength }, walk, switches: {} }),
  prefill: (model) => ({ kind: 'prefill', model, prompt: { type: 'default' }, partitions: [0], switches: {} }),
  gate: (model, { widths, draws, promptLength, walk, allowInexact }) => ({ kind: 'gate', model, drafter: null, widths: [...widths], draws, promptLength, walk, batch: 1, switches: {}, override: allowInexact }),
  parity: (model, { allowInexact }) => ({
    kind: 'parity',
    model,
    drafter: model,
    prompts: [...presetPrompts],
    widths: [2, 4, 8],
    tokens: 64,
    batch: 1,
    gate: allowInexact ? 'override' : 'obey',
    ignoreEos: false,
    audit: true,
    switches: {},
  }),
  replay: (model) => ({ kind: 'replay', ...sequence(model), accepts: { type: 'kept', kept: [1, 2, 3] }, fills: ['wrong'], forms: ['block', 'kept', 'chain'] }),
  rewind: (model) => ({ kind: 'rewind', ...sequence(model), accepts: { type: 'kept', kept: [1, 2, 3] }, batch: 1 }),
  widths: (model) => ({ kind: 'widths', model, drafter: model, prompts: [...presetPrompts], widths: [2, 3, 4, 6, 8], tokens: 64, repeats: 3, ignoreEos: true, switches: {} }),
  switches: (model) => ({
    kind: 'switches',
    model,
    matrix: [
      { name: 'matmul', values: ['auto', 'exact'] },
      { name: 'attention', values: ['per_position', 'exact'] },
    ],
    base: matrixBase('gate', model),
  }),
};

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

/** As the settings are when nobody has changed them, and the options of the command line. */
export const presetSettings: PresetSettings = { widths: [2, 4, 8, 16], draws: 3, promptLength: 64, walk: 128, allowInexact: false };

type Presets = { readonly [K in ModelExperiment['kind']]: (model: string, settings: PresetSettings) => Extract<ModelExperiment, { kind: K }> };

/** Kernels of a served run, where no others are asked for: no answer depends on who else is served or on what is cached, and speculation passes the gate. */
export const servedKernels = { matmul: 'exact', attention: 'exact' } as const;

/** Of a served run: requests together, tokens of a prompt in one forward, what is kept of earlier prompts. */
export const presetServing = { parallel: 8, pieceTokens: 512, cacheEntries: 32, cacheTokens: 65_536 };

/** Beside the built-in text some synthetic prompts, so that not all of it is one text. */
export const promptsWith = (draws: number): Prompt[] => [{ type: 'default' }, ...Array.from({ length: draws }, (_, draw): Prompt => ({ type: 'draw', draw, length: presetSettings.promptLength }))];
export const presetPrompts: readonly Prompt[] = promptsWith(presetSettings.draws);

/** The committed pattern of the field. */
const kept = [1, 2, 3];
export const sequencePreset = { width: 4, tokens: 200, prompt: { type: 'default' }, accepts: { type: 'kept', kept }, reference: null, switches: {} } as const;
/** A copy of its own, since forms write into what they are given. */
const sequence = (model: string) => ({ model, ...sequencePreset, accepts: { type: 'kept' as const, kept: [...kept] } });

/** Of a matrix, which runs many times: `width` is where row-count policies switch. */
export const matrixDefaults = { width: 8, tokens: 32, kept };

/** What a matrix of switches runs, small enough to be run many times. */
export function matrixBase(kind: MatrixBase['kind'], model: string, width = matrixDefaults.width): MatrixBase {
  const short = { ...sequence(model), width, tokens: matrixDefaults.tokens };
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
      return { kind, model, drafter: model, prompts: [{ type: 'default' }], widths: [width], tokens: matrixDefaults.tokens, batch: 1, gate: 'override', ignoreEos: true, audit: false, switches: {} };
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
  replay: (model) => ({ kind: 'replay', ...sequence(model), fills: ['wrong'], forms: ['block', 'kept', 'chain'] }),
  rewind: (model) => ({ kind: 'rewind', ...sequence(model), batch: 1 }),
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

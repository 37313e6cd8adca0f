// Experiments over speculative decoding. Switches may hold those of the burst ("burst.prefill") beside those of the engine.
import { z } from 'zod';
import { ids, limits, list, path, Prompt, ranges, Switches, whole, wholeIn, widths } from './parts';

const model = path('the model folder');
const drafter = path('the drafter folder');
const keptRows = list(whole('a count of kept rows', 1, limits.width), 'the accept list', limits.rounds);

/** Kept rows a round, cycled; or what a log recorded. `request`: the id of a burst of the log, or its number, from 0; null: its only or longest one. */
export const Accepts = z.discriminatedUnion('type', [
  z.object({ type: z.literal('kept'), kept: keptRows }),
  z.object({ type: z.literal('log'), file: path('the log file'), request: z.string().min(1, { error: 'the request is empty' }).max(256, { error: 'the request has more than 256 characters' }).nullable() }),
]);
export type Accepts = z.infer<typeof Accepts>;

/** What stands in the rows that a round rejects: another id everywhere, random ids, the drafts of the log, or the right ids. */
export const fills = ['wrong', 'random', 'logged', 'correct'] as const;
export const Fill = z.enum(fills, { error: `a fill is one of ${fills.join(', ')}` });
export type Fill = z.infer<typeof Fill>;

/** `block`: whole blocks with rejected rows, rewound. `kept`: blocks of the kept rows alone, nothing to rewind. `chain`: the kept rows one by one through the verify path. */
export const forms = ['block', 'kept', 'chain'] as const;
export const Form = z.enum(forms, { error: `a form is one of ${forms.join(', ')}` });
export type Form = z.infer<typeof Form>;

const replayParts = {
  model,
  width: whole('the width', 2, limits.width),
  /** Reference tokens to walk over. */
  tokens: whole('the number of tokens', 1, limits.tokens),
  prompt: Prompt,
  accepts: Accepts,
  /** Tokens after the prompt, null: the greedy continuation of the model, or what the log emitted. */
  reference: ids('the reference').nullable(),
  switches: Switches,
};

/** A captured accept sequence over a reference transcript, against the classic chain, row by row. */
export const ReplayExperiment = z.object({ kind: z.literal('replay'), ...replayParts, fills: list(Fill, 'the list of fills', fills.length), forms: list(Form, 'the list of forms', forms.length) });
export type ReplayExperiment = z.infer<typeof ReplayExperiment>;

/** The state after every rewind, against sessions that never saw the rejected rows. */
export const RewindExperiment = z.object({ kind: z.literal('rewind'), ...replayParts, batch: whole('the batch', 1, limits.batch) });
export type RewindExperiment = z.infer<typeof RewindExperiment>;

/** The prefill of classic decode against the burst's, before either advances. Partition 0: the whole prompt in one forward. */
export const PrefillExperiment = z.object({
  kind: z.literal('prefill'),
  model,
  prompt: Prompt,
  partitions: list(whole('a partition', 0, limits.promptIds), 'the list of partitions', limits.partitions),
  switches: Switches,
});
export type PrefillExperiment = z.infer<typeof PrefillExperiment>;

/** Whether blocks of a width are exact enough to be served. */
export const GateExperiment = z.object({
  kind: z.literal('gate'),
  model,
  /** Whose width and captured taps count, null: none. */
  drafter: drafter.nullable(),
  widths,
  draws: wholeIn(ranges.draws),
  promptLength: wholeIn(ranges.promptLength),
  walk: wholeIn(ranges.walk),
  /** Rows that run together, each with ids of its own. */
  batch: whole('the batch', 1, limits.batch),
  switches: Switches,
  /** Engage although the probe failed. */
  override: z.boolean(),
});
export type GateExperiment = z.infer<typeof GateExperiment>;

/** Classic greedy decode against the burst. */
export const ParityExperiment = z.object({
  kind: z.literal('parity'),
  model,
  drafter,
  prompts: list(Prompt, 'the list of prompts', limits.prompts),
  widths,
  tokens: whole('the number of tokens', 2, limits.tokens),
  /** Rows that run together: prompts of a batch are cut to one length. */
  batch: whole('the batch', 1, limits.batch),
  /** `obey`: a width that the gate declines runs classic. `override`: it runs all the same, said loudly. */
  gate: z.enum(['obey', 'override']),
  ignoreEos: z.boolean(),
  /** Compare the whole state with single steps after every round. */
  audit: z.boolean(),
  switches: Switches,
});
export type ParityExperiment = z.infer<typeof ParityExperiment>;

/** Throughput, acceptance and exactness of every width, with classic decode around and between. */
export const WidthsExperiment = z.object({
  kind: z.literal('widths'),
  model,
  drafter,
  prompts: list(Prompt, 'the list of prompts', limits.prompts),
  widths,
  tokens: whole('the number of tokens', 2, limits.tokens),
  /** Times that every arm runs, each time in another order. */
  repeats: whole('the number of repeats', 1, 100),
  ignoreEos: z.boolean(),
  switches: Switches,
});
export type WidthsExperiment = z.infer<typeof WidthsExperiment>;

/** What a matrix of switches can be run over. */
export const MatrixBase = z.discriminatedUnion('kind', [ReplayExperiment, RewindExperiment, PrefillExperiment, GateExperiment, ParityExperiment]);
export type MatrixBase = z.infer<typeof MatrixBase>;

/** Every combination of some switches over one experiment. A value stands for a switch of the experiment itself where it has one. */
export const SwitchesExperiment = z.object({
  kind: z.literal('switches'),
  model,
  matrix: list(
    z.object({ name: z.string({ error: 'a switch has a name' }).min(1).max(64), values: list(z.union([z.string().max(64), z.int()]), 'the list of values', 16) }),
    'the list of switches',
    8,
  ).refine((matrix) => new Set(matrix.map(({ name }) => name)).size === matrix.length, { error: 'a switch is given twice; give each with all its values' }),
  base: MatrixBase,
});
export type SwitchesExperiment = z.infer<typeof SwitchesExperiment>;

// Two lists of token ids, held against each other without an engine.
import { z } from 'zod';
import { path } from './parts';

/** Of one file of ids. */
export const idsLimits = { bytes: 16 * 1024 * 1024, ids: 2_000_000 } as const;

/** A list of ids, or a log that tells them. `request`: the id of a request of the log, or its number, from 0; null: its only one, or the one with the most ids. */
const IdsFile = z.object({ file: path('the file'), request: z.string({ error: 'the request is text' }).min(1, { error: 'the request is empty' }).max(256, { error: 'the request has more than 256 characters' }).nullable() });
export type IdsFile = z.infer<typeof IdsFile>;

/** `model`: whose tokenizer gives the texts, null: none. */
export const IdsExperiment = z.object({ kind: z.literal('ids'), a: IdsFile, b: IdsFile, model: path('the model folder').nullable() });
export type IdsExperiment = z.infer<typeof IdsExperiment>;

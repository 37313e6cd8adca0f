// Experiments over servers: what can be told from text and log probabilities alone. A token is never part of one; it travels beside it.
import { z } from 'zod';
import { endpoints } from '../servedKinds';
import { ServerUrl } from '../serverAddress';
import { list, path, promptText, Switches, whole } from './parts';

export const servedLimits = { tokens: 4096, prompts: 64, times: 100, together: 64 } as const;

export const ServedName = z.object({
  url: ServerUrl,
  /** As the server calls it, "": the first that it names. */
  model: z.string({ error: 'the model of a server is text' }).max(1024, { error: 'the name of the model has more than 1024 characters' }),
});
export type ServedName = z.infer<typeof ServedName>;

export { endpoints, type Endpoint, isServed, servedKinds, type ServedKind } from '../servedKinds';

const prompts = list(promptText, 'the list of prompts', servedLimits.prompts);
const tokens = whole('the number of tokens', 1, servedLimits.tokens);
const asked = { server: ServedName, endpoint: z.enum(endpoints, { error: `an endpoint is one of ${endpoints.join(', ')}` }), prompts, tokens };

/** The same request again and again. Temperature 0 is greedy; above it, every request has the same seed. */
export const RepeatExperiment = z.object({
  kind: z.literal('repeat'),
  ...asked,
  times: whole('the number of times', 2, servedLimits.times),
  temperature: z.number({ error: 'the temperature is a number' }).min(0, { error: 'the temperature is 0 or more' }).max(2, { error: 'the temperature is at most 2' }),
  seed: whole('the seed', 0, 2 ** 31 - 1),
});
export type RepeatExperiment = z.infer<typeof RepeatExperiment>;

/** One prompt without the prefix cache, then cold, warm, and warm again. */
export const CacheExperiment = z.object({ kind: z.literal('cache'), ...asked });
export type CacheExperiment = z.infer<typeof CacheExperiment>;

/** Each prompt alone, then among others. */
export const ConcurrencyExperiment = z.object({ kind: z.literal('concurrency'), ...asked, together: whole('the number of requests together', 2, servedLimits.together) });
export type ConcurrencyExperiment = z.infer<typeof ConcurrencyExperiment>;

/** Greedy answers of a server (arm A) against those of another one, or of a model that the built-in engine loads (arm B). */
export const ServersExperiment = z.object({
  kind: z.literal('servers'),
  ...asked,
  other: z.discriminatedUnion('type', [ServedName.extend({ type: z.literal('server') }), z.object({ type: z.literal('model'), folder: path('the model folder'), switches: Switches })]),
});
export type ServersExperiment = z.infer<typeof ServersExperiment>;

/** The log probabilities of a greedy answer against those of the same text scored as a prompt. */
export const RescoreExperiment = z.object({ kind: z.literal('rescore'), server: ServedName, prompts, tokens });
export type RescoreExperiment = z.infer<typeof RescoreExperiment>;

export type ServedExperiment = RepeatExperiment | CacheExperiment | ConcurrencyExperiment | ServersExperiment | RescoreExperiment;

/** Addresses that the experiment sends requests to. */
export function serversOf(experiment: ServedExperiment): string[] {
  const other = experiment.kind === 'servers' && experiment.other.type === 'server' ? [experiment.other.url] : [];
  return [experiment.server.url, ...other];
}


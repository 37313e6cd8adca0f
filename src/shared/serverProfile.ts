// What a server says of itself and what tiny requests showed: which engine, which models, what it can do.
import { z } from 'zod';
import { serverEngines } from './serverEngines';

export type { ServerEngine } from './serverEngines';

export const capabilityNames = ['completions', 'chat', 'logprobs', 'chat logprobs', 'token ids', 'stream', 'echo', 'seed', 'end ignored', 'tokenize', 'cached tokens', 'cache off', 'speculation'] as const;
export type CapabilityName = (typeof capabilityNames)[number];

/** `unknown`: not tried, or what came does not tell. */
export const Capability = z.object({ name: z.enum(capabilityNames), state: z.enum(['yes', 'no', 'unknown']), detail: z.string() });
export type Capability = z.infer<typeof Capability>;

/** Counters of speculation as a server keeps them over all its requests; -1 for what it does not tell. */
export const SpeculationCounters = z.object({ from: z.string(), rounds: z.number().min(-1), drafted: z.number().min(-1), accepted: z.number().min(-1) });
export type SpeculationCounters = z.infer<typeof SpeculationCounters>;

export const ServerProfile = z.object({
  /** What endpoints follow: http://host:port. */
  url: z.string(),
  engine: z.enum(serverEngines),
  /** "" where it does not say. */
  version: z.string(),
  /** What the engine was recognised by. */
  evidence: z.string(),
  /** The model that requests go to. */
  model: z.string(),
  models: z.array(z.string()),
  /** Tokens that fit, 0 where it does not say. */
  context: z.int().min(0),
  capabilities: z.array(Capability),
  notes: z.array(z.string()),
});
export type ServerProfile = z.infer<typeof ServerProfile>;

export function can({ capabilities }: Pick<ServerProfile, 'capabilities'>, name: CapabilityName): boolean {
  return capabilities.some((one) => one.name === name && one.state === 'yes');
}

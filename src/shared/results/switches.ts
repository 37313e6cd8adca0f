// Result of a switch matrix.
import { z } from 'zod';
import { Resolved, Verdict } from './parts';

export const Combination = z.object({
  switches: Resolved,
  verdict: Verdict,
  complete: z.boolean(),
  /** Hash over the bytes of every tap of a prefill, single steps and a verify block: equal hashes, equal bytes. */
  bytes: z.string(),
  /** Kernels that ran in them, with threads and instruction set. */
  counters: z.string(),
});
export type Combination = z.infer<typeof Combination>;

export const livenessWords = ['bytes', 'counters', 'void'] as const;

export const SwitchControl = z.object({
  name: z.string(),
  values: z.array(z.string()),
  /** `bytes`: it changed a byte. `counters`: only which kernels or how many threads ran. `void`: nothing, so it controls nothing here. */
  live: z.enum(livenessWords),
  evidence: z.string(),
  /** Whether a verdict changes with it while the others stay. */
  decides: z.boolean(),
});
export type SwitchControl = z.infer<typeof SwitchControl>;

export const SwitchesResult = z.object({ probe: z.string(), combinations: z.array(Combination), controls: z.array(SwitchControl) });
export type SwitchesResult = z.infer<typeof SwitchesResult>;

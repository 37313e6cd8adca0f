// Result of an exactness gate.
import { z } from 'zod';
import { count, Resolved } from './parts';

/** One thing that the probe tried. */
export const GateCheck = z.object({
  name: z.string(),
  rows: count,
  differingRows: count,
  /** First row that differs: its place in the check, the batch row, and its bytes. */
  first: z.object({ row: count, round: count, batchRow: count, differingBytes: count, totalBytes: count }).nullable(),
  /** Bytes of state that differ at the end. */
  stateBytes: count,
});
export type GateCheck = z.infer<typeof GateCheck>;

export const exactnessWords = ['exact', 'inexact', 'not run'] as const;

export const GateAttempt = z.object({ switches: Resolved, exactness: z.enum(exactnessWords), reason: z.string(), checks: z.array(GateCheck) });
export type GateAttempt = z.infer<typeof GateAttempt>;

export const GateWidth = z.object({
  asked: count,
  /** What a block of this width really has. */
  used: count,
  decision: z.enum(['engage', 'decline', 'override']),
  reason: z.string(),
  attempt: GateAttempt,
  /** The same with the exact kernels, where the first attempt failed. */
  retry: GateAttempt.nullable(),
  /** From the memo of this process. */
  remembered: z.boolean(),
});
export type GateWidth = z.infer<typeof GateWidth>;

export const GateResult = z.object({ batch: count, widths: z.array(GateWidth), memoKey: z.array(z.string()), override: z.boolean() });
export type GateResult = z.infer<typeof GateResult>;

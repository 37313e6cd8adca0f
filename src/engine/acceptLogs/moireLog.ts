// Moire's own capture log: JSON lines, a header, then prompts, rounds and ends of requests as a burst makes them. Everything that a byte-exact replay needs.
import { z } from 'zod';

export const captureLogFormat = 'moire.capture';
export const captureLogVersion = 1;

const id = z.int().min(0).max(0xffff_ffff);
const ids = z.array(id).max(1_000_000);
const count = z.int().min(0);
const name = z.string().max(4096);
const request = z.string().min(1).max(200);

export const CaptureLogHeader = z.object({
  format: z.literal(captureLogFormat),
  version: z.literal(captureLogVersion),
  model: name,
  drafter: name,
  engine: name,
  switches: z.record(z.string().max(64), z.union([z.string().max(64), z.number(), z.boolean()])),
  width: count,
  /** Where the width comes from: "operator override", "drafter", ... */
  widthFrom: name,
  prefill: z.enum(['causal', 'verify']),
  /** Lengths of the pieces in which the prompt was prefilled. */
  partition: z.array(count).max(100_000),
  sampling: z.record(z.string().max(64), z.union([z.string().max(64), z.number(), z.boolean(), z.null()])),
});
export type CaptureLogHeader = z.infer<typeof CaptureLogHeader>;

export const CaptureLogRequest = z.object({
  request,
  promptIds: ids,
  firstBonus: id,
  /** The forwards that made the state of the prompt, where they differ from request to request: those of earlier requests behind a cached prefix among them. */
  partition: z.array(z.object({ how: z.enum(['prefill', 'decode', 'verify']), tokens: count })).max(100_000).optional(),
});
export type CaptureLogRequest = z.infer<typeof CaptureLogRequest>;

const ms = z.number().min(0);
export const CaptureLogRound = z.object({
  request,
  round: count,
  width: z.int().min(1).max(1_000_000),
  bonus: id,
  drafts: ids,
  targets: ids,
  accepted: count,
  emitted: ids,
  ms: z.object({ draft: ms, verify: ms, accept: ms, rewind: ms }),
});
export type CaptureLogRound = z.infer<typeof CaptureLogRound>;

export const CaptureLogEnd = z.object({
  request,
  end: z.object({
    reason: z.enum(['budget', 'eos', 'context', 'cancelled', 'error']),
    /** Tokens of the rounds, without the first bonus. */
    emitted: count,
    rounds: count,
    proposed: count,
    accepted: count,
  }),
});
export type CaptureLogEnd = z.infer<typeof CaptureLogEnd>;

/** Writes a capture log line by line into a sink: a file, a string, a socket. */
export class CaptureLogWriter {
  constructor(
    private readonly sink: (text: string) => void,
    header: Omit<CaptureLogHeader, 'format' | 'version'>,
  ) {
    this.line({ format: captureLogFormat, version: captureLogVersion, ...header });
  }

  request(line: CaptureLogRequest): void {
    this.line(line);
  }

  round(line: CaptureLogRound): void {
    this.line(line);
  }

  end(line: CaptureLogEnd): void {
    this.line(line);
  }

  private line(value: unknown): void {
    this.sink(`${JSON.stringify(value)}\n`);
  }
}

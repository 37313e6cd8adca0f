// How an endpoint writes its answer, whole or in pieces.
import type { Delta, Emitted, Outcome } from '../engine/serving/request';
import type { Answer, Collected } from './collected';

/** What a client wants beside the text. */
export interface Wanted {
  readonly ids: boolean;
  /** How every token came. */
  readonly tokens: boolean;
}

export interface Frame {
  readonly id: string;
  /** Seconds. */
  readonly created: number;
  readonly model: string;
  readonly fingerprint: string;
}

export interface Shape {
  readonly object: string;
  readonly chunkObject: string;
  /** Before the first token of a choice, null for nothing. */
  opening(index: number): Promise<Record<string, unknown> | null>;
  /** A choice as far as it came. `before`: characters that were sent before. */
  piece(index: number, delta: Delta, before: number): Record<string, unknown>;
  /** The last word of a choice. */
  closing(index: number, outcome: Outcome, collected: Collected): Record<string, unknown>;
  whole(index: number, answer: Answer): Promise<Record<string, unknown>>;
}

/** How tokens came, where it was asked for. */
export const cameOf = ({ tokens }: Wanted, came: readonly Emitted[]): Record<string, unknown> =>
  tokens ? { moire: { tokens: came.map(({ id, text, origin, round, logprob, margin }) => ({ id, text, origin, round, logprob, margin })) } } : {};

export const finishReason = ({ end }: Outcome): string => (end === 'length' ? 'length' : 'stop');

export const framed = ({ id, created, model, fingerprint }: Frame, object: string, choices: readonly unknown[]): Record<string, unknown> => ({ id, object, created, model, system_fingerprint: fingerprint, choices });

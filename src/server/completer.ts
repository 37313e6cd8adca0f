// What the server needs of an engine: in this process, or in a process of its own.
import type { Delta, Emitted, GenerateRequest, Outcome } from '../engine/serving/request';
import type { ServedFacts, ServedState } from '../engine/serving/service';

export type { ServedFacts, ServedState };

export interface GenerateCall {
  readonly onDelta: (delta: Delta) => void;
  readonly onPrompt: (tokens: readonly Emitted[]) => void;
  readonly signal: AbortSignal;
}

/** Errors are Problems. One of kind "environment" says that the engine is away for a moment. */
export interface Completer {
  readonly facts: ServedFacts;
  /** Null while it serves, or why it does not. */
  readonly away: string | null;
  tokenize(text: string, special: boolean): Promise<number[]>;
  detokenize(ids: readonly number[], skipSpecial: boolean): Promise<{ text: string; pieces: string[] }>;
  chat(messages: readonly { role: string; content: string }[], variables: Readonly<Record<string, unknown>>): Promise<{ text: string; ids: number[] }>;
  generate(request: GenerateRequest, call: GenerateCall): Promise<Outcome>;
  state(): Promise<ServedState>;
  close(): Promise<void>;
}

// Between the extension and the server process of a served run. The token crosses here, on no command line.
import type { Switches } from './experiment';

export const serverMethods = { start: 'server/start', gate: 'server/gate', away: 'server/away' } as const;

export interface ServerStart {
  readonly library: string;
  readonly model: string;
  /** Null: no speculation. */
  readonly drafter: string | null;
  readonly width: number | null;
  readonly switches: Switches;
  readonly parallel: number;
  /** Speculate although the gate declines. */
  readonly override: boolean;
  /** 0: any free one. */
  readonly port: number;
  readonly token: string;
  /** A file that is not there yet: the rounds of every request go there. Null: nowhere. */
  readonly capture: string | null;
}

export interface ServerStarted {
  readonly url: string;
  /** What clients call the model. */
  readonly id: string;
  readonly path: string;
  readonly context: number;
  readonly chatTemplate: boolean;
  /** It takes a text after the gap as well. */
  readonly fillInMiddle: boolean;
  readonly notes: readonly string[];
  readonly speculation: { readonly drafter: string; readonly family: string; readonly width: number; readonly widthFrom: string } | null;
}

/** What the gate decided for a single request, and up to how many together it engages. */
export interface ServerGate {
  readonly engaged: boolean;
  readonly reason: string;
  readonly together: number;
}

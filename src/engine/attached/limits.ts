// The most that is taken of a server. Nothing of it is believed: what goes beyond ends the request with a sentence.

export interface ExchangeLimits {
  /** Bytes of a body. */
  readonly bytes: number;
  /** Until the headers of the answer. */
  readonly headMs: number;
  /** Until the last byte. */
  readonly totalMs: number;
}

const minute = 60_000;

/** An answer of some thousand tokens with candidates; a large model takes its time over a long prompt. */
export const answerLimits: ExchangeLimits = { bytes: 64 << 20, headMs: 5 * minute, totalMs: 30 * minute };
/** What a server says of itself. */
export const factLimits: ExchangeLimits = { bytes: 4 << 20, headMs: 5_000, totalMs: 10_000 };
/** Requests of one to eight tokens, which show what a server can: the first may load the model. */
export const trialLimits: ExchangeLimits = { bytes: 4 << 20, headMs: 2 * minute, totalMs: 3 * minute };

/** Of its documents: an answer has a list or two a token. */
export const jsonLimits = { depth: 64, containers: 4_000_000, names: 1_000_000 } as const;
/** Characters of a server's own words in a message. */
export const quoteChars = 300;
/** Names in a list of models. */
export const modelsMost = 1000;

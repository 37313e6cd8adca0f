// A server that completions come from: a served run of this window, or one that somebody else started.
export interface Connection {
  readonly kind: 'started' | 'attached';
  /** Scheme, host and port. */
  readonly url: string;
  readonly token: string;
  /** What clients call the model. */
  readonly model: string;
  /** Folder of the model, "" where it is not known. */
  readonly path: string;
  /** Folder of the drafter, "" for none or unknown. */
  readonly drafter: string;
  /** Rows of a block, 0 where there are none or it is not known. */
  readonly width: number;
  /** Tokens, 0 where it is not known. */
  readonly context: number;
  readonly completions: boolean;
  readonly chat: boolean;
  /** It takes the text after a gap as well. */
  readonly fillInMiddle: boolean;
  /** It knows the fields that Moire's server adds to OpenAI's. */
  readonly ours: boolean;
}

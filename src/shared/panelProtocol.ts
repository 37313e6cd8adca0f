// What crosses between the extension host and the completions panel. The host keeps all state; the panel draws it and asks for things.

/** How a token came: chosen after the prompt, in a single step, proposed by the drafter and accepted, or the target's own at the end of a round. `unknown`: another server does not say. */
export const tokenOrigins = ['prefill', 'classic', 'draft', 'bonus', 'unknown'] as const;
export type TokenOrigin = (typeof tokenOrigins)[number];

export interface PanelToken {
  readonly text: string;
  readonly origin: TokenOrigin;
  /** Round of speculation, -1 outside. */
  readonly round: number;
  /** Natural logarithm, null where it was not told. */
  readonly logprob: number | null;
  /** Between the two best candidates, in logits. */
  readonly margin: number | null;
}

export interface PanelServer {
  /** `away`: its engine process died and is started again. */
  readonly state: 'none' | 'starting' | 'ready' | 'away' | 'failed';
  /** `attached`: a server that somebody else started. */
  readonly kind: 'started' | 'attached';
  /** What clients call the model, "" without a server. */
  readonly model: string;
  readonly url: string;
  /** Folder name of the drafter, "" for none. */
  readonly drafter: string;
  /** Null while the gate runs, or where a server does not say. */
  readonly speculating: boolean | null;
  /** Why there is speculation or none, one sentence; "" when it is not known yet. */
  readonly speculation: string;
  /** What went wrong, "" for nothing. */
  readonly problem: string;
}

/** A folder that can be chosen. */
export interface PanelFolder {
  readonly path: string;
  readonly name: string;
  /** Where it lies. */
  readonly place: string;
}

export interface PanelRates {
  readonly promptTokens: number;
  /** Of the prompt, from an earlier request. */
  readonly cachedTokens: number;
  readonly tokens: number;
  /** To the first token. */
  readonly firstMs: number | null;
  /** After the first token; null until there are two. */
  readonly tokensPerSecond: number | null;
  readonly rounds: number;
  readonly drafted: number;
  readonly accepted: number;
  readonly acceptedPerRound: readonly number[];
}

export interface PanelRun {
  readonly id: string;
  readonly state: 'running' | 'done' | 'stopped' | 'failed';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly model: string;
  readonly drafter: string;
  readonly prompt: string;
  /** As a message of a chat. */
  readonly chat: boolean;
  readonly text: string;
  readonly tokens: readonly PanelToken[];
  readonly rates: PanelRates;
  /** Why there was no speculation, "" where there was. */
  readonly declined: string;
  /** Why it failed, or what ended it ("length", "stop"). */
  readonly end: string;
  /** Its rounds are kept: it can be captured and inspected. */
  readonly captured: boolean;
}

/** A line of the history. */
export type PanelEntry = Pick<PanelRun, 'id' | 'state' | 'startedAt' | 'model' | 'prompt'> & { readonly tokens: number };

export interface PanelOptions {
  readonly maxTokens: number;
  /** 0: greedy. */
  readonly temperature: number;
  readonly chat: boolean;
  readonly speculation: boolean;
  readonly cache: boolean;
}

export type ToPanel =
  | { readonly type: 'server'; readonly server: PanelServer }
  | { readonly type: 'folders'; readonly models: readonly PanelFolder[]; readonly drafters: readonly PanelFolder[]; readonly model: string; readonly drafter: string }
  /** What the boxes hold, at the start and when the host changes it. */
  | { readonly type: 'options'; readonly options: PanelOptions }
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'history'; readonly entries: readonly PanelEntry[] }
  /** The run to show from now on, whole; null for none. Sent again when it ends. */
  | { readonly type: 'run'; readonly run: PanelRun | null }
  /** More of the run that is shown. */
  | { readonly type: 'tokens'; readonly id: string; readonly text: string; readonly tokens: readonly PanelToken[]; readonly rates: PanelRates };

export type FromPanel =
  | { readonly type: 'ready' }
  /** Start (or exchange) the served run. `drafter` "": none. */
  | { readonly type: 'serve'; readonly model: string; readonly drafter: string }
  | { readonly type: 'browse'; readonly what: 'model' | 'drafter' }
  | { readonly type: 'attach' }
  | { readonly type: 'stopServer' }
  | { readonly type: 'complete'; readonly prompt: string; readonly options: PanelOptions }
  | { readonly type: 'stop'; readonly id: string }
  /** The editor's selection as prompt. */
  | { readonly type: 'useSelection' }
  | { readonly type: 'insert' | 'replace' | 'copy' | 'show' | 'remove' | 'capture' | 'inspect'; readonly id: string }
  | { readonly type: 'clearHistory' }
  /** The exactness gate as a probe of what is served. */
  | { readonly type: 'askGate' }
  /** An error inside the page, for the log. */
  | { readonly type: 'failed'; readonly message: string };

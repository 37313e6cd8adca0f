// State of the panel: what the host told, what stands in the boxes, and how it is looked at. Pure; the last two outlive the page.
import type { PanelEntry, PanelFolder, PanelOptions, PanelRun, PanelServer, ToPanel } from '../../shared/panelProtocol';
import { boxesOf, type Boxes } from './model/boxes';

/** What the host put into the boxes last, so that a page which comes back keeps what was typed since. */
export interface Offered {
  readonly prompt: string;
  readonly options: PanelOptions | null;
}

/** Outlives the page. */
export interface Kept {
  readonly prompt: string;
  readonly boxes: Boxes;
  readonly offered: Offered;
  /** Folds that the user opened or closed, by name. */
  readonly sections: Readonly<Record<string, boolean>>;
  /** Pixels; `text` null: at the end, and follows it. */
  readonly scroll: { readonly page: number; readonly text: number | null };
}

export interface State extends Kept {
  readonly server: PanelServer | null;
  readonly models: readonly PanelFolder[];
  readonly drafters: readonly PanelFolder[];
  readonly picked: { readonly model: string; readonly drafter: string };
  readonly history: readonly PanelEntry[];
  readonly run: PanelRun | null;
  /** Counts the runs that were shown: while it stays, tokens were only added. */
  readonly shown: number;
  /** Asks whether to remove the whole history. */
  readonly clearing: boolean;
  /** Boxes that the host did not fill yet since the page came back. */
  readonly returned: { readonly prompt: boolean; readonly options: boolean };
}

export type Action =
  | { readonly type: 'told'; readonly message: ToPanel }
  | { readonly type: 'prompt'; readonly prompt: string }
  | { readonly type: 'boxes'; readonly boxes: Partial<Boxes> }
  | { readonly type: 'picked'; readonly picked: Partial<State['picked']> }
  | { readonly type: 'section'; readonly name: string; readonly open: boolean }
  | { readonly type: 'scrolled'; readonly scroll: Partial<Kept['scroll']> }
  | { readonly type: 'clearing'; readonly clearing: boolean };

/** The host sends its own at once; they only stand for a moment. */
const firstOptions: PanelOptions = { maxTokens: 256, temperature: 0, chat: false, speculation: true, cache: true };
const version = 1;

const fresh: Kept = { prompt: '', boxes: boxesOf(firstOptions), offered: { prompt: '', options: null }, sections: {}, scroll: { page: 0, text: null } };

const isKept = (saved: unknown): saved is { readonly kept: Kept } => typeof saved === 'object' && saved !== null && 'version' in saved && saved.version === version && 'kept' in saved;

/** `saved`: what `savedOf` gave before the page was dropped, or anything else. */
export function startOf(saved: unknown): State {
  const came = isKept(saved);
  const kept = came ? saved.kept : fresh;
  return { ...kept, server: null, models: [], drafters: [], picked: { model: '', drafter: '' }, history: [], run: null, shown: 0, clearing: false, returned: { prompt: came, options: came } };
}

export const savedOf = ({ prompt, boxes, offered, sections, scroll }: State): unknown => ({ version, kept: { prompt, boxes, offered, sections, scroll } satisfies Kept });

function offerPrompt(state: State, text: string): State {
  const returned = { ...state.returned, prompt: false };
  if (state.returned.prompt && text === state.offered.prompt) return { ...state, returned };
  return { ...state, returned, prompt: text, offered: { ...state.offered, prompt: text } };
}

const sameOptions = (a: PanelOptions | null, b: PanelOptions): boolean =>
  a !== null && a.maxTokens === b.maxTokens && a.temperature === b.temperature && a.chat === b.chat && a.speculation === b.speculation && a.cache === b.cache;

function offerOptions(state: State, options: PanelOptions): State {
  const returned = { ...state.returned, options: false };
  if (state.returned.options && sameOptions(state.offered.options, options)) return { ...state, returned };
  return { ...state, returned, boxes: boxesOf(options), offered: { ...state.offered, options } };
}

/** A run that ended comes once more, whole: what is drawn of it stays when nothing else was said. */
function showRun(state: State, run: PanelRun | null): State {
  const before = state.run;
  const same = run !== null && before?.id === run.id && before.tokens.length === run.tokens.length && before.text === run.text;
  if (same) return { ...state, run: { ...run, tokens: before.tokens } };
  // A running one follows its end, an older one is read from its start; what was looked at when the page was dropped stays where it was.
  const text = state.shown === 0 || before?.id === run?.id ? state.scroll.text : run?.state === 'running' ? null : 0;
  return { ...state, run, shown: state.shown + 1, scroll: { ...state.scroll, text } };
}

function tell(state: State, message: ToPanel): State {
  switch (message.type) {
    case 'server':
      return { ...state, server: message.server };
    case 'folders':
      return { ...state, models: message.models, drafters: message.drafters, picked: { model: message.model, drafter: message.drafter } };
    case 'options':
      return offerOptions(state, message.options);
    case 'prompt':
      return offerPrompt(state, message.text);
    case 'history':
      return { ...state, history: message.entries, clearing: state.clearing && message.entries.length > 0 };
    case 'run':
      return showRun(state, message.run);
    case 'tokens': {
      const { run } = state;
      if (run?.id !== message.id) return state;
      return { ...state, run: { ...run, text: run.text + message.text, tokens: [...run.tokens, ...message.tokens], rates: message.rates } };
    }
  }
}

const scrolled = (state: State, scroll: Kept['scroll']): State => (scroll.page === state.scroll.page && scroll.text === state.scroll.text ? state : { ...state, scroll });

/** The next state; the same object when nothing changed. */
export function reduce(state: State, action: Action): State {
  switch (action.type) {
    case 'told':
      return tell(state, action.message);
    case 'prompt':
      return action.prompt === state.prompt ? state : { ...state, prompt: action.prompt };
    case 'boxes':
      return { ...state, boxes: { ...state.boxes, ...action.boxes } };
    case 'picked':
      return { ...state, picked: { ...state.picked, ...action.picked } };
    case 'section':
      return { ...state, sections: { ...state.sections, [action.name]: action.open } };
    case 'scrolled':
      return scrolled(state, { ...state.scroll, ...action.scroll });
    case 'clearing':
      return { ...state, clearing: action.clearing };
  }
}

/** A run is going on, be it shown or not. */
export const isBusy = ({ run, history }: State): boolean => run?.state === 'running' || history.some(({ id, state }) => state === 'running' && id !== run?.id);

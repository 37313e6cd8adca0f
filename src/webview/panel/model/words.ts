// The states of server and run in words.
import type { PanelEntry, PanelRun, PanelServer } from '../../../shared/panelProtocol';
import { formatCount, formatFloat, formatMs, plural } from '../../../shared/format';
import { percent, share } from '../../model/numbers';

export const serverWords: Readonly<Record<PanelServer['state'], string>> = { none: 'no server', starting: 'starting', ready: 'ready', away: 'engine restarts', failed: 'failed' };

export function speculationInWords({ speculating, drafter, kind }: PanelServer): string {
  if (speculating === null) return kind === 'attached' ? 'not told' : 'being checked';
  if (speculating) return drafter === '' ? 'on' : `on · ${drafter}`;
  return drafter === '' ? 'off · no drafter' : 'off · why?';
}

/** The whole sentence behind it. */
export function whyInWords(server: PanelServer): string {
  if (server.speculation !== '') return server.speculation;
  if (server.speculating === null && server.kind === 'attached') return 'This server does not say whether it speculates.';
  if (server.speculating === null) return 'The exactness gate runs: speculation starts when blocks gave the bytes of single steps. Until then every token is a step.';
  return server.drafter === '' ? 'No drafter is loaded: every token is a step of the model alone.' : '';
}

const ends: Readonly<Record<string, string>> = { length: 'token limit', stop: 'end of text' };

/** "done: token limit" */
export function stateInWords({ state, end }: Pick<PanelRun, 'state' | 'end'>): string {
  return state === 'done' && end !== '' ? `done: ${ends[end] ?? end}` : state;
}

export const rateInWords = (perSecond: number | null): string => (perSecond === null ? '–' : `${formatFloat(perSecond, 3)} /s`);

/** What a reader by ear is told when a state changes, never of single tokens. */
export function announced(server: PanelServer | null, run: PanelRun | null): string {
  const served = server === null ? '' : server.state === 'ready' ? `${server.model} is ready.` : `Server: ${serverWords[server.state]}.`;
  if (run === null) return served;
  if (run.state === 'running') return `${served} The run goes on.`;
  const { tokens, tokensPerSecond } = run.rates;
  const speed = tokensPerSecond === null ? '' : `, ${formatFloat(tokensPerSecond, 3)} tokens per second`;
  return `${served} Run ${stateInWords(run)}: ${plural(tokens, 'token')}${speed}.`;
}

/** Names and values of a run's figures; those of speculation only where there were rounds. */
export function figuresOf({ rates, state }: PanelRun): readonly (readonly [name: string, value: string])[] {
  const { promptTokens, cachedTokens, tokens, firstMs, tokensPerSecond, rounds, drafted, accepted } = rates;
  // A server tells it with the end of the answer, or never.
  const prompt = promptTokens === 0 ? '–' : cachedTokens > 0 ? `${formatCount(promptTokens)}, ${formatCount(cachedTokens)} cached` : formatCount(promptTokens);
  return [
    ['Tokens', formatCount(tokens)],
    ['Rate', rateInWords(tokensPerSecond)],
    ['First token', firstMs === null ? (state === 'running' ? 'reads the prompt' : '–') : formatMs(firstMs)],
    ['Prompt', prompt],
    ...(rounds === 0 ? [] : ([['Rounds', formatCount(rounds)], ['Accepted', `${percent(share(accepted, drafted))} of ${formatCount(drafted)}`]] as const)),
  ];
}

/** A prompt in one line. */
export const firstLine = (text: string): string => text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';

/** The time of today, else the day as well. `now`: milliseconds since 1970. */
export function whenInWords(at: number, now: number): string {
  const date = new Date(at);
  const today = date.toDateString() === new Date(now).toDateString();
  return date.toLocaleString(undefined, today ? { timeStyle: 'short' } : { dateStyle: 'short', timeStyle: 'short' });
}

export const entryInWords = ({ startedAt, model, tokens, state }: PanelEntry, now: number): string =>
  [whenInWords(startedAt, now), state === 'done' ? plural(tokens, 'token') : state, model].filter((part) => part !== '').join(' · ');

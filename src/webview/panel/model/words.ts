// The states of server and run in words.
import * as l10n from '@vscode/l10n';
import type { PanelEntry, PanelRun, PanelServer } from '../../../shared/panelProtocol';
import { formatCount, formatFloat, formatMs } from '../../../shared/format';
import { amount } from '../../model/amount';
import { percent, share } from '../../model/numbers';

export const serverWords: Readonly<Record<PanelServer['state'], string>> = { none: l10n.t('no server'), starting: l10n.t('starting'), ready: l10n.t('ready'), away: l10n.t('engine restarts'), failed: l10n.t('failed') };

const runWords: Readonly<Record<PanelRun['state'], string>> = { running: l10n.t('running'), done: l10n.t('done'), stopped: l10n.t('stopped'), failed: l10n.t('failed') };

export function speculationInWords({ speculating, drafter, kind }: PanelServer): string {
  if (speculating === null) return kind === 'attached' ? l10n.t('not told') : l10n.t('being checked');
  if (speculating) return drafter === '' ? l10n.t('on') : l10n.t('on · {0}', drafter);
  return drafter === '' ? l10n.t('off · no drafter') : l10n.t('off · why?');
}

/** The whole sentence behind it. */
export function whyInWords(server: PanelServer): string {
  if (server.speculation !== '') return server.speculation;
  if (server.speculating === null && server.kind === 'attached') return l10n.t('This server does not say whether it speculates.');
  if (server.speculating === null) return l10n.t('The exactness gate runs: speculation starts when blocks gave the bytes of single steps. Until then every token is a step.');
  return server.drafter === '' ? l10n.t('No drafter is loaded: every token is a step of the model alone.') : '';
}

const ends: Readonly<Record<string, string>> = { length: l10n.t('token limit'), stop: l10n.t('end of text') };

/** "done: token limit" */
export function stateInWords({ state, end }: Pick<PanelRun, 'state' | 'end'>): string {
  return state === 'done' && end !== '' ? l10n.t('done: {0}', ends[end] ?? end) : runWords[state];
}

export const rateInWords = (perSecond: number | null): string => (perSecond === null ? '–' : `${formatFloat(perSecond, 3)} /s`);

const tokensInWords = (count: number): string => amount(count, l10n.t('{0} token'), l10n.t('{0} tokens'));

/** What a reader by ear is told when a state changes, never of single tokens. */
export function announced(server: PanelServer | null, run: PanelRun | null): string {
  const served = server === null ? '' : server.state === 'ready' ? l10n.t('{0} is ready.', server.model) : l10n.t('Server: {0}.', serverWords[server.state]);
  if (run === null) return served;
  if (run.state === 'running') return `${served} ${l10n.t('The run goes on.')}`;
  const { tokens, tokensPerSecond } = run.rates;
  const [state, count] = [stateInWords(run), tokensInWords(tokens)];
  return `${served} ${tokensPerSecond === null ? l10n.t('Run {0}: {1}.', state, count) : l10n.t('Run {0}: {1}, {2} tokens per second.', state, count, formatFloat(tokensPerSecond, 3))}`;
}

/** Names and values of a run's figures; those of speculation only where there were rounds. */
export function figuresOf({ rates, state }: PanelRun): readonly (readonly [name: string, value: string])[] {
  const { promptTokens, cachedTokens, tokens, firstMs, tokensPerSecond, rounds, drafted, accepted } = rates;
  // A server tells it with the end of the answer, or never.
  const prompt = promptTokens === 0 ? '–' : cachedTokens > 0 ? l10n.t('{0}, {1} cached', formatCount(promptTokens), formatCount(cachedTokens)) : formatCount(promptTokens);
  return [
    [l10n.t('Tokens'), formatCount(tokens)],
    [l10n.t('Rate'), rateInWords(tokensPerSecond)],
    [l10n.t('First token'), firstMs === null ? (state === 'running' ? l10n.t('reads the prompt') : '–') : formatMs(firstMs)],
    [l10n.t('Prompt'), prompt],
    ...(rounds === 0 ? [] : ([[l10n.t('Rounds'), formatCount(rounds)], [l10n.t('Accepted'), l10n.t('{0} of {1}', percent(share(accepted, drafted)), formatCount(drafted))]] as const)),
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

/** What came of an earlier run. */
export const entryInWords = ({ tokens, state }: PanelEntry): string => (state === 'done' ? tokensInWords(tokens) : runWords[state]);

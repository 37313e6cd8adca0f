// Probe "rescore": the log probabilities of a greedy answer against those of the same text scored as a prompt, by an echo or one token at a time.
import type { RescoreExperiment } from '../../../shared/experiment';
import { formatCount, plural } from '../../../shared/format';
import { can } from '../../../shared/serverProfile';
import type { Token, Told } from '../../attached/answer';
import { dialects } from '../../attached/dialects';
import { badInput } from '../../problem';
import { best, isBest } from './compare';
import { noiseOf } from './noise';
import { tokenize } from './promptIds';
import type { AttachedServer } from './server';
import { asked, type ServedCoverage, type ServedRun } from './servedRun';
import { rescoreVerdict } from './verdict';

/** Without an echo every token is a request of its own. */
const stepsMost = 64;

export const requestsOfRescore = ({ prompts, tokens }: RescoreExperiment): number => prompts.length * (2 + Math.min(tokens, stepsMost)) + 1;

/** What was scored: the first tokens of the answer, and how. */
interface Scored {
  readonly tokens: readonly Token[];
  /** "" for tokens that are the answer's. */
  readonly fault: string;
}

export async function rescore(run: ServedRun<RescoreExperiment>): Promise<void> {
  const { experiment, server, findings, keep, call, progress } = run;
  if (!can(server.profile, 'logprobs')) throw badInput('This server gives no log probabilities with completions, so nothing can be scored', server.target.url, 'Use the repeat check, which compares texts');
  const cache = server.cacheOff ? 'off' : 'on';
  for (const [prompt, text] of experiment.prompts.entries()) {
    const question = { endpoint: 'completions', prompt: text, tokens: experiment.tokens, cache } as const;
    const decoded = await asked(run, `prompt ${prompt + 1} · decode`, server, question);
    findings.noise ??= await progress.step('noise', () => noiseOf(server, question, decoded, call.signal));
    const { tokens, fault } = can(server.profile, 'echo') ? await byEcho(run, prompt, decoded) : await byStep(run, prompt, decoded);
    const a = findings.add('decoded', prompt, { ...decoded, tokens: decoded.tokens.slice(0, tokens.length) });
    const b = findings.add('scored as a prompt', prompt, { ...decoded, tokens, speculation: null });
    const gaps = tokens.flatMap((token, i) => (isBest(token) === false && isBest(decoded.tokens[i] ?? token) !== false ? [best(token) - (token.logprob ?? NaN)] : []));
    findings.compare(`Prompt ${prompt + 1}, decoded against scored`, a, b, (sides) => (fault === '' ? rescoreVerdict(sides, gaps, findings.floor) : { word: 'void', sentence: fault }));
    await keep();
  }
}

/** Prompt and answer as one prompt: ids where the server gave and takes them, so that no tokenizer stands between. */
async function byEcho(run: ServedRun<RescoreExperiment>, prompt: number, decoded: Told): Promise<Scored> {
  const { server, experiment } = run;
  const text = experiment.prompts[prompt] ?? '';
  const ids = wholeIds(decoded);
  const scored = await asked(run, `prompt ${prompt + 1} · score`, server, { endpoint: 'completions', prompt: ids !== null && dialects[server.profile.engine].idPrompts ? ids : text + decoded.text, tokens: 1, echo: true, cache: server.cacheOff ? 'off' : 'on' });
  const asPrompt = scored.tokens.slice(0, scored.tokens.length - (scored.emitted ?? 1));
  const answer = ids === null ? withoutEnd(decoded.tokens) : decoded.tokens;
  const tail = asPrompt.slice(asPrompt.length - answer.length);
  const other = tail.findIndex((token, i) => token.text !== answer[i]?.text);
  if (tail.length < answer.length || (ids === null && other >= 0)) return { tokens: [], fault: `The server reads prompt and answer as other tokens when they are one text${other >= 0 ? ` (first at token ${formatCount(other)} of the answer)` : ''}, so their log probabilities cannot be compared.` };
  return { tokens: tail.map((token, i) => ({ ...token, id: token.id ?? answer[i]?.id ?? null })), fault: '' };
}

/** The end of text is told as a token by some, but is no text that could be scored. */
const withoutEnd = (tokens: readonly Token[]): readonly Token[] => tokens.slice(0, tokens.findLastIndex(({ text }) => text !== '') + 1);

function wholeIds({ promptIds, tokens }: Told): number[] | null {
  const ids = tokens.flatMap(({ id }) => (id === null ? [] : [id]));
  return promptIds === null || ids.length < tokens.length ? null : [...promptIds, ...ids];
}

/** Each token of the answer as the one that follows a prompt of all before it. */
async function byStep(run: ServedRun<RescoreExperiment>, prompt: number, decoded: Told): Promise<Scored> {
  const { server, experiment, findings } = run;
  const answer = decoded.tokens.slice(0, stepsMost);
  const prefixes = await prefixesOf(server, experiment.prompts[prompt] ?? '', answer, run.call.signal);
  if (prefixes === null) return { tokens: [], fault: 'This server neither echoes a prompt nor tells its tokens, so an answer cannot be scored as a prompt.' };
  findings.note(`This server does not echo prompts: each of the first ${plural(answer.length, 'token')} was scored as the one after a prompt of all before it${server.cacheOff ? ', with the prefix cache off' : '; what of these prompts came from the cache is the server’s choice'}.`);
  const tokens: Token[] = [];
  for (const [i, token] of answer.entries()) {
    const told = await asked(run, `prompt ${prompt + 1} · score ${i + 1} of ${answer.length}`, server, { endpoint: 'completions', prompt: prefixes[i] ?? '', tokens: 1, cache: server.cacheOff ? 'off' : 'on' });
    const [first] = told.tokens;
    const all = first === undefined ? [] : [...first.top, ...(first.logprob === null ? [] : [{ id: first.id, text: first.text, logprob: first.logprob }])];
    const found = all.find(({ id, text }) => (id !== null && token.id !== null ? id === token.id : text === token.text));
    tokens.push({ id: token.id, text: token.text, logprob: found?.logprob ?? null, top: first?.top ?? [] });
  }
  return { tokens, fault: '' };
}

/** Prompts that end before each token; null where the server tells too little. */
async function prefixesOf(server: AttachedServer, text: string, tokens: readonly Token[], signal: AbortSignal | undefined): Promise<(string | number[])[] | null> {
  const ids = tokens.map(({ id }) => id);
  const start = dialects[server.profile.engine].idPrompts && ids.every((id) => id !== null) ? await tokenize(server, text, signal) : null;
  if (start !== null) return tokens.map((_, i) => [...start, ...(ids.slice(0, i) as number[])]);
  if (tokens.some((token) => token.text === null || token.text.includes('\ufffd'))) return null;
  return tokens.map((_, i) => text + tokens.slice(0, i).map((token) => token.text).join(''));
}

export const rescoreCoverage = ({ prompts, tokens }: RescoreExperiment): ServedCoverage => ({
  compared: [`${plural(prompts.length, 'prompt')} with answers of up to ${plural(tokens, 'token')}: the log probability of every token when it was decoded, against that of the same token in a prompt`],
  notCovered: ['probabilities of other tokens than the chosen ones and the best few', 'states and caches that log probabilities do not show'],
});

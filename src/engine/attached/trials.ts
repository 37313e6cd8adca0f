// What a server can, shown by requests of a few tokens.
import { greatest } from '../../shared/extremes';
import type { Capability, CapabilityName, ServerEngine } from '../../shared/serverProfile';
import { plural } from '../../shared/format';
import { Problem, sentenceOf, toProblem } from '../problem';
import { shaped, type Told } from './answer';
import { ask, greedy, type Ask } from './client';
import { dialects } from './dialects';
import { askJson, type Target } from './http';
import { trialLimits } from './limits';
import { TokensShape } from './shapes';

export interface Trial {
  readonly target: Target;
  readonly engine: ServerEngine;
  readonly model: string;
  readonly signal: AbortSignal | undefined;
}

/** Some engines share prefixes in blocks of up to 64 tokens. */
const prompt = 'function add(a, b) {\n  return a + b;\n}\n\n'.repeat(8);

const all: readonly Capability[] = (['logprobs', 'chat logprobs'] as const).map((name) => ({ name, state: 'yes', detail: '' }));
const told = (name: CapabilityName, state: Capability['state'], detail: string): Capability => ({ name, state, detail });
const yes = (name: CapabilityName, detail = ''): Capability => told(name, 'yes', detail);
const no = (name: CapabilityName, detail: string): Capability => told(name, 'no', detail);
const unknown = (name: CapabilityName, detail: string): Capability => told(name, 'unknown', detail);

function question(more: Partial<Ask>): Ask {
  return { ...greedy, endpoint: 'completions', prompt, tokens: 2, ...more };
}

function send({ target, engine, model, signal }: Trial, more: Partial<Ask>, capabilities: readonly Capability[] = all): Promise<Told> {
  return ask(target, { engine, model, capabilities: [...capabilities] }, question(more), { limits: trialLimits, signal });
}

/** What the server refuses is an answer too; what keeps it from being asked at all is not. */
function refusal(error: unknown, signal: AbortSignal | undefined): string {
  const { data } = toProblem(error);
  if (signal?.aborted === true || data.kind === 'cancelled' || data.place === 'token') throw error;
  return sentenceOf({ ...data, place: '', action: '' });
}

interface Endpoints {
  readonly capabilities: readonly Capability[];
  /** The answer that shows most, null where no endpoint answers. */
  readonly sample: { readonly endpoint: Ask['endpoint']; readonly told: Told } | null;
}

const hasLogprobs = ({ tokens }: Told): boolean => tokens.some(({ logprob }) => logprob !== null);

async function endpoint(trial: Trial, name: Ask['endpoint']): Promise<{ told: Told | null; capabilities: Capability[] }> {
  const logprobs = name === 'chat' ? 'chat logprobs' : 'logprobs';
  const say = (found: Told): Capability => (hasLogprobs(found) ? yes(logprobs, candidatesIn(found)) : no(logprobs, 'asked for, but none came'));
  try {
    const found = await send(trial, { endpoint: name });
    return { told: found, capabilities: [yes(name), say(found)] };
  } catch (error) {
    const why = refusal(error, trial.signal);
    // It may be the log probabilities alone that it does not take.
    const bare = await send(trial, { endpoint: name, logprobs: false }).catch((second: unknown) => (refusal(second, trial.signal), null));
    return bare === null ? { told: null, capabilities: [no(name, why), no(logprobs, `no ${name}`)] } : { told: bare, capabilities: [yes(name), no(logprobs, why)] };
  }
}

function candidatesIn({ tokens }: Told): string {
  const most = greatest([0, ...tokens.map(({ top }) => top.length)]);
  return most === 0 ? 'of the chosen token alone' : `with ${plural(most, 'candidate')}`;
}

export async function tryEndpoints(trial: Trial): Promise<Endpoints> {
  const completions = await endpoint(trial, 'completions');
  const chat = await endpoint(trial, 'chat');
  const sample = completions.told !== null ? { endpoint: 'completions' as const, told: completions.told } : chat.told !== null ? { endpoint: 'chat' as const, told: chat.told } : null;
  return { capabilities: [...completions.capabilities, ...chat.capabilities], sample };
}

/** A stream counts where it tells what the whole answer tells. */
async function stream(trial: Trial, { endpoint: name, told: whole }: NonNullable<Endpoints['sample']>): Promise<Capability> {
  const streaming: Capability[] = [...all, yes('stream')];
  const logprobs = hasLogprobs(whole);
  try {
    const found = await send(trial, { endpoint: name, logprobs }, streaming);
    if (logprobs && !hasLogprobs(found)) return no('stream', 'it streams, but without log probabilities, so whole answers are asked for');
    if (found.tokens.length < whole.tokens.length) return no('stream', 'it streams, but not all tokens are told, so whole answers are asked for');
    return yes('stream', found.emitted === null ? 'without usage' : '');
  } catch (error) {
    return no('stream', refusal(error, trial.signal));
  }
}

async function echo(trial: Trial): Promise<Capability> {
  try {
    const found = await send(trial, { tokens: 1, echo: true });
    return found.tokens.length > 1 + (found.emitted ?? 1) && hasLogprobs(found) ? yes('echo', 'a text can be scored as a prompt') : no('echo', 'the prompt does not come back with log probabilities');
  } catch (error) {
    return no('echo', refusal(error, trial.signal));
  }
}

async function seed(trial: Trial, name: Ask['endpoint']): Promise<Capability> {
  try {
    const sampled = { endpoint: name, tokens: 8, temperature: 1, seed: 7, logprobs: false };
    const [a, b] = [await send(trial, sampled), await send(trial, sampled)];
    return a.text === b.text ? yes('seed', 'two sampled answers of one seed are the same') : no('seed', 'two sampled answers of one seed differ');
  } catch (error) {
    return no('seed', refusal(error, trial.signal));
  }
}

async function tokenize({ target, model, signal }: Trial): Promise<Capability> {
  const path = '/tokenize';
  try {
    const { value } = await askJson(target, { path, body: { model, content: 'a b', prompt: 'a b' } }, { limits: trialLimits, signal });
    shaped(TokensShape, value, 'a list of tokens', target.url + path);
    return yes('tokenize');
  } catch (error) {
    return no('tokenize', refusal(error, signal));
  }
}

/** The prompt has been sent before, so a cache that is on has it. */
async function cacheOff(trial: Trial, name: Ask['endpoint']): Promise<Capability[]> {
  const { cacheOff: way } = dialects[trial.engine];
  const on = await send(trial, { endpoint: name, tokens: 1, logprobs: false });
  const tells = on.cachedTokens === null ? no('cached tokens', 'answers do not say what came from a cache') : yes('cached tokens', `${plural(on.cachedTokens, 'token')} of a prompt that was sent before`);
  if (way === null) return [tells, no('cache off', 'no field is known that switches the prefix cache off')];
  const off = await send(trial, { endpoint: name, tokens: 1, logprobs: false, cache: 'off' });
  if (off.cachedTokens === null || (on.cachedTokens ?? 0) === 0) return [tells, unknown('cache off', `${way.how} is taken; whether it works is not told`)];
  return [tells, off.cachedTokens === 0 ? yes('cache off', way.how) : no('cache off', `${way.how} is taken, and ${plural(off.cachedTokens, 'token')} came from the cache all the same`)];
}

function speculation({ speculation: found }: Told, counted: boolean): Capability {
  if (found !== null) return yes('speculation', `each answer counts it (${found.from})`);
  return counted ? yes('speculation', 'counted on /metrics over all requests') : no('speculation', 'neither answers nor /metrics count drafts');
}

const ids = ({ tokens }: Told): Capability => (tokens.length > 0 && tokens.every(({ id }) => id !== null) ? yes('token ids') : no('token ids', 'answers hold none'));

/** The rest, of a server of which an endpoint answers. */
export async function tryMore(trial: Trial, endpoints: Endpoints, counted: boolean): Promise<Capability[]> {
  const { sample } = endpoints;
  if (sample === null) throw new Problem({ kind: 'input', title: `The server answers neither completions nor chat: ${endpoints.capabilities.find(({ state }) => state === 'no')?.detail ?? ''}`, place: trial.target.url, action: 'Check the name of the model' });
  const { ignoreEnd } = dialects[trial.engine];
  return [
    ...endpoints.capabilities,
    ids(sample.told),
    await stream(trial, sample),
    sample.endpoint === 'completions' ? await echo(trial) : no('echo', 'it belongs to completions'),
    await seed(trial, sample.endpoint),
    unknown('end ignored', ignoreEnd === null ? 'no field for it is known' : `this engine knows ${Object.keys(ignoreEnd).join(', ')}; a short answer does not show it`),
    await tokenize(trial),
    ...(await cacheOff(trial, sample.endpoint)),
    speculation(sample.told, counted),
  ];
}

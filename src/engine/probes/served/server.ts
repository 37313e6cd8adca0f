// A server as an arm of a probe: attached once, then asked.
import type { ServedName } from '../../../shared/experiment';
import { originOf } from '../../../shared/serverAddress';
import { can, type ServerProfile } from '../../../shared/serverProfile';
import { attach, targetOf } from '../../attached/attach';
import type { Told } from '../../attached/answer';
import { ask, greedy, type Ask } from '../../attached/client';
import { dialects } from '../../attached/dialects';
import type { Target } from '../../attached/http';
import { answerLimits } from '../../attached/limits';
import { badInput } from '../../problem';

export type Question = Partial<Ask> & Pick<Ask, 'prompt' | 'tokens' | 'endpoint'>;

/** Whatever answers: a server, or a model in this process. */
export interface Answering {
  readonly name: string;
  answer(question: Question, signal: AbortSignal | undefined): Promise<Told>;
}

export class AttachedServer implements Answering {
  private constructor(
    readonly target: Target,
    readonly profile: ServerProfile,
  ) {}

  /** `tokens`: by origin. Throws a Problem. */
  static async attach({ url, model }: ServedName, tokens: Readonly<Record<string, string>>, signal: AbortSignal | undefined): Promise<AttachedServer> {
    // Looked at before its origin is: an address that is none has none.
    targetOf(url, '');
    const token = tokens[originOf(url)] ?? '';
    return new AttachedServer(targetOf(url, token), await attach({ url, model, token }, signal));
  }

  get name(): string {
    return `${this.profile.engine === 'unknown' ? 'server' : this.profile.engine} at ${new URL(this.target.url).host}`;
  }

  get logprobs(): boolean {
    return can(this.profile, 'logprobs') || can(this.profile, 'chat logprobs');
  }

  /** Whether the cache can be switched off, as far as it can be told. */
  get cacheOff(): boolean {
    const known = this.profile.capabilities.find(({ name }) => name === 'cache off');
    return dialects[this.profile.engine].cacheOff !== null && known?.state !== 'no';
  }

  require(endpoint: Ask['endpoint']): void {
    const found = this.profile.capabilities.find(({ name }) => name === endpoint);
    if (found?.state !== 'yes') throw badInput(`This server does not answer ${endpoint}: ${found?.detail ?? 'it was not tried'}`, this.target.url, endpoint === 'chat' ? 'Use completions' : 'Use chat');
  }

  answer(question: Question, signal: AbortSignal | undefined): Promise<Told> {
    return ask(this.target, this.profile, { ...greedy, ...question }, { limits: answerLimits, signal });
  }
}

/** Several at a time; the first that fails ends the others. */
export async function together<T>(count: number, one: (index: number, signal: AbortSignal) => Promise<T>, signal: AbortSignal | undefined): Promise<T[]> {
  const failed = new AbortController();
  const both = signal === undefined ? failed.signal : AbortSignal.any([signal, failed.signal]);
  try {
    return await Promise.all(Array.from({ length: count }, (_, index) => one(index, both)));
  } catch (error) {
    failed.abort();
    throw error;
  }
}

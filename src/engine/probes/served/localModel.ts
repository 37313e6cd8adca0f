// A model of this process as an arm: the scheduler of a served run with one request at a time, without speculation and without a prefix cache.
import { append } from '../../../shared/append';
import type { Told, Token } from '../../attached/answer';
import { badInput } from '../../problem';
import type { Outcome, Emitted, GenerateRequest } from '../../serving/request';
import { Scheduler } from '../../serving/scheduler';
import type { Call, Model, Switches } from '../../types';
import { candidates } from '../../attached/client';
import { tokenIds } from '../prompts';
import type { Answering, Question } from './server';

/** Tokens of a prompt in one forward, as in a served run that is not told otherwise. */
const pieceTokens = 512;

export class LocalModel implements Answering {
  readonly name = 'built-in engine';

  private constructor(
    private readonly model: Model,
    readonly switches: Switches,
    readonly notes: readonly string[],
    private readonly scheduler: Scheduler,
  ) {}

  /** Throws a Problem for switches that the model does not take. */
  static async open(model: Model, asked: Switches, call: Call): Promise<LocalModel> {
    const session = await model.open(asked, call);
    const { switches, notes } = session;
    session.close();
    return new LocalModel(model, switches, notes, new Scheduler({ model, switches, speculation: null, most: 1, pieceTokens, cache: { entries: 0, tokens: 0 }, captures: null }));
  }

  async answer(question: Question, signal: AbortSignal | undefined): Promise<Told> {
    const prompt = await this.promptOf(question, signal);
    const tokens: Emitted[] = [];
    let text = '';
    const request: GenerateRequest = { name: 'arm B', prompt: [...prompt], maxTokens: question.tokens, sampling: null, stop: [], ignoreEos: false, logprobs: candidates, promptLogprobs: false, cache: false, cuts: [], speculate: false, capture: false, client: '' };
    const outcome = await this.scheduler.generate(request, {
      signal: signal ?? new AbortController().signal,
      onPrompt: () => undefined,
      onDelta: (delta) => {
        append(tokens, delta.tokens);
        text += delta.text;
      },
    });
    return toldBy(prompt, text, tokens, outcome);
  }

  close(): Promise<void> {
    return this.scheduler.close();
  }

  private async promptOf({ prompt, endpoint }: Question, signal: AbortSignal | undefined): Promise<readonly number[]> {
    if (typeof prompt !== 'string') return prompt;
    if (endpoint === 'completions') return tokenIds(this.model, prompt, signal);
    if (!this.model.info.chatTemplate) throw badInput('This model has no chat template', this.model.info.path, 'Use completions, or put chat_template.jinja into the model folder');
    return (await this.model.chat([{ role: 'user', content: prompt }], { addGenerationPrompt: true, signal })).ids;
  }
}

const tokenOf = ({ id, text, logprob, top }: Emitted): Token => ({ id, text, logprob, top });

function toldBy(prompt: readonly number[], text: string, tokens: readonly Emitted[], { end, promptTokens, emitted, cachedTokens, together }: Outcome): Told {
  return { text, tokens: tokens.map(tokenOf), promptIds: prompt, finish: end === 'length' ? 'length' : 'stop', fingerprint: '', promptTokens, emitted, cachedTokens, together, speculation: null };
}

// Probe "servers": greedy answers of a server against those of another one, or of a model in this process.
import type { ServersExperiment } from '../../../shared/experiment';
import { formatCount, plural } from '../../../shared/format';
import type { AnswerNoise } from '../../../shared/results/answers';
import type { Told } from '../../attached/answer';
import { told } from './compare';
import { largestOf, noiseOf } from './noise';
import { AttachedServer, type Answering } from './server';
import { asked, type ServedCoverage, type ServedRun } from './servedRun';

export const requestsOfServers = ({ prompts }: ServersExperiment): number => prompts.length * 2 + 1;

const cacheOf = (who: Answering): 'on' | 'off' => (who instanceof AttachedServer && who.cacheOff ? 'off' : 'on');

export async function servers(run: ServedRun<ServersExperiment>, other: Answering): Promise<void> {
  const { experiment, server, findings, keep, call, progress } = run;
  const { prompts, tokens, endpoint } = experiment;
  for (const [prompt, text] of prompts.entries()) {
    const question = { endpoint, prompt: text, tokens } as const;
    const a = findings.add(`A: ${server.name}`, prompt, await asked(run, `prompt ${prompt + 1} · ${server.name}`, server, { ...question, cache: cacheOf(server) }));
    const b = findings.add(`B: ${other.name}`, prompt, await asked(run, `prompt ${prompt + 1} · ${other.name}`, other, { ...question, cache: cacheOf(other) }));
    findings.noise ??= await progress.step('noise', async () => wider(await noiseOf(server, { ...question, cache: cacheOf(server) }, a.told, call.signal), other instanceof AttachedServer ? await noiseOf(other, { ...question, cache: cacheOf(other) }, b.told, call.signal) : null));
    promptNote(run, prompt, a.told, b.told);
    findings.compare(`Prompt ${prompt + 1}, A against B`, a, b);
    await keep();
  }
}

/** The noise of both arms, where both have some. */
function wider(a: AnswerNoise, b: AnswerNoise | null): AnswerNoise {
  if (b === null) return a;
  return { repeatDiffering: a.repeatDiffering + b.repeatDiffering, floor: told(largestOf([Number(a.floor), Number(b.floor)])), orders: `each arm ${a.orders}` };
}

/** Two tokenizers or templates make two prompts of one text, and nothing after that can be compared. */
function promptNote({ findings }: ServedRun<ServersExperiment>, prompt: number, a: Told, b: Told): void {
  const name = `Prompt ${prompt + 1}`;
  if (a.promptIds !== null && b.promptIds !== null) {
    const at = a.promptIds.findIndex((id, i) => id !== b.promptIds?.[i]);
    if (at >= 0 || a.promptIds.length !== b.promptIds.length) findings.note(`${name} is another list of tokens in each arm (${a.promptIds.length} and ${b.promptIds.length}, first at ${Math.max(0, at)}): tokenizer or chat template differ, and so do the answers' inputs.`);
    return;
  }
  if (a.promptTokens !== null && b.promptTokens !== null && a.promptTokens !== b.promptTokens) findings.note(`${name} has ${plural(a.promptTokens, 'token')} in arm A and ${formatCount(b.promptTokens)} in arm B: tokenizer or chat template differ, and so do the answers' inputs.`);
  else findings.note('Whether both arms read the prompts as the same tokens is not told; only their numbers can be compared.');
}

export const serversCoverage = ({ prompts }: ServersExperiment): ServedCoverage => ({
  compared: [`${plural(prompts.length, 'prompt')}, greedy, one after the other in each arm: tokens, and log probabilities as far as the tokens agree`],
  notCovered: ['what comes after the first token that differs: the arms have other texts from there on', 'weights and precision: two servers that name one model may have loaded two files', 'requests that run at the same time, prefix caches'],
});

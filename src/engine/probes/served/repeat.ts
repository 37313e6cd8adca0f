// Probe "repeat": the same request again and again, one after the other. Every answer is compared with the first.
import type { RepeatExperiment } from '../../../shared/experiment';
import { plural } from '../../../shared/format';
import { movement, told } from './compare';
import type { Held } from './findings';
import { differing, largestOf } from './noise';
import { asked, type ServedCoverage, type ServedRun } from './servedRun';

export const requestsOfRepeat = ({ prompts, times }: RepeatExperiment): number => prompts.length * (times + 1);

export async function repeat(run: ServedRun<RepeatExperiment>): Promise<void> {
  const { experiment, server, findings, keep } = run;
  const { prompts, times, tokens, endpoint, temperature, seed } = experiment;
  const sampled = temperature > 0 ? { temperature, seed } : {};
  for (const [prompt, text] of prompts.entries()) {
    const question = { endpoint, prompt: text, tokens, cache: server.cacheOff ? 'off' : 'on', ...sampled } as const;
    // What is not switched off is warm for every answer that counts.
    if (!server.cacheOff) await asked(run, `prompt ${prompt + 1} · to warm the cache`, server, { ...question, tokens: 1 });
    const answers: Held[] = [];
    for (let time = 0; time < times; time += 1) {
      const answer = await asked(run, `prompt ${prompt + 1} · ${time + 1} of ${times}`, server, question);
      answers.push(findings.add(`time ${time + 1}`, prompt, answer));
    }
    judge(run, prompt, answers);
    await keep();
  }
}

/** The scatter of the repeats where their tokens agree is what this server's answers part by themselves: the floor for where they do not. */
function judge({ experiment, findings }: ServedRun<RepeatExperiment>, prompt: number, [first, ...others]: readonly Held[]): void {
  if (first === undefined) return;
  const before = findings.noise;
  const floor = largestOf([Number(before?.floor ?? NaN), ...others.map((other) => movement(first.told, other.told))]);
  const places = others.reduce((sum, other) => sum + differing(first.told, other.told), before?.repeatDiffering ?? 0);
  findings.noise = { repeatDiffering: places, floor: told(floor), orders: 'the repeats themselves, where their tokens agree' };
  // A drawn token has no margin that would make it a tie.
  for (const [i, other] of others.entries()) findings.compare(`Prompt ${prompt + 1}, time ${i + 2}`, first, other);
  if (experiment.temperature > 0) findings.note('Tokens were drawn with one seed: a difference of log probabilities however small can move a draw, and the margin does not tell.');
}

export const repeatCoverage = ({ prompts, times, temperature }: RepeatExperiment): ServedCoverage => ({
  compared: [`${plural(prompts.length, 'prompt')}, each sent ${plural(times, 'time')} one after the other, ${temperature === 0 ? 'greedy' : 'drawn with one seed'}: every answer against the first, token by token and log probability by log probability`],
  notCovered: ['requests that run at the same time: the concurrency check asks for them', 'other prompts, longer answers'],
});

// Probe "concurrency": each prompt alone, then several at once. Every answer is compared with the lone one of its own prompt.
import { greatest } from '../../../shared/extremes';
import type { ConcurrencyExperiment } from '../../../shared/experiment';
import { plural } from '../../../shared/format';
import type { Held } from './findings';
import { noiseOf } from './noise';
import { together as atOnce } from './server';
import { asked, type ServedCoverage, type ServedRun } from './servedRun';

const groupsOf = ({ prompts, together }: ConcurrencyExperiment): number => Math.ceil(prompts.length / together);
export const requestsOfConcurrency = (experiment: ConcurrencyExperiment): number => experiment.prompts.length * 2 + groupsOf(experiment) + 1;

export async function concurrency(run: ServedRun<ConcurrencyExperiment>): Promise<void> {
  const { experiment, server, findings, keep, call, progress, watch } = run;
  const { prompts, tokens, endpoint, together } = experiment;
  const cache = server.cacheOff ? 'off' : 'on';
  const question = (text: string) => ({ endpoint, prompt: text, tokens, cache }) as const;
  const alone: Held[] = [];
  for (const [prompt, text] of prompts.entries()) {
    if (!server.cacheOff) await asked(run, `prompt ${prompt + 1} · to warm the cache`, server, { ...question(text), tokens: 1 });
    alone.push(findings.add('alone', prompt, await asked(run, `prompt ${prompt + 1} · alone`, server, question(text))));
  }
  const [first] = alone;
  if (first !== undefined) findings.noise = await progress.step('noise', () => noiseOf(server, question(prompts[0] ?? ''), first.told, call.signal, together));
  for (let group = 0; group < groupsOf(experiment); group += 1) {
    const members = Array.from({ length: together }, (_, i) => (group * together + i) % prompts.length);
    const answers = await progress.step(`${together} at once · ${group + 1} of ${groupsOf(experiment)}`, () =>
      watch.time('answers', atOnce(together, (i, signal) => server.answer(question(prompts[members[i] ?? 0] ?? ''), signal), call.signal)),
    );
    for (const [i, told] of answers.entries()) {
      const prompt = members[i] ?? 0;
      const held = findings.add(`among ${together}`, prompt, told);
      const lone = alone[prompt];
      if (lone !== undefined) findings.compare(`Prompt ${prompt + 1}, alone against ${together} at once`, lone, held);
    }
    const most = greatest(answers.map((told) => told.together ?? -1));
    if (most >= 0) findings.note(`Up to ${plural(most, 'request')} really shared a forward, as the server says.`);
    else findings.note('How many of them really shared a forward is not told.');
    await keep();
  }
}

export const concurrencyCoverage = ({ prompts, together }: ConcurrencyExperiment): ServedCoverage => ({
  compared: [`${plural(prompts.length, 'prompt')}, each alone and then with ${plural(together - 1, 'other')} at the same time, greedy`],
  notCovered: ['requests of other people that ran meanwhile', 'other numbers of requests, longer prompts, requests that come and go', 'the prefix cache: it is off in both arms where the server can, else warm in both'],
});

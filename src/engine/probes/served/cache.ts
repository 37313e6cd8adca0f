// Probe "cache": one prompt without the prefix cache, then cold, warm, and warm again. A line that no prompt had before makes the cold one cold.
import { randomUUID } from 'node:crypto';
import type { CacheExperiment } from '../../../shared/experiment';
import { plural } from '../../../shared/format';
import type { Told } from '../../attached/answer';
import type { Held } from './findings';
import { noiseOf } from './noise';
import { asked, type ServedCoverage, type ServedRun } from './servedRun';
import { pairVerdict } from './verdict';

/** Four ways, and the noise once. */
export const requestsOfCache = ({ prompts }: CacheExperiment): number => prompts.length * 4 + 1;

/** The prompts as they are sent. */
export const withUniqueLine = (prompts: readonly string[]): string[] => prompts.map((text) => `// ${randomUUID()}\n${text}`);

export async function cache(run: ServedRun<CacheExperiment>): Promise<void> {
  const { experiment, server, findings, keep, call, progress } = run;
  const { tokens, endpoint } = experiment;
  for (const [prompt, text] of findings.prompts.entries()) {
    const question = { endpoint, prompt: text, tokens } as const;
    const one = async (label: string, how: 'on' | 'off'): Promise<Held> => findings.add(label, prompt, await asked(run, `prompt ${prompt + 1} · ${label}`, server, { ...question, cache: how }));
    const cold = await one('cold', 'on');
    const warm = await one('warm', 'on');
    const again = await one('warm again', 'on');
    // Last: an engine may leave the state of a request that took nothing from its cache, and the next one finds it.
    const off = server.cacheOff ? await one('cache off', 'off') : null;
    if (off === null) findings.note('No way is known to switch the prefix cache of this server off: cold, warm and warm again are compared with each other alone.');
    findings.noise ??= await progress.step('noise', () => noiseOf(server, { ...question, cache: off === null ? 'on' : 'off' }, (off ?? again).told, call.signal));
    coldNote(run, cold.told);
    if (off !== null) findings.compare(`Prompt ${prompt + 1}, cache off against cold`, off, cold);
    compareWarm(run, `Prompt ${prompt + 1}, cold against warm`, cold, warm);
    compareWarm(run, `Prompt ${prompt + 1}, warm against warm again`, warm, again);
    await keep();
  }
}

function coldNote({ findings }: ServedRun<CacheExperiment>, { cachedTokens }: Told): void {
  if (cachedTokens === null) findings.note('This server does not tell how much of a prompt came from its cache, so whether a warm answer was warm is not known.');
  else if (cachedTokens > 0) findings.note(`${plural(cachedTokens, 'token')} of a cold prompt came from the cache all the same: what stands before the unique line, such as a chat template, or how that line begins.`);
}

/** A warm answer that took nothing from the cache shows nothing of the cache. */
function compareWarm({ findings }: ServedRun<CacheExperiment>, label: string, a: Held, b: Held): void {
  const { cachedTokens } = b.told;
  findings.compare(label, a, b, (sides) => {
    const verdict = pairVerdict(sides, findings.floor);
    return cachedTokens === 0 ? { word: 'void', sentence: `Nothing of this prompt came from the cache, so it shows nothing of the cache (its cache is off, or the prompt is shorter than a block of it). ${verdict.sentence}` } : verdict;
  });
}

export const cacheCoverage = ({ prompts }: CacheExperiment): ServedCoverage => ({
  compared: [`${plural(prompts.length, 'prompt')} behind a line that no request had before: cache off (where the server can), cold, warm, warm again, greedy`],
  notCovered: ['prefixes that are cached in part, evicted, or shared by requests that run at the same time', 'what other requests left in the cache'],
});

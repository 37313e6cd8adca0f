// LM Studio: statistics of a prediction, flags of its fragments.
import type { CaptureBuilder } from './builder';
import { FlagRuns } from './flagRuns';
import { objectAt, textAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LogLine } from './reader';

const formats = formatsOf('lm-studio', 'lmstudio', {
  stats: ['prediction stats', 'D', 'totals; ignored = drafted past the first rejection', false, 'request'],
  fragments: ['fragment callback', 'B', 'runs of drafted tokens closed by one that is not', false, 'round'],
});

/** Python spells the names with underscores. */
const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function readStats(capture: CaptureBuilder, stats: JsonObject, at: LogLine): boolean {
  const count = (name: string): number | null => capture.count(stats[name] ?? stats[snake(name)], name, at);
  const proposedSum = count('totalDraftTokensCount');
  if (proposedSum === null) return false;
  const acceptedSum = count('acceptedDraftTokensCount');
  const rejectedSum = count('rejectedDraftTokensCount');
  const ignoredSum = count('ignoredDraftTokensCount');
  const all = acceptedSum === null || rejectedSum === null || ignoredSum === null ? proposedSum : acceptedSum + rejectedSum + ignoredSum;
  if (all !== proposedSum) capture.find({ identity: 'accepted + rejected + ignored = total', sentence: `accepted, rejected and ignored drafts are ${all}, the total is ${proposedSum}` }, at);
  const drafter = textAt(stats, 'usedDraftModelKey') ?? textAt(stats, 'used_draft_model_key') ?? textAt(stats, 'draft_model');
  capture.request({ format: formats.stats, stated: { acceptedSum, proposedSum }, at, facts: { rejectedSum, ignoredSum, drafter } });
  return true;
}

function json(capture: CaptureBuilder): JsonReader {
  const runs = new FlagRuns(capture, formats.fragments);
  return {
    keys: ['stats', 'isDrafted', 'is_drafted'],
    read(object, at): boolean {
      const flag = object['isDrafted'] ?? object['is_drafted'];
      if (typeof flag === 'boolean') {
        runs.addMany(flag, capture.count(object['tokensCount'] ?? object['tokens_count'] ?? 1, 'tokensCount', at) ?? 0, at);
        return true;
      }
      const stats = objectAt(object, 'stats');
      return stats !== null && readStats(capture, stats, at);
    },
    end: () => runs.end(),
  };
}

export const lmStudio: EngineLogs = { formats: Object.values(formats), json };

// mlxcel: bursts, verdicts and companion files of its logs, and `timings` of a reply.
import type { CaptureBuilder } from '../builder';
import type { Stated } from '../counts';
import { objectAt, textAt } from '../jsonText';
import type { EngineLogs, JsonReader, LineReader } from '../reader';
import { BurstLines } from './bursts';
import { formats } from './formats';
import { KeptList } from './keptList';
import { LogitTrace } from './logitTrace';
import { Verdicts } from './verdicts';

function lines(capture: CaptureBuilder): LineReader[] {
  const verdicts = new Verdicts(capture);
  return [new BurstLines(capture, () => verdicts.width), verdicts, new KeptList(capture, capture.source), new LogitTrace(capture)];
}

/** The pair of llama.cpp with draft kind and rounds, beside a prompt count (mlx-vlm has none). */
function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['timings'],
    read(object, at): boolean {
      const timings = objectAt(object, 'timings');
      if (timings === null || !('draft_rounds' in timings) || !('prompt_n' in timings)) return false;
      const count = (name: string): number | null => capture.count(timings[name], name, at);
      const stated: Stated = { roundCount: count('draft_rounds'), proposedSum: count('draft_n'), acceptedSum: count('draft_n_accepted'), promptTokens: count('prompt_n'), generatedTokens: count('predicted_n') };
      capture.request({ format: formats.timings, stated, at, facts: { draftKind: textAt(timings, 'draft_kind') } });
      return true;
    },
  };
}

export const mlxcel: EngineLogs = { formats: Object.values(formats), lines, json };

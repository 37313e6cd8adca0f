// mlx-vlm: `timings` of a reply, the line of its command line.
import type { CaptureBuilder } from './builder';
import type { Stated } from './counts';
import { listAt, objectAt, textAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LineReader, type LogLine } from './reader';
import { after, ratioOf, type Ratio } from './text';

const formats = formatsOf('mlx-vlm', 'mlxvlm', {
  cli: ['CLI line', 'D', 'both, named on the line', true, 'request'],
  cliShort: ['CLI line when no draft lengths were recorded', 'D', 'mean length with bonus', true, 'request'],
  acceptLens: ['accept_lens and draft_lens of a drafter', 'B', 'accepted drafts', false, 'round'],
  timings: ['HTTP timings', 'D', 'totals, counted before the stop or budget cut', false, 'request'],
});

/** The lists of a drafter, as an adapter writes them. */
function readLengths(capture: CaptureBuilder, object: JsonObject, at: LogLine): void {
  capture.saw(formats.acceptLens, at);
  const accepted = capture.counts(listAt(object, 'accept_lens'), 'accept_lens', at);
  const drafted = capture.counts(listAt(object, 'draft_lens'), 'draft_lens', at);
  if (accepted !== null) capture.request({ format: formats.acceptLens, stated: { accepted, drafted }, at });
}

const anchor = 'Speculative decoding: ';
const long = /^([\d.]{1,20}) accepted tokens\/round \(([\d.]{1,20}) accepted drafts\/round, ([\d.]{1,20}%) of drafted, avg draft ([\d.]{1,20})\) over (\S{1,24}) rounds/;
const short = /^([\d.]{1,20}) accepted tokens over (\S{1,24}) rounds/;

/** A mean times the rounds, as a whole number. */
const total = (mean: Ratio | null, rounds: number | null): number | null => (mean === null || rounds === null ? null : Math.round(mean.value * rounds));

function readLine(capture: CaptureBuilder, at: LogLine): void {
  const text = after(at.text, anchor);
  const [, length, drafts, rate, draft, overLong] = long.exec(text) ?? [];
  const [, shortLength, overShort] = short.exec(text) ?? [];
  const mean = ratioOf(length ?? shortLength);
  if (mean === null) return;
  const roundCount = capture.count(overLong ?? overShort, 'rounds', at);
  const meanDrafts = length === undefined ? { value: mean.value - 1, tolerance: mean.tolerance } : ratioOf(drafts);
  const stated: Stated = { roundCount, acceptedSum: total(meanDrafts, roundCount), proposedSum: total(ratioOf(draft), roundCount), meanLengthWithBonus: mean, acceptanceRate: ratioOf(rate) };
  capture.warn('mlx-vlm prints means: the totals are the mean times the rounds, rounded');
  capture.request({ format: length === undefined ? formats.cliShort : formats.cli, stated, at });
}

function lines(capture: CaptureBuilder): LineReader[] {
  return [{ anchors: [anchor], read: (line) => readLine(capture, line) }];
}

/** mlxcel prints the same fields beside a prompt count. */
function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['timings', 'accept_lens'],
    read(object, at): boolean {
      if (listAt(object, 'accept_lens') !== null) {
        readLengths(capture, object, at);
        return true;
      }
      const timings = objectAt(object, 'timings');
      if (timings === null || !('draft_rounds' in timings) || 'prompt_n' in timings) return false;
      const stated: Stated = {
        roundCount: capture.count(timings['draft_rounds'], 'draft_rounds', at),
        proposedSum: capture.count(timings['draft_n'], 'draft_n', at),
        acceptedSum: capture.count(timings['draft_n_accepted'], 'draft_n_accepted', at),
        generatedTokens: capture.count(timings['predicted_n'], 'predicted_n', at),
      };
      capture.request({ format: formats.timings, stated, at, facts: { draftKind: textAt(timings, 'draft_kind') } });
      return true;
    },
  };
}

export const mlxVlm: EngineLogs = { formats: Object.values(formats), lines, json };

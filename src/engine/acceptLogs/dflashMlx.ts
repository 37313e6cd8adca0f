// dflash-mlx: summary event, benchmark file, lines of its server and command line. Its ratio is accepted / generated, not accepted / drafted.
import type { CaptureBuilder } from './builder';
import { countsOf, type Stated } from './counts';
import { isObject, listAt, objectAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LineReader, type LogLine } from './reader';
import { ratioOf, wholeFrom, type Ratio } from './text';

const formats = formatsOf('dflash-mlx', 'dflashmlx', {
  summary: ['stream summary event', 'B', 'accepted drafts per cycle; ratio = accepted / generated', false, 'round'],
  benchmark: ['benchmark file', 'D', 'ratio = accepted / generated', false, 'run'],
  serve: ['serve stderr and CLI footer', 'D', 'ratio = accepted / generated', false, 'request'],
});

export const ratioWarning = 'the printed ratio is accepted / generated tokens, not accepted / drafted';

/** Cycles with their own block length, where the profile was on. */
function draftedOf(capture: CaptureBuilder, event: JsonObject, at: LogLine): number[] | null {
  const profile = listAt(event, 'cycle_profile_us');
  const lengths = capture.counts(profile?.map((cycle) => (isObject(cycle) ? cycle['block_len'] : null)), 'block_len', at);
  return lengths?.every((length) => length > 0) === true ? lengths.map((length) => length - 1) : null;
}

function readSummary(capture: CaptureBuilder, event: JsonObject, at: LogLine): boolean {
  const accepted = capture.counts(listAt(event, 'acceptance_history'), 'acceptance_history', at);
  capture.saw(formats.summary, at);
  if (accepted === null) return true;
  const emittedIds = capture.idList(listAt(event, 'generated_token_ids'), 'generated_token_ids', at);
  capture.reserve(0, emittedIds?.length ?? 0);
  const ratio = ratioOf(event['acceptance_ratio']);
  const stated: Stated = {
    accepted,
    drafted: draftedOf(capture, event, at),
    roundCount: capture.count(event['cycles_completed'], 'cycles_completed', at),
    acceptedSum: capture.count(event['accepted_from_draft'], 'accepted_from_draft', at),
    generatedTokens: emittedIds?.length ?? null,
    ratioOverGenerated: ratio,
    width: capture.count(event['block_tokens'], 'block_tokens', at),
  };
  const { acceptanceRate } = countsOf(stated);
  capture.warn(ratioWarning);
  capture.request({ format: formats.summary, stated, emittedIds, at, facts: { ratioOverGenerated: ratio?.value ?? null, rateOverDrafted: acceptanceRate } });
  return true;
}

/** Cycles / (1 - ratio), since cycles + accepted = generated, where that is one whole number; else tokens per cycle times cycles, where that is one. */
function generatedOf(perCycle: Ratio | null, cycles: number, ratio: Ratio): number | null {
  if (cycles === 0) return null;
  const generated = wholeFrom(cycles, { value: 1 - ratio.value, tolerance: ratio.tolerance });
  if (generated !== null || perCycle === null) return generated;
  const low = Math.ceil((perCycle.value - perCycle.tolerance / 2) * cycles);
  const high = Math.floor((perCycle.value + perCycle.tolerance / 2) * cycles);
  return low === high ? low : null;
}

function readBenchmark(capture: CaptureBuilder, run: JsonObject, at: LogLine): boolean {
  const ratio = ratioOf(run['acceptance_ratio']);
  const roundCount = capture.count(run['cycles'], 'cycles', at);
  if (ratio === null || roundCount === null) return false;
  const perCycle = ratioOf(run['tokens_per_cycle']);
  const generatedTokens = generatedOf(perCycle, roundCount, ratio);
  const acceptedSum = generatedTokens === null ? null : Math.round(ratio.value * generatedTokens);
  if (generatedTokens !== null && acceptedSum !== null && Math.abs(roundCount + acceptedSum - generatedTokens) > 1 + ratio.tolerance * generatedTokens) {
    capture.find({ identity: 'cycles + accepted = generated', sentence: `${roundCount} cycles and ${acceptedSum} accepted drafts are not ${generatedTokens} generated tokens` }, at);
  }
  const facts = { ratioOverGenerated: ratio.value, tokensPerCycle: perCycle?.value ?? null, first20: ratioOf(run['acceptance_first_20_avg'])?.value ?? null, last20: ratioOf(run['acceptance_last_20_avg'])?.value ?? null };
  capture.warn(ratioWarning);
  capture.request({ format: formats.benchmark, kind: 'run', stated: { roundCount, acceptedSum, generatedTokens, ratioOverGenerated: ratio }, at, facts });
  return true;
}

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['acceptance_history', 'dflash'],
    read(object, at): boolean {
      if ('acceptance_history' in object) return readSummary(capture, object, at);
      const run = objectAt(object, 'dflash');
      return run !== null && readBenchmark(capture, run, at);
    },
  };
}

/** Stated by a ratio and the generated tokens alone: the total is rounded from them. */
export function statedByRatio(generatedTokens: number | null, ratio: Ratio | null): Stated {
  const acceptedSum = generatedTokens === null || ratio === null ? null : Math.round(ratio.value * generatedTokens);
  return { generatedTokens, ratioOverGenerated: ratio, acceptedSum };
}

const serve = /([\d.]{1,20}%) accepted \| (\d{1,15}) tokens/;
const footer = /(?<!\d)(\d{1,15}) tokens \| [\d.]{1,20} tok\/s \| ([\d.]{1,20}%) acceptance/;

function lines(capture: CaptureBuilder): LineReader[] {
  return [
    {
      anchors: ['% accepted | ', '% acceptance'],
      read(line): void {
        const text = line.text.slice(0, 1000);
        const [, servedRatio, servedTokens] = serve.exec(text) ?? [];
        const [, footerTokens, footerRatio] = footer.exec(text) ?? [];
        const ratio = ratioOf(servedRatio ?? footerRatio);
        if (ratio === null) return;
        capture.warn(ratioWarning);
        capture.request({ format: formats.serve, stated: statedByRatio(capture.count(servedTokens ?? footerTokens, 'tokens', line), ratio), at: line, facts: { ratioOverGenerated: ratio.value } });
      },
    },
  ];
}

export const dflashMlx: EngineLogs = { formats: Object.values(formats), lines, json };

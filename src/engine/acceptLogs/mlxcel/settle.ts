// A burst and its closing lines as a request of the capture.
import type { CapturedRequest, Counts, Facts } from '../../../shared/capture';
import type { CaptureBuilder, NewRequest } from '../builder';
import { countsOf, type Stated } from '../counts';
import type { Format, LogLine } from '../reader';
import type { Closing, Diagnostics } from './closing';
import { closingViolations, tokensOf } from './closingAlgebra';
import { formats } from './formats';
import type { OpenBurst } from './openBursts';

function statedByDiagnostics({ roundCount, acceptedSum, proposedSum, zero, partial, full, acceptanceRate, width }: Diagnostics): Stated {
  return { roundCount, acceptedSum, proposedSum, zero, partial, full, acceptanceRate, width };
}

/** The vector, the best that there is: transcript, accept list, none. */
function statedOf({ burst, accepts, diagnostics }: Closing, width: number | null): Stated {
  if (burst !== null) return { accepted: burst.accepted, drafted: burst.rounds.map((round) => (round.width ?? 1) - 1) };
  if (accepts !== null) return { accepted: accepts.values, width: diagnostics?.width ?? width, ...(diagnostics === null ? {} : { proposedSum: diagnostics.proposedSum }) };
  return diagnostics === null ? {} : statedByDiagnostics(diagnostics);
}

function formatFor({ burst, accepts, diagnostics }: Closing): Format {
  if (burst !== null) return burst.format;
  if (accepts !== null) return formats.acceptLens;
  return diagnostics?.drafter === 'MTP' ? formats.mtpDiagnostics : formats.diagnostics;
}

/** Tokens beyond the budget; null where the numbers do not allow one. */
function cutOf({ keptSum, roundCount }: Counts, generated: number | null, probeRounds: number): number | null {
  const cut = keptSum === null || generated === null || roundCount === 0 ? -1 : 1 + keptSum - (generated - probeRounds);
  return cut < 0 ? null : cut;
}

function factsOf(diagnostics: Diagnostics | null, { roundCount }: Counts): Facts {
  if (diagnostics === null) return {};
  const { targetSyncMs, facts } = diagnostics;
  return targetSyncMs === null || roundCount === null || roundCount === 0 ? facts : { ...facts, targetSyncMsPerRound: targetSyncMs / roundCount };
}

function idsOf(burst: OpenBurst | null): Partial<NewRequest> {
  if (burst === null) return {};
  const [first] = burst.rounds;
  return {
    rounds: burst.rounds,
    interleaved: burst.interleaved,
    firstBonus: first?.index === 0 ? first.bonus : null,
    emittedIds: burst.rounds.flatMap(({ emitted }) => emitted ?? []),
    roundsChecked: true,
  };
}

function placeOf({ burst, accepts, diagnostics }: Closing): LogLine {
  return burst?.first ?? accepts?.at ?? diagnostics?.at ?? { number: null, text: '' };
}

export interface Ending {
  readonly kind?: CapturedRequest['kind'];
  readonly reason?: string;
  /** Width from the start-up line. */
  readonly width: number | null;
}

/** Closing lines of nothing (a summary without rounds or diagnostics) make no request. */
export function settle(capture: CaptureBuilder, closing: Closing, { kind, reason = '', width }: Ending): void {
  const { burst, accepts, diagnostics, finalized } = closing;
  if (burst === null && accepts === null && diagnostics === null) return;
  const stated = statedOf(closing, width);
  const counts = countsOf(stated);
  for (const [at, violation] of closingViolations(closing, counts)) capture.find(violation, at);
  const { generated, prompt } = tokensOf(closing);
  const why = [burst?.reason ?? '', reason].find((text) => text !== '') ?? '';
  capture.request({
    format: formatFor(closing),
    request: finalized?.request ?? null,
    ...(kind === undefined ? {} : { kind }),
    complete: why === '',
    reason: why,
    stated: { ...stated, promptTokens: prompt, generatedTokens: generated, cutInLastRound: cutOf(counts, generated, diagnostics?.probeRounds ?? 0) },
    ...idsOf(burst),
    at: placeOf(closing),
    facts: factsOf(diagnostics, counts),
  });
}

/** Rounds of which no closing line spoke. */
export function bareClosing(burst: OpenBurst): Closing {
  return { burst, diagnostics: null, accepts: null, summary: null, finalized: null };
}

export const usableRounds = (count: number): string => (count === 0 ? 'no round is usable' : count === 1 ? 'only round 0 is usable' : `only rounds 0 to ${count - 1} are usable`);

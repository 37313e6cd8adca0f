// The closing lines of a burst against its rounds and against each other.
import type { Counts } from '../../../shared/capture';
import { tokenViolation, type Violation } from '../countAlgebra';
import type { LogLine } from '../reader';
import { isNear } from '../text';
import type { Closing, Diagnostics, Summary } from './closing';

/** A violation and the line where it shows. */
export type Placed = readonly [at: LogLine, violation: Violation];

const figures = [
  ['roundCount', 'number of rounds', 'rounds'],
  ['acceptedSum', 'sum of accepted', 'accepted drafts'],
  ['proposedSum', 'sum of drafted', 'proposed drafts'],
  ['zero', 'zero rounds', 'rounds that accepted none'],
  ['partial', 'partial rounds', 'rounds that accepted some'],
  ['full', 'full rounds', 'rounds that accepted all'],
] as const;

/** Each aggregate of the diagnostics line against the vector. */
function aggregates(diagnostics: Diagnostics, counts: Counts): Placed[] {
  return figures.flatMap(([name, identity, words]): Placed[] => {
    const [said, counted] = [diagnostics[name], counts[name]];
    return said === null || counted === null || said === counted ? [] : [[diagnostics.at, { identity, sentence: `the diagnostics say ${said} ${words}, the rounds say ${counted}` }]];
  });
}

function lists({ at, values }: NonNullable<Closing['accepts']>, accepted: readonly number[]): Placed[] {
  const identity = 'accept list = transcript';
  if (accepted.length !== values.length) return [[at, { identity, sentence: `the accept list has ${values.length} rounds, the transcript has ${accepted.length}` }]];
  const round = accepted.findIndex((value, i) => value !== values[i]);
  return round < 0 ? [] : [[at, { identity, sentence: `the accept list says that round ${round} accepted ${values[round] ?? 0}, the transcript says ${accepted[round] ?? 0}`, round }]];
}

function summaries(summary: Summary, finalized: Summary): Placed[] {
  if (summary.generatedTokens === null || finalized.generatedTokens === null || summary.generatedTokens === finalized.generatedTokens) return [];
  return [[finalized.at, { identity: 'generated tokens', sentence: `the finalize line says ${finalized.generatedTokens} generated tokens, the summary says ${summary.generatedTokens}` }]];
}

/** Where the generated tokens of a burst are said: the summary, else finalize, else the diagnostics of MTP. */
export function tokensOf({ summary, finalized, diagnostics }: Closing): { generated: number | null; prompt: number | null; at: LogLine | null } {
  const source = [summary, finalized, diagnostics].find((line) => typeof line?.generatedTokens === 'number') ?? null;
  return { generated: source?.generatedTokens ?? null, prompt: summary?.promptTokens ?? diagnostics?.promptTokens ?? null, at: source?.at ?? null };
}

/** Rows that the last round kept; of diagnostics alone the width bounds them. */
function lastKept({ accepted }: Counts, diagnostics: Diagnostics | null): number | null {
  const last = accepted?.at(-1);
  return last === undefined ? (diagnostics?.width ?? null) : last + 1;
}

function tokens(closing: Closing, counts: Counts): Placed[] {
  const { diagnostics } = closing;
  const { generated, at } = tokensOf(closing);
  const { roundCount, acceptedSum } = counts;
  if (generated === null || at === null || roundCount === null || acceptedSum === null) return [];
  // Rounds that only probe emit one token each and stand outside the counts.
  const emitted = generated - (diagnostics?.probeRounds ?? 0);
  const found = tokenViolation(emitted, roundCount, acceptedSum, lastKept(counts, diagnostics)).map((violation): Placed => [at, violation]);
  const perVerify = diagnostics?.emittedPerVerify ?? null;
  if (diagnostics === null || perVerify === null || roundCount === 0 || isNear(perVerify, (emitted - 1) / roundCount)) return found;
  return [...found, [diagnostics.at, { identity: 'emitted per verify', sentence: `${perVerify.value} tokens a verify are printed, but ${emitted - 1} tokens in ${roundCount} rounds are ${((emitted - 1) / roundCount).toFixed(4)}` }]];
}

export function closingViolations(closing: Closing, counts: Counts): Placed[] {
  const { burst, accepts, diagnostics, summary, finalized } = closing;
  return [
    ...(diagnostics === null || counts.accepted === null ? [] : aggregates(diagnostics, counts)),
    ...(accepts === null || burst === null ? [] : lists(accepts, burst.accepted)),
    ...(summary === null || finalized === null ? [] : summaries(summary, finalized)),
    ...tokens(closing, counts),
  ];
}

// Two captured requests side by side: how far their rounds agree, the first that differs, and what cannot be compared.
import type { CapturedRequest, CapturedRound, Counts } from './capture';

/** `ids`: token ids and counts of every round. `counts`: accepted and drafted counts of every round. `figures`: totals alone. */
export type CompareLevel = 'ids' | 'counts' | 'figures';

export const roundFields = ['width', 'bonus', 'drafts', 'targets', 'accepted', 'emitted'] as const;
export type RoundField = (typeof roundFields)[number];

export interface FirstRound {
  /** Place in both lists of rounds. */
  readonly place: number;
  /** What differs; empty where one request ended before this round. */
  readonly fields: readonly RoundField[];
}

/** Null: the request's log does not say. */
export interface FigurePair {
  readonly name: string;
  readonly a: number | null;
  readonly b: number | null;
}

export interface CaptureComparison {
  readonly level: CompareLevel;
  /** Rounds from the first that agree in all that both logs give. */
  readonly equalRounds: number;
  readonly first: FirstRound | null;
  /** The first token of the two texts that differs, counted behind the first bonus; null where they agree as far as both go or the ids are missing. */
  readonly firstToken: { readonly place: number; readonly a: number | null; readonly b: number | null } | null;
  /** Tokens of both texts, null where an id is missing. */
  readonly tokens: { readonly a: number; readonly b: number } | null;
  readonly figures: readonly FigurePair[];
  /** One sentence each. */
  readonly notCompared: readonly string[];
}

const sameList = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((value, i) => value === b[i]);
const isList = (value: unknown): value is readonly number[] => Array.isArray(value);

/** What only one of the logs gives does not differ: it is not compared. */
function differs(a: CapturedRound[RoundField], b: CapturedRound[RoundField]): boolean {
  if (a === null || b === null) return false;
  return isList(a) && isList(b) ? !sameList(a, b) : a !== b;
}

function firstDifference(a: readonly CapturedRound[], b: readonly CapturedRound[]): FirstRound | null {
  const both = Math.min(a.length, b.length);
  for (let place = 0; place < both; place += 1) {
    const [one, other] = [a[place], b[place]];
    const fields = one === undefined || other === undefined ? [] : roundFields.filter((field) => differs(one[field], other[field]));
    if (fields.length > 0) return { place, fields };
  }
  return a.length === b.length ? null : { place: both, fields: [] };
}

function firstTokenOf(a: readonly number[] | null, b: readonly number[] | null): CaptureComparison['firstToken'] {
  if (a === null || b === null) return null;
  const most = Math.max(a.length, b.length);
  for (let place = 0; place < most; place += 1) if (a[place] !== b[place]) return { place, a: a[place] ?? null, b: b[place] ?? null };
  return null;
}

const figureNames: readonly (readonly [name: string, of: keyof Counts])[] = [
  ['Rounds', 'roundCount'],
  ['Accepted drafts', 'acceptedSum'],
  ['Drafted', 'proposedSum'],
  ['Kept rows', 'keptSum'],
  ['Rewinds', 'rewinds'],
  ['Acceptance rate', 'acceptanceRate'],
  ['Mean length with bonus', 'meanLengthWithBonus'],
  ['Prompt tokens', 'promptTokens'],
  ['Generated tokens', 'generatedTokens'],
];

const numberOf = (value: Counts[keyof Counts]): number | null => (typeof value === 'number' ? value : null);
const hasIds = ({ rounds }: CapturedRequest): boolean => rounds?.some(({ targets, drafts }) => targets !== null || drafts !== null) === true;

function levelOf(a: CapturedRequest, b: CapturedRequest): CompareLevel {
  if (a.rounds === null || b.rounds === null) return 'figures';
  return hasIds(a) && hasIds(b) ? 'ids' : 'counts';
}

/** "A holds", "B holds", "A and B hold": those of which it is true; "" for none. */
function those(a: boolean, b: boolean, one: string, both: string): string {
  if (a && b) return `A and B ${both}`;
  return a ? `A ${one}` : b ? `B ${one}` : '';
}

function notComparedOf(a: CapturedRequest, b: CapturedRequest): string[] {
  const without = (has: (request: CapturedRequest) => boolean, one: string, both: string): string => those(!has(a), !has(b), one, both);
  const noRounds = without(({ rounds }) => rounds !== null, 'holds', 'hold');
  const noIds = without(hasIds, 'holds', 'hold');
  const noPrompt = without(({ promptIds }) => promptIds !== null, 'does not hold its prompt', 'do not hold their prompts');
  const cut = without(({ complete }) => complete, 'is', 'are');
  const samePrompt = a.promptIds === null || b.promptIds === null || sameList(a.promptIds, b.promptIds);
  return [
    ...(noRounds === '' ? [] : [`Round by round: ${noRounds} no accepted count of every round in order.`]),
    ...(noRounds !== '' || noIds === '' ? [] : [`Token ids: ${noIds} none, so only counts are compared, and equal counts do not make equal texts.`]),
    ...(noPrompt === '' ? [] : [`Prompts: ${noPrompt}, so whether both began alike is not known.`]),
    ...(samePrompt ? [] : ['The prompts differ: the requests began with different tokens, and any difference may come from that.']),
    ...(cut === '' ? [] : [`What comes after the end: ${cut} not complete.`]),
  ];
}

export function compareRequests(a: CapturedRequest, b: CapturedRequest): CaptureComparison {
  const first = a.rounds === null || b.rounds === null ? null : firstDifference(a.rounds, b.rounds);
  return {
    level: levelOf(a, b),
    equalRounds: first?.place ?? Math.min(a.rounds?.length ?? 0, b.rounds?.length ?? 0),
    first,
    firstToken: firstTokenOf(a.emittedIds, b.emittedIds),
    tokens: a.emittedIds === null || b.emittedIds === null ? null : { a: a.emittedIds.length, b: b.emittedIds.length },
    figures: figureNames.map(([name, of]) => ({ name, a: numberOf(a[of]), b: numberOf(b[of]) })),
    notCompared: notComparedOf(a, b),
  };
}

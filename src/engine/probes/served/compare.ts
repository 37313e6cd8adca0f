// Two answers side by side: where their tokens part, and how far their log probabilities are apart before that.
import { greatest, least } from '../../../shared/extremes';
import type { AnswerFork, AnswerPair, LogprobDiff } from '../../../shared/results/answers';
import type { Token, Told } from '../../attached/answer';

export type Sides = Omit<AnswerPair, 'label' | 'prompt' | 'a' | 'b' | 'verdict'>;

/** A piece of a character is printed in many ways. */
const readable = (text: string | null): text is string => text !== null && text !== '' && !text.includes('\ufffd');

/** Null where neither ids nor texts tell. Equal texts count where ids differ: two servers may number one vocabulary in two ways. */
function same(a: Token, b: Token): boolean | null {
  const byId = a.id === null || b.id === null ? null : a.id === b.id;
  const byText = readable(a.text) && readable(b.text) ? a.text === b.text : null;
  return byId === true || byText === true ? true : (byId ?? byText);
}

/** Leading tokens that agree; null where they cannot be compared. */
function commonTokens(a: readonly Token[], b: readonly Token[]): number | null {
  if (a.length === 0 || b.length === 0) return null;
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at += 1) {
    const [one, other] = [a[at], b[at]];
    const equal = one === undefined || other === undefined ? null : same(one, other);
    if (equal !== true) return equal === null ? null : at;
  }
  return shorter;
}

function commonCharacters(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

export const best = ({ top, logprob }: Token): number => greatest([...top.map((one) => one.logprob), logprob ?? -Infinity]);

/** Whether it is the most probable token of its place; null where candidates are not told. */
export const isBest = (token: Token): boolean | null => (token.top.length < 2 || token.logprob === null ? null : token.logprob >= best(token));

function marginOf({ top }: Token): number {
  const [first = NaN, second = NaN] = top.map(({ logprob }) => logprob).sort((x, y) => y - x);
  return first - second;
}

/** How much less probable `other` is at this place than what was chosen there; NaN where that is not told. */
function gapTo(chosen: Token, other: Token): number {
  const found = chosen.top.find(({ id, text }) => (id !== null && other.id !== null ? id === other.id : readable(text) && text === other.text));
  return chosen.logprob === null || found === undefined ? NaN : chosen.logprob - found.logprob;
}

const id = (token: Token | undefined): number => token?.id ?? -1;
const shown = (token: Token | undefined): string => (token === undefined ? '(end)' : (token.text ?? (token.id === null ? '(not told)' : `id ${token.id}`)));

/** NaN is no number of JSON, so it travels by its name. */
export const told = (value: number | null): number | 'NaN' => (value === null || Number.isNaN(value) ? 'NaN' : value);

/** As `gapTo`, where the other token is none of the candidates: it is less probable than the last of them. */
function leastGapTo({ logprob, top }: Token): number {
  return logprob === null || top.length < 2 ? NaN : logprob - least(top.map((one) => one.logprob));
}

/** A fork is judged by how far its tokens are apart. Where that is not told, it is a defect only if they are known to be farther apart than the floor. */
function wordOf(gap: number, atLeast: readonly number[], floor: number): AnswerFork['word'] {
  if (!Number.isNaN(gap)) return gap <= floor ? 'tie' : 'defect';
  return atLeast.some((one) => one > floor) ? 'defect' : 'void';
}

function forkAt(at: number, a: Token | undefined, b: Token | undefined, floor: number): AnswerFork {
  // Either arm may be the one that tells its candidates.
  const both = a === undefined || b === undefined ? null : ([a, b] as const);
  const gap = both === null ? NaN : ([gapTo(both[0], both[1]), gapTo(both[1], both[0])].find((one) => !Number.isNaN(one)) ?? NaN);
  return { at, a: shown(a), b: shown(b), idA: id(a), idB: id(b), margin: told(a === undefined ? NaN : marginOf(a)), gap: told(gap), word: wordOf(gap, both === null ? [] : both.map(leastGapTo), floor) };
}

function logprobDiff(a: readonly Token[], b: readonly Token[], common: number): LogprobDiff {
  const diff = { compared: 0, differing: 0, largest: 0, at: -1, first: -1, ranks: -1 };
  for (let i = 0; i < common; i += 1) {
    const [one, other] = [a[i], b[i]];
    if (one === undefined || other === undefined) continue;
    const [rankA, rankB] = [isBest(one), isBest(other)];
    if (rankA !== null && rankB !== null) diff.ranks = Math.max(0, diff.ranks) + (rankA === rankB ? 0 : 1);
    if (one.logprob === null || other.logprob === null) continue;
    diff.compared += 1;
    const apart = Math.abs(one.logprob - other.logprob);
    if (apart === 0) continue;
    diff.differing += 1;
    if (diff.first < 0) diff.first = i;
    if (apart > diff.largest) Object.assign(diff, { largest: apart, at: i });
  }
  return { ...diff, largest: diff.compared === 0 ? 'NaN' : diff.largest };
}

/** The largest change, between two answers as far as their tokens agree, of a log probability or of the distance of two candidates, which is what decides a choice; NaN where none is told. */
export function movement(a: Told, b: Told): number {
  const common = commonTokens(a.tokens, b.tokens) ?? 0;
  let most = NaN;
  const moved = (by: number): void => void (most = Number.isNaN(by) ? most : Math.max(Number.isNaN(most) ? 0 : most, Math.abs(by)));
  for (let i = 0; i < common; i += 1) {
    const [one, other] = [a.tokens[i], b.tokens[i]];
    if (one === undefined || other === undefined) continue;
    if (one.logprob !== null && other.logprob !== null) moved(one.logprob - other.logprob);
    for (const candidate of one.top) moved(gapTo(one, { ...candidate, top: [] }) - gapTo(other, { ...candidate, top: [] }));
  }
  return most;
}

const nothing: LogprobDiff = { compared: 0, differing: 0, largest: 'NaN', at: -1, first: -1, ranks: -1 };

/** `floor`: how far log probabilities of one arm part without meaning anything. */
export function sidesOf(a: Told, b: Told, floor: number): Sides {
  const common = commonTokens(a.tokens, b.tokens);
  const sameText = a.text === b.text && a.finish === b.finish;
  if (common === null) {
    const characters = commonCharacters(a.text, b.text);
    const fork: AnswerFork = { at: characters, a: a.text.slice(characters, characters + 24) || '(end)', b: b.text.slice(characters, characters + 24) || '(end)', idA: -1, idB: -1, margin: 'NaN', gap: 'NaN', word: 'void' };
    return { unit: 'characters', common: characters, length: Math.max(a.text.length, b.text.length), fork: sameText ? null : fork, logprobs: nothing };
  }
  const [shorter, length] = [Math.min(a.tokens.length, b.tokens.length), Math.max(a.tokens.length, b.tokens.length)];
  // One of two engines may tell the end of text as a token of its own.
  const parts = common < shorter || (shorter < length && !sameText);
  return { unit: 'tokens', common, length, fork: parts ? forkAt(common, a.tokens[common], b.tokens[common], floor) : null, logprobs: logprobDiff(a.tokens, b.tokens, common) };
}

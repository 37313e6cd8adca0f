// A fork of two answers: a tie or a defect where it is told how far its tokens are apart, else neither.
import { expect, it } from 'vitest';
import type { Token, Told } from '../../../src/engine/attached/answer';
import { sidesOf } from '../../../src/engine/probes/served/compare';
import { pairVerdict } from '../../../src/engine/probes/served/verdict';
import type { Verdict } from '../../../src/shared/verdict';

type Candidate = readonly [text: string, logprob: number];

/** A token with its log probability and the other candidates of its place. */
const token = (text: string, logprob: number | null, ...others: readonly Candidate[]): Token => ({ id: null, text, logprob, top: logprob === null ? [] : [[text, logprob] as const, ...others].map(([one, value]) => ({ id: null, text: one, logprob: value })) });
const answer = (...tokens: readonly Token[]): Told => ({ text: tokens.map(({ text }) => text).join(''), tokens, promptIds: null, finish: 'length', fingerprint: '', promptTokens: null, emitted: null, cachedTokens: null, together: null, speculation: null });

const same = token('the', -0.5);
const floor = 0.1;
const verdictOf = (a: Told, b: Told): Verdict => pairVerdict(sidesOf(a, b, floor), floor);

it.each([
  ['within the floor', token(' one', -1, [' two', -1.05]), token(' two', -1, [' one', -1.02]), 'tie', /0\.05 apart in log probability, against a noise floor of 0\.1/],
  ['beyond it', token(' one', -1, [' two', -3]), token(' two', -1), 'defect', /2 apart in log probability/],
  ['known of one arm alone', token(' one', null), token(' two', -1, [' one', -1.01]), 'tie', /0\.01 apart/],
  ['not among the candidates, of which the last is farther than the floor', token(' one', -1, [' three', -4]), token(' two', null), 'defect', /farther apart than the last candidate that is told, and so than the noise floor/],
  ['not among the candidates, which are all near', token(' one', -1, [' three', -1.05]), token(' two', null), 'void', /whether this is a tie or a defect is not known/],
  ['not told', token(' one', null), token(' two', null), 'void', /how far these are apart is not told/],
] as const)('a fork whose tokens are %s', (_, a, b, word, sentence) => {
  const verdict = verdictOf(answer(same, a), answer(same, b));
  expect(verdict.word).toBe(word);
  expect(verdict.sentence).toMatch(sentence);
});

it('an answer that ends before the other leaves open how probable its end was', () => {
  expect(verdictOf(answer(same, same), { ...answer(same), finish: 'stop' }).word).toBe('void');
});

it('texts without tokens that part are void, and such that agree are equal', () => {
  const plain = (text: string): Told => ({ ...answer(), text });
  expect(verdictOf(plain('one two'), plain('one three')).word).toBe('void');
  expect(verdictOf(plain('one two'), plain('one two')).word).toBe('equal');
});

import { describe, expect, it } from 'vitest';
import { experimentFrom, parseIds, parseInteger, parseWidths } from '../../../src/extension/experimentText';
import { asProblem } from '../../../src/extension/problem';

const defaults = { widths: [2, 4], draws: 3, promptLength: 8, walk: 128, allowInexact: false, folder: '/work' };

describe('texts of a user', () => {
  it('takes widths in any layout, once each', () => {
    expect(parseWidths(' 2,4;8  16 8 ')).toEqual({ value: [2, 4, 8, 16] });
  });

  it.each([
    ['', /at least one block width/],
    ['2, x', /"x" is not a whole number/],
    ['1', /from 2 to 256/],
    ['257', /from 2 to 256/],
    [Array.from({ length: 17 }, (_, i) => i + 2).join(' '), /At most 16 widths/],
  ])('says why the widths "%s" cannot be taken', (text, sentence) => {
    expect(parseWidths(text)).toMatchObject({ fault: expect.stringMatching(sentence) as string });
  });

  it('keeps ids below the vocabulary', () => {
    expect(parseIds('[0, 4095]', 4096)).toEqual({ value: [0, 4095] });
    expect(parseIds('4096', 4096)).toEqual({ fault: '4096 is beyond the vocabulary: ids of this model go from 0 to 4095.' });
    expect(parseIds('-1', 4096)).toMatchObject({ fault: '"-1" is not a whole number.' });
  });

  it('reads whole numbers within limits', () => {
    expect(parseInteger(' 16 ', 0, 16)).toEqual({ value: 16 });
    for (const text of ['', '17', '-1', '1.5', '1e1', '99999999999']) expect(parseInteger(text, 0, 16)).toMatchObject({ fault: 'Give a whole number from 0 to 16.' });
  });
});

describe('an experiment as argument of the command', () => {
  it('has the settings where it says nothing', () => {
    expect(experimentFrom('bisect', { model: 'm' }, defaults)).toEqual({
      kind: 'bisect',
      model: '/work/m',
      widths: [2, 4],
      input: { type: 'draws', draws: 3, promptLength: 8 },
      walk: 128,
      switches: {},
    });
  });

  it.each([
    [{}, /model/],
    [{ model: 'm', widths: [0] }, /widths\[0\]/],
    [{ model: 'm', widths: [100_000] }, /widths\[0\]/],
    [{ model: 'm', input: { type: 'text', text: '' } }, /input\.text/],
    [{ model: 'm', with: 2 }, /with/],
    ['m', /cannot be run/],
    [null, /cannot be run/],
  ])('refuses %j with its place', (argument, place) => {
    const problem = asProblem(thrown(() => experimentFrom('bisect', argument, defaults)));
    expect(problem.data.kind).toBe('input');
    expect(problem.sentence).toMatch(place);
  });
});

describe('an experiment of any probe as argument', () => {
  it.each(['prefill', 'gate', 'parity', 'replay', 'rewind', 'widths', 'switches'] as const)('%s needs the model alone', (kind) => {
    expect(experimentFrom(kind, { model: 'm' }, defaults)).toMatchObject({ kind, model: '/work/m' });
  });

  it('starts relative paths at the workspace folder, also those inside', () => {
    const replay = experimentFrom('replay', { model: 'm', accepts: { type: 'log', file: 'served.log', request: null } }, defaults);
    expect(replay.accepts).toEqual({ type: 'log', file: '/work/served.log', request: null });
    expect(experimentFrom('parity', { model: 'm', drafter: '/d' }, defaults).drafter).toBe('/d');
    expect(experimentFrom('parity', { model: 'm' }, defaults).drafter).toBe('/work/m');
  });

  it('takes the override from the settings, and lets the argument decide', () => {
    const allowing = { ...defaults, allowInexact: true };
    expect(experimentFrom('gate', { model: 'm' }, allowing).override).toBe(true);
    expect(experimentFrom('gate', { model: 'm', override: false }, allowing).override).toBe(false);
    expect(experimentFrom('parity', { model: 'm' }, allowing).gate).toBe('override');
  });

  it.each([
    ['replay', { model: 'm', accepts: { type: 'kept', kept: [0] } }, /1 to 256 \(accepts\.kept\[0\]\)/],
    ['replay', { model: 'm', accepts: { type: 'kept', kept: [] } }, /the accept list is empty/],
    ['gate', { model: 'm', fills: ['wrong'] }, /fills/],
    ['prefill', { model: 'm', partitions: [-1] }, /partitions\[0\]/],
    ['switches', { model: 'm', matrix: [] }, /the list of switches is empty/],
  ] as const)('%s refuses %j with its place', (kind, argument, place) => {
    expect(asProblem(thrown(() => experimentFrom(kind, argument, defaults))).sentence).toMatch(place);
  });
});

function thrown(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

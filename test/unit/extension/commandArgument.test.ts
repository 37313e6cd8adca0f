// What commands refuse: the sentence names the field and what to do, whichever command it was.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { argumentOf, notRunnable } from '../../../src/extension/commandArgument';
import { experimentFrom } from '../../../src/extension/experimentText';
import { asProblem } from '../../../src/extension/problem';
import { presetSettings } from '../../../src/shared/presets';

const problemOf = (work: () => unknown): ReturnType<typeof asProblem> => {
  try {
    work();
  } catch (error) {
    return asProblem(error);
  }
  throw new Error('nothing was refused');
};

const Schema = z.object({ model: z.string().min(1), drafter: z.string().default('') });

describe('an argument of a command', () => {
  it('has what is left out, and nothing that is not known', () => {
    expect(argumentOf(Schema, { model: 'm', other: 1 })).toEqual({ model: 'm', drafter: '' });
  });

  it.each([[{ model: '' }, 'model'], [{ model: 'm', drafter: 7 }, 'drafter'], ['m', ''], [null, '']])('%j is refused with its place', (argument, place) => {
    const { data, sentence } = problemOf(() => argumentOf(Schema, argument));
    expect([data.kind, data.place]).toEqual(['input', place]);
    expect(sentence).toMatch(/^What the command was given cannot be used: .*run the command without arguments\.?$/);
  });

  it('of a probe is refused in the same form', () => {
    const { data } = problemOf(() => experimentFrom('gate', { model: 'm', widths: [0] }, { ...presetSettings, folder: '/work' }));
    expect(data.title.startsWith(`${notRunnable}: `)).toBe(true);
    expect(data).toMatchObject({ place: 'widths[0]', action: 'Mend that field, or run the command without arguments' });
  });
});

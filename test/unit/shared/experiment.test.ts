// What may be asked for, in sentences.
import { describe, expect, it } from 'vitest';
import { Experiment } from '../../../src/shared/experiment';
import { firstIssue } from '../../../src/shared/issues';

const good = { kind: 'bisect', model: 'm', widths: [2, 4], input: { type: 'draws', draws: 3, promptLength: 64 }, walk: 128, switches: { matmul: 'exact', threads: 2 } };

function issue(changes: object): string {
  const parsed = Experiment.safeParse({ ...good, ...changes });
  if (parsed.success) throw new Error('it was accepted');
  const { place, message } = firstIssue(parsed.error);
  return `${place}: ${message}`;
}

it('accepts what the palette and the command line make', () => {
  expect(Experiment.parse(good)).toEqual(good);
  expect(Experiment.parse({ kind: 'diff', a: 'x', b: 'y' })).toEqual({ kind: 'diff', a: 'x', b: 'y' });
});

describe('refusals', () => {
  const cases: [object, string][] = [
    [{ widths: [2, 0] }, 'widths[1]: a width is a whole number from 2 to 256'],
    [{ widths: [257] }, 'widths[0]: a width is a whole number from 2 to 256'],
    [{ widths: [2.5] }, 'widths[0]: a width is a whole number from 2 to 256'],
    [{ widths: [] }, 'widths: the list of widths is empty'],
    [{ widths: Array.from({ length: 17 }, () => 2) }, 'widths: the list of widths has more than 16 entries'],
    [{ input: { type: 'text', text: '' } }, 'input.text: the prompt is empty'],
    [{ input: { type: 'ids', ids: [] } }, 'input.ids: the list of prompt ids is empty'],
    [{ input: { type: 'ids', ids: [1, -1] } }, 'input.ids[1]: a token id is a whole number from 0 to 4294967295'],
    [{ input: { type: 'draws', draws: 0, promptLength: 8 } }, 'input.draws: the number of draws is a whole number from 1 to 64'],
    [{ input: { type: 'draws', draws: 1, promptLength: 0 } }, 'input.promptLength: the prompt length is a whole number from 1 to 1000000'],
    [{ walk: -1 }, 'walk: the length of the walk is a whole number from 0 to 16384'],
    [{ model: '' }, 'model: the model folder is empty'],
  ];
  it.each(cases)('%#', (changes, sentence) => {
    expect(issue(changes)).toBe(sentence);
  });
});

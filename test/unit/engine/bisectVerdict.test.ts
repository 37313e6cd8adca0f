// The six words, by the rules they are computed from.
import { describe, expect, it } from 'vitest';
import { decideRun, decideTable, type Undecided } from '../../../src/engine/probes/bisectVerdict';
import type { FirstDivergence } from '../../../src/shared/report';
import { quietRun } from './support';

const first: FirstDivergence = { row: 1, layer: 0, tap: 'q_proj', position: 0, element: 3, a: 1, b: 2, aHex: '00', bHex: '01', ulp: 1, kernelA: 'qmv', kernelB: 'qmm' };

function noisy(logits: Partial<Undecided['logits']>, rest: Partial<Undecided> = {}): Undecided {
  const base = quietRun();
  return quietRun({ first, logits: { ...base.logits, differingBytes: [3, 4], ...logits }, ...rest });
}

describe('one comparison', () => {
  const cases: [string, Undecided, string, RegExp][] = [
    ['nothing differs', quietRun(), 'equal', /0 of 320 logit bytes, 0 of 16 tap bytes and 0 of 16 state bytes/],
    ['logit bytes differ, choices agree', noisy({}), 'drift', /^7 of 320 logit bytes .* first at layer 0 · q_proj, position 0, element 3 \(qmv against qmm\); every greedy choice agrees\.$/],
    ['only a tap differs', quietRun({ cells: { ...quietRun().cells, differingBytes: [0, 2] }, first }), 'drift', /every greedy choice agrees/],
    ['only the state differs', quietRun({ state: [{ layer: 0, tensor: 'k', bytes: 16, differingBytes: 1, maxUlp: 1, relL2: 0.1, firstIndex: 2 }] }), 'drift', /1 state byte differ; the arms part first at the state after the block, layer 0 · k, element 2 \(every tap is equal\)/],
    ['a choice differs within the floor', noisy({ argmaxB: [5, 9], marginA: [1, 0.1], marginB: [1, 0.05] }), 'tie', /1 greedy choice differs: at position 1 single steps choose token 6 and the block 9, .* within the measured noise floor of 0.1/],
    ['only one margin is within the floor', noisy({ argmaxB: [5, 9], marginA: [1, 0.1], marginB: [1, 0.11] }), 'defect', /not both within/],
    ['one of two choices is beyond the floor', noisy({ argmaxB: [7, 9], marginA: [0.01, 0.5], marginB: [0.01, 0.5] }), 'defect', /2 greedy choices differ: at position 1 /],
    ['a margin is NaN', noisy({ argmaxB: [5, 9], marginA: [1, 'NaN'], marginB: [1, 0] }), 'defect', /NaN/],
    ['arm A does not repeat itself', quietRun({ noise: { repeatDifferingBytes: 1, floor: 0, orders: '' } }), 'defect', /Not reproducible: .* in 1 byte,/],
    ['observing changed bytes of equal arms', quietRun({ captureDifferingBytes: { a: 2, b: 0 } }), 'void', /observing changed 2 logit bytes/],
    ['observing changed bytes of arms that differ', noisy({}, { captureDifferingBytes: { a: 0, b: 5 } }), 'drift', /Observing changed 5 logit bytes, so the place is not to be trusted\.$/],
    ['no logit is a number', quietRun({ nonFinite: { a: 80, b: 80 } }), 'void', /No logit is a number, .* 80 logits of the single steps and 80 of the block are NaN or infinite\.$/],
    ['some logits are not', quietRun({ nonFinite: { a: 1, b: 0 } }), 'equal', /same bytes.* 1 logits of the single steps and 0 of the block/],
    ['the run ended before its last token', quietRun({ planned: 64, state: [] }), 'equal', /0 of 320 logit bytes and 0 of 16 tap bytes differ\. Only 2 of 64 tokens were compared, and the state after the block was not\.$/],
    ['bytes differ in what was compared', noisy({}, { planned: 3, state: [] }), 'drift', /^7 of 320 logit bytes differ; .* Only 2 of 3 tokens were compared/],
    ['no position', quietRun({ blockIds: [] }), 'void', /Nothing was compared/],
  ];

  it.each(cases)('%s', (_, run, word, sentence) => {
    const verdict = decideRun(run, 80);
    expect(verdict.word).toBe(word);
    expect(verdict.sentence).toMatch(sentence);
  });
});

describe('a table', () => {
  type Judged = Parameters<typeof decideTable>[0][number];
  const judged = (width: number, word: 'equal' | 'drift' | 'tie' | 'defect'): Judged => {
    const { logits, noise, state } = quietRun();
    return { label: `width ${width} · walk`, width, verdict: { word, sentence: '' }, first: word === 'equal' ? null : first, state, noise, logits: { ...logits, argmaxB: word === 'tie' || word === 'defect' ? [5, 9] : [5, 6], marginA: [1, word === 'tie' ? 0.1 : 1], marginB: [1, 0] } };
  };

  it('has the gravest word and says which widths have which', () => {
    const verdict = decideTable([judged(2, 'equal'), judged(2, 'equal'), judged(4, 'drift'), judged(4, 'tie'), judged(8, 'defect')]);
    expect(verdict.word).toBe('defect');
    expect(verdict.sentence).toMatch(/^Width 8 changes a greedy choice by more .*: in width 8 · walk, at position 1, and bytes part first at layer 0 · q_proj, .*; width 4 changes a greedy choice within the noise floor: in width 4 .*; width 2 gives the same bytes as single steps\.$/);
    expect(decideTable([judged(2, 'equal'), judged(3, 'equal')]).sentence).toBe('Widths 2 and 3 give the same bytes as single steps.');
  });

  it('names where the choice flips and where bytes part, of the run that the page opens on', () => {
    const milder = { ...judged(4, 'drift'), label: 'width 4 · prompt', first: { ...first, layer: 7, position: 1 } };
    const runs = [milder, judged(4, 'tie'), { ...judged(8, 'tie'), first: { ...first, element: 5 } }];
    expect(decideTable(runs).sentence).toBe('Widths 4 and 8 change a greedy choice within the noise floor: in width 4 · walk, at position 1, and bytes part first at layer 0 · q_proj, position 0, element 3 (qmv against qmm).');
    expect(decideTable([milder]).sentence).toBe('Width 4 differs in bytes while every greedy choice agrees: in width 4 · prompt, bytes part first at layer 7 · q_proj, position 1, element 3 (qmv against qmm).');
  });

  it('of a defect names the choice beyond the floor, not an earlier tie', () => {
    const { logits } = judged(8, 'defect');
    expect(decideTable([{ ...judged(8, 'defect'), logits: { ...logits, argmaxB: [7, 9], marginA: [0.05, 1], marginB: [0.05, 1] } }]).sentence).toContain(': in width 8 · walk, at position 1, and');
  });

  it('says why a width is void', () => {
    const nothing: Judged = { ...judged(4, 'equal'), verdict: { word: 'void', sentence: 'No logit is a number, so nothing can be told from them. 80 logits are NaN.' } };
    expect(decideTable([judged(2, 'equal'), nothing])).toEqual({
      word: 'void',
      sentence: 'Width 4 showed nothing that can be trusted: no logit is a number, so nothing can be told from them; width 2 gives the same bytes as single steps.',
    });
  });

  it('of nothing is void', () => {
    expect(decideTable([]).word).toBe('void');
  });
});

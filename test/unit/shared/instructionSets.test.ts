// A machine with a wide instruction set runs many kernels in a narrower one: reports name what ran.
import { expect, it } from 'vitest';
import { instructionSets, instructionsInWords } from '../../../src/shared/instructionSets';

it.each([
  ['amx', ['qmv.b4g64.avx2', 'attention.batched.avx2'], ['qmm.b4g64.avx2'], ['avx2'], 'avx2 (of at most amx)'],
  ['amx', ['exact.b4g64.avx512', 'delta.recurrent.avx2'], ['exact.b4g64.amx'], ['avx2', 'avx512', 'amx'], 'avx2, avx512 and amx'],
  ['avx2', ['qmv.b4g64.avx2'], [], ['avx2'], 'avx2'],
  ['scalar', [], [], ['scalar'], 'scalar'],
  ['', ['mul_mat_q4', 'attention.batched'], [], [], ''],
])('at most %s, kernels %j against %j', (isa, kernelsA, kernelsB, sets, words) => {
  expect(instructionSets({ isa, kernelsA, kernelsB })).toEqual(sets);
  expect(instructionsInWords({ isa, kernelsA, kernelsB })).toBe(words);
});

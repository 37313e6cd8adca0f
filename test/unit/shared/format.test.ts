// Numbers and tables as people read them.
import { expect, it } from 'vitest';
import { formatBytes, formatCount, formatFloat, formatList, formatMs, formatTable, formatWidths, plural } from '../../../src/shared/format';

it('groups counts and agrees in number', () => {
  expect(formatCount(1234567)).toBe('1,234,567');
  expect([plural(0, 'byte'), plural(1, 'byte'), plural(2000, 'byte'), plural(2, 'entry', 'entries')]).toEqual(['0 bytes', '1 byte', '2,000 bytes', '2 entries']);
  expect([formatWidths([8]), formatWidths([2, 3, 4])]).toEqual(['width 8', 'widths 2, 3 and 4']);
});

it('gives bytes and time a unit', () => {
  expect([0, 999, 1000, 1536, 4_148_409, 999_999, 2.5e12].map(formatBytes)).toEqual(['0 B', '999 B', '1.00 kB', '1.54 kB', '4.15 MB', '1.00 MB', '2.50 TB']);
  expect([0.4, 999, 1500, 61_000].map(formatMs)).toEqual(['0 ms', '999 ms', '1.5 s', '1 min 1 s']);
});

it('shortens floats and keeps names', () => {
  expect([0, 0.0625, 123.456789, 1e-7, -2.5e9].map((value) => formatFloat(value))).toEqual(['0', '0.0625', '123.5', '1e-7', '-2.5e+9']);
  expect(formatFloat('NaN')).toBe('NaN');
});

it('joins lists and aligns columns', () => {
  expect([[], [2], [2, 4], [2, 4, 8]].map(formatList)).toEqual(['', '2', '2 and 4', '2, 4 and 8']);
  expect(formatTable([['a', '1'], ['bcd', '200']], new Set([1]))).toEqual(['a      1', 'bcd  200']);
  expect(formatTable([])).toEqual([]);
  expect(formatTable(Array.from({ length: 300_000 }, () => ['a', 'b']))).toHaveLength(300_000);
});

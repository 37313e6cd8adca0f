import { describe, expect, it } from 'vitest';
import { bitsOf, elementOf, elementSize, numberOf, ulpBetween, unravel } from '../../../src/webview/model/elements';
import { pairOfTile } from '../../../src/webview/model/tensorPair';
import type { ElementPair } from '../../../src/webview/model/elements';
import type { Tile } from '../../../src/shared/report';
import { random } from '../../view/random';

const pairsOf = (tile: Tile): ElementPair[] => {
  const pair = pairOfTile(tile, 1000);
  return Array.from({ length: pair.count }, (_, i) => pair.at(tile.start + i));
};
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('elements', () => {
  it('turns little-endian bytes into a bit pattern', () => {
    expect(bitsOf('803f')).toBe('3f80');
    expect(bitsOf('0000C03F')).toBe('3fc00000');
  });

  it('decodes bf16: the upper half of an f32', () => {
    expect(elementOf('803f', 'bf16').value).toBe('1.000');
    expect(elementOf('803f', 'bf16').bits).toBe('3f80');
    expect(elementOf('0080', 'bf16').value).toBe('-0');
    expect(elementOf('807f', 'bf16').value).toBe('Infinity');
    expect(elementOf('80ff', 'bf16').value).toBe('-Infinity');
    expect(elementOf('c07f', 'bf16').value).toBe('NaN');
    expect(numberOf('0001', 'bf16')).toBe(2 ** -133);
  });

  it('decodes f16: normal, subnormal, largest, infinite', () => {
    expect(numberOf('3c00', 'f16')).toBe(1);
    expect(numberOf('c000', 'f16')).toBe(-2);
    expect(numberOf('0001', 'f16')).toBe(2 ** -24);
    expect(numberOf('03ff', 'f16')).toBe(1023 * 2 ** -24);
    expect(numberOf('7bff', 'f16')).toBe(65504);
    expect(numberOf('7c00', 'f16')).toBe(Infinity);
    expect(numberOf('7e00', 'f16')).toBeNaN();
  });

  it('decodes f32 and f64 as the platform does', () => {
    const r = random(1);
    for (let i = 0; i < 200; i++) {
      const value = (r.next() - 0.5) * 10 ** r.whole(-30, 30);
      expect(Number(elementOf(hexOf(new Uint8Array(Float32Array.of(value).buffer)), 'f32').value)).toBe(Number(Math.fround(value).toPrecision(9)));
      expect(Number(elementOf(hexOf(new Uint8Array(Float64Array.of(value).buffer)), 'f64').value)).toBe(value);
    }
  });

  it('shows f32 with enough digits to tell neighbours apart', () => {
    const next = new Float32Array(Uint32Array.of(0x3f800001).buffer)[0]!;
    expect(elementOf('0100803f', 'f32').value).not.toBe(elementOf('0000803f', 'f32').value);
    expect(Math.fround(Number(elementOf('0100803f', 'f32').value))).toBe(next);
  });

  it('decodes integers with their sign', () => {
    expect(elementOf('ff', 'i8').value).toBe('-1');
    expect(elementOf('ff', 'u8').value).toBe('255');
    expect(elementOf('0000000000000080', 'i64').value).toBe('-9223372036854775808');
    expect(elementOf('ffffffffffffffff', 'u64').value).toBe('18446744073709551615');
  });

  it('counts ULP across zero and binades, like stepping through all values', () => {
    expect(ulpBetween('3f80', '3f81', 'bf16')).toBe(1n);
    expect(ulpBetween('3f7f', '3f80', 'bf16')).toBe(1n);
    expect(ulpBetween('8000', '0000', 'bf16')).toBe(0n);
    expect(ulpBetween('8001', '0001', 'bf16')).toBe(2n);
    expect(ulpBetween('7c00', '7bff', 'f16')).toBe(1n);
    expect(ulpBetween('ff', '01', 'i8')).toBe(2n);
    expect(ulpBetween('7fc0', '3f80', 'bf16')).toBeNull();
    expect(ulpBetween('0001', '0002', 'q4')).toBeNull();
  });

  it('gives row-major places', () => {
    expect(unravel(17, [2, 3, 4])).toEqual([1, 1, 1]);
    expect(unravel(24, [2, 3, 4])).toEqual([]);
    expect(unravel(3, [0])).toEqual([]);
  });

  it('sets A beside B', () => {
    const pairs = pairsOf({ dtype: 'bf16', shape: [2, 4], start: 5, a: '803f0040', b: '803f0140' });
    expect(pairs.map(({ index, at, differs, ulp }) => ({ index, at, differs, ulp }))).toEqual([
      { index: 5, at: [1, 1], differs: false, ulp: 0n },
      { index: 6, at: [1, 2], differs: true, ulp: 1n },
    ]);
  });

  it('shows the bytes of a dtype it does not know', () => {
    expect(elementSize('constructor')).toBe(0);
    expect(pairsOf({ dtype: 'f8_e4m3', shape: [2], start: 0, a: '0a0b', b: '0a0c' }).map(({ a, b, differs }) => [a.bits, a.value, b.bits, differs])).toEqual([['0a', '', '0a', false], ['0b', '', '0c', true]]); // prettier-ignore
  });

  it.each([
    { a: '803f00', b: '803f00' },
    { a: '803f', b: '803f803f' },
    { a: '80xx', b: '803f' },
  ])('refuses a tile that is not whole elements: $a | $b', (hex) => {
    expect(() => pairsOf({ dtype: 'bf16', shape: [4], start: 0, ...hex })).toThrow(/whole bf16 elements/);
  });
});

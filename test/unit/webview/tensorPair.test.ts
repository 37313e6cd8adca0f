import { describe, expect, it } from 'vitest';
import type { ElementsAnswer } from '../../../src/shared/elementsProtocol';
import { headsOf } from '../../../src/shared/headTaps';
import { signDiffers, xorBits } from '../../../src/webview/model/bits';
import { elementOf, numberOf, ulpBetween } from '../../../src/webview/model/elements';
import { placeOf } from '../../../src/webview/model/elementPlace';
import { cutOf, groupsOf, stripeWidth, ulpHistogram } from '../../../src/webview/model/elementStats';
import { partings } from '../../../src/webview/model/loadedProof';
import { shownTap } from '../../../src/webview/model/shownTap';
import { bytesOfBase64, pairOfTile, TensorPair } from '../../../src/webview/model/tensorPair';
import { random } from '../../view/random';
import { bisectReport, bisectRun, sampleReport } from '../../view/reports';

/** bf16 bit patterns. */
const bf16 = (...bits: readonly number[]): Uint8Array => new Uint8Array(Uint16Array.from(bits).buffer);
const f32 = (...values: readonly number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer);
const pairOf = (dtype: string, a: Uint8Array, b: Uint8Array, place: Partial<{ shape: number[]; start: number; total: number }> = {}): TensorPair => {
  const total = place.total ?? a.length / ({ f32: 4, bf16: 2, f64: 8, i8: 1 }[dtype] ?? 1);
  return new TensorPair({ dtype, shape: [total], start: 0, total, a, b, ...place });
};

describe('bits that differ', () => {
  it('stand as sign, exponent and mantissa', () => {
    // 1.0 is 3f80, -1.0 is bf80, 2.0 is 4000, the next above 1.0 is 3f81.
    expect(xorBits('3f80', 'bf80', 'bf16')).toEqual(['1', '00000000', '0000000']);
    expect(xorBits('3f80', '4000', 'bf16')).toEqual(['0', '11111111', '0000000']);
    expect(xorBits('3f80', '3f81', 'bf16')).toEqual(['0', '00000000', '0000001']);
    expect(xorBits('3c00', '4001', 'f16')).toEqual(['0', '11111', '0000000001']);
    expect(xorBits('3f800000', '3f800003', 'f32')).toEqual(['0', '00000000', '00000000000000000000011']);
    expect(xorBits('3ff0000000000000', 'bff0000000000000', 'f64').map(({ length }) => length)).toEqual([1, 11, 52]);
    expect(xorBits('00ff', '01fe', 'i16')).toEqual(['00000001', '00000001']);
  });

  it('name a change of sign, of zeros as well, and not for what has none', () => {
    expect(signDiffers('3f80', 'bf80', 'bf16')).toBe(true);
    expect(signDiffers('0000', '8000', 'bf16')).toBe(true);
    expect(signDiffers('3f80', '3f81', 'bf16')).toBe(false);
    expect(signDiffers('ff', '01', 'i8')).toBe(true);
    expect(signDiffers('ff', '01', 'u8')).toBe(false);
  });
});

describe('a pair of tensors', () => {
  it('finds what differs, with the distance', () => {
    const pair = pairOf('bf16', bf16(0x3f80, 0x3f80, 0x8001, 0x7fc0, 0x8000), bf16(0x3f80, 0x3f83, 0x0001, 0x3f80, 0x0000));
    expect([...pair.differing]).toEqual([1, 2, 3, 4]);
    expect([0, 1, 2, 3, 4].map((i) => pair.ulp(i))).toEqual([0, 3, 2, NaN, 0]);
    expect(pair.values(1)).toEqual([1, 1.0234375]);
  });

  it('gives the distances and numbers of the slow way, for random bits of every dtype', () => {
    const r = random(3);
    const sizes = { f64: 8, f32: 4, f16: 2, bf16: 2, i64: 8, u64: 8, i32: 4, u32: 4, i16: 2, u16: 2, i8: 1, u8: 1, bool: 1 };
    for (const [dtype, size] of Object.entries(sizes)) {
      const bytes = (): Uint8Array => Uint8Array.from({ length: 40 * size }, () => r.whole(0, 256));
      const [a, b] = [bytes(), bytes()];
      const pair = new TensorPair({ dtype, shape: [50], start: 10, total: 50, a, b });
      for (let index = 10; index < 50; index++) {
        const hex = (side: Uint8Array): string => Buffer.from(side.subarray((index - 10) * size, (index - 9) * size)).toString('hex');
        const [x, y] = [elementOf(hex(a), dtype), elementOf(hex(b), dtype)];
        expect(pair.ulp(index), `${dtype} ${x.bits} ${y.bits}`).toBe(Number(ulpBetween(x.bits, y.bits, dtype) ?? NaN));
        expect(pair.at(index)).toMatchObject({ index, a: x, b: y, differs: x.bits !== y.bits });
expect(pair.values(index)).toEqual([x, y].map(({ bits, value }) => numberOf(bits, dtype) ?? Number(value)));
      }
    }
  });

  it('refuses what is not whole elements', () => {
    expect(() => pairOf('f32', new Uint8Array(6), new Uint8Array(6))).toThrow(/whole f32 elements/);
    expect(() => pairOf('f32', new Uint8Array(8), new Uint8Array(4))).toThrow(/whole f32 elements/);
  });

  it('reads base64', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    expect([...bytesOfBase64(Buffer.from(bytes).toString('base64'))]).toEqual([...bytes]);
  });
});

describe('the histogram', () => {
  it('counts by powers of two, with the ends in their buckets', () => {
    const ulps = [1, 2, 3, 4, 5, 8, 9, 16, 17];
    const pair = pairOf('bf16', bf16(...ulps.map(() => 0x3f80), 0x3f80, 0, 0x7fc0), bf16(...ulps.map((ulp) => 0x3f80 + ulp), 0x3f80, 0x8000, 0x3f80));
    expect(ulpHistogram(pair)).toEqual([
      { label: '0 (other sign of zero)', count: 1 },
      { label: '1', count: 1 },
      { label: '2', count: 1 },
      { label: '3 to 4', count: 2 },
      { label: '5 to 8', count: 2 },
      { label: '9 to 16', count: 2 },
      { label: '17 to 32', count: 1 },
      { label: 'no distance (NaN)', count: 1 },
    ]);
    expect(ulpHistogram(pairOf('bf16', bf16(1, 2), bf16(1, 2)))).toEqual([]);
  });

  it('has a bucket for every distance up to 2^31, each exactly once', () => {
    for (let bit = 0; bit < 31; bit++) {
      for (const ulp of [2 ** bit, 2 ** bit + 1, 2 ** bit - 1].filter((one) => one > 0)) {
        const pair = new TensorPair({ dtype: 'u32', shape: [1], start: 0, total: 1, a: new Uint8Array(4), b: new Uint8Array(Uint32Array.of(ulp).buffer) });
        const bucket = ulpHistogram(pair).find(({ count }) => count === 1)!;
        const [from, to = from] = bucket.label.replaceAll(',', '').split(' to ').map(Number);
        expect(ulp >= from! && ulp <= to!, `${ulp} in ${bucket.label}`).toBe(true);
      }
    }
  });

  it('adds up to all differing elements, for random bits', () => {
    const r = random(9);
    const bytes = (): Uint8Array => Uint8Array.from({ length: 4000 }, () => r.whole(0, 4) * 64);
    const pair = pairOf('bf16', bytes(), bytes());
    expect(ulpHistogram(pair).reduce((sum, { count }) => sum + count, 0)).toBe(pair.differing.length);
  });
});

describe('sums over heads', () => {
  it('show the head that is wrong', () => {
    // Three heads of two: 1 2 | 3 4 | 5 6, the second one is 3 4.5 and the third has a NaN.
    const pair = pairOf('f32', f32(1, 2, 3, 4, 5, 6), f32(1, 2, 3, 4.5, NaN, 6), { shape: [3, 2] });
    expect(groupsOf(pair, 2)).toEqual([
      { from: 0, to: 2, elements: 2, differing: 0, first: -1, maxUlp: 0, sumA: 3, sumB: 3, sumApart: 0 },
      { from: 2, to: 4, elements: 2, differing: 1, first: 3, maxUlp: 2 ** 20, sumA: 7, sumB: 7.5, sumApart: 0.5 },
      { from: 4, to: 6, elements: 2, differing: 1, first: 4, maxUlp: NaN, sumA: 11, sumB: NaN, sumApart: NaN },
    ]);
  });

  it('tell of a tile only what is in it', () => {
    const pair = pairOf('f32', f32(1, 1, 1, 1), f32(1, 1, 1, 2), { shape: [4, 4], start: 6, total: 16 });
    expect(groupsOf(pair, 4).map(({ from, to, elements, differing, first }) => [from, to, elements, differing, first])).toEqual([[4, 8, 2, 0, -1], [8, 12, 2, 1, 9]]); // prettier-ignore
  });

  it('find heads in the shape, or in a tap of the same heads', () => {
    expect(headsOf([4, 64], null)).toEqual({ heads: 4, width: 64 });
    expect(headsOf([256], [4, 64])).toEqual({ heads: 4, width: 64 });
    expect(headsOf([512], [4, 64])).toEqual({ heads: 4, width: 128 });
    expect(headsOf([256], null)).toBeNull();
    expect(headsOf([10], [4, 64])).toBeNull();
    expect(headsOf([0, 4], null)).toBeNull();
  });

  it('cut a row without heads in stripes, and a short one not at all', () => {
    expect([512, 2048, 4096, 248_320].map(stripeWidth)).toEqual([32, 32, 64, 4096]);
    const row = (length: number): TensorPair => pairOf('i8', new Uint8Array(length), new Uint8Array(length));
    expect(cutOf(row(512), null)).toEqual({ name: 'stripe', width: 32 });
    expect(cutOf(row(8), null)).toBeNull();
    expect(cutOf(row(8), { heads: 8, width: 1 })).toEqual({ name: 'head', width: 1 });
  });

  it('finds the heads of a flat tap in the tiles of its own kind of layer', () => {
    const run = bisectRun({ seed: 6, layers: 4, width: 2, first: { layer: 3, tap: 'q_rope', position: 0 }, spread: 1 });
    const report = bisectReport([run]);
    const [rope, core] = ['q_rope', 'attention_core'].map((name) => run.differing.tap.findIndex((tap, i) => tap === name && run.differing.tile[i]! >= 0)) as [number, number];
    run.tiles[run.differing.tile[rope]!]!.shape = [3, 64];
    expect(shownTap(report, run, { run: 0, tap: core }, { state: 'none' }).heads).toEqual({ heads: 3, width: 64 });
    const up = run.differing.tap.findIndex((tap, i) => tap === 'mlp_up' && run.differing.tile[i]! >= 0);
    expect(shownTap(report, run, { run: 0, tap: up }, { state: 'none' }).heads).toBeNull();
  });
});

describe('an element that is named', () => {
  it.each([
    ['210', 210],
    [' 1,024 ', 1024],
    ['[3, 18]', 210],
    ['[0,0]', 0],
  ])('%s is %i', (text, index) => expect(placeOf(text, [32, 64], 2048)).toBe(index));

  it.each([
    ['2048', /last element is 2,047/],
    ['[32, 0]', /last index of dimension 0 is 31/],
    ['[1]', /2 dimensions: \[32, 64\]/],
    ['[1, x]', /2 dimensions/],
    ['-1', /Name an element/],
    ['1,02', /Name an element/],
    ['', /Name an element/],
    ['1e9', /Name an element/],
  ])('%s is refused in words', (text, words) => expect(placeOf(text, [32, 64], 2048)).toMatch(words));
});

describe('the proof of what was loaded', () => {
  const report = sampleReport();
  const run = report.bisect.runs[3]!;
  const tap = run.differing.tile.findIndex((tile) => tile >= 0);
  const tile = run.tiles[run.differing.tile[tap]!]!;

  /** A row that holds the tile, equal around it; the report is made to tell its counts. */
  function loaded(): { answer: ElementsAnswer; pair: TensorPair; run: typeof run } {
    const kept = pairOfTile(tile, 192);
    const [a, b] = [new Uint8Array(384), new Uint8Array(384)];
    a.set(kept.source.a, tile.start * 2);
    b.set(kept.source.b, tile.start * 2);
    const pair = new TensorPair({ dtype: 'bf16', shape: [192], start: 0, total: 192, a, b });
    const told = structuredClone(run);
    const bytes = a.reduce((sum, byte, i) => sum + Number(byte !== b[i]), 0);
    Object.assign(told.differing, { elements: told.differing.elements.with(tap, 192), differingBytes: told.differing.differingBytes.with(tap, bytes), differingElements: told.differing.differingElements.with(tap, pair.differing.length), firstIndex: told.differing.firstIndex.with(tap, pair.differing[0]!) });
    const answer: ElementsAnswer = { dtype: 'bf16', shape: [192], total: 192, start: 0, a: '', b: '', differingBytes: bytes, differingElements: pair.differing.length, firstIndex: pair.differing[0]!, heads: null, fingerprint: report.provenance.model!.fingerprint, libraryHash: report.provenance.engine.libraryHash };
    return { answer, pair, run: told };
  }

  it('holds for the same bytes', () => {
    const { answer, pair, run: told } = loaded();
    expect(partings(report, told, tap, answer, pair)).toEqual([]);
  });

  it('fails on one other byte, in the tile or beside it, and names what is another', () => {
    for (const index of [tile.start, 191]) {
      const { answer, pair, run: told } = loaded();
      pair.source.a[index * 2] = pair.source.a[index * 2]! ^ 1;
      const other = new TensorPair(pair.source);
      expect(partings(report, told, tap, answer, other).join(' ')).toMatch(index === 191 ? /report tells [\d,]+ differing bytes, now there are/ : /not those of the tile/);
      expect(partings(report, told, tap, { ...answer, fingerprint: 'x' }, other).at(-1)).toBe('The weights are others.');
      expect(partings(report, told, tap, { ...answer, libraryHash: 'x' }, other).at(-1)).toBe('The engine is another build.');
      expect(partings(report, told, tap, answer, other).at(-1)).toMatch(/the machine may compute otherwise/);
    }
  });

  it('goes by the counts of the engine where only a window came', () => {
    const { answer, pair, run: told } = loaded();
    const window = new TensorPair({ ...pair.source, start: 0, a: pair.source.a.slice(0, 380), b: pair.source.b.slice(0, 380) });
    expect(partings(report, told, tap, answer, window)).toEqual([]);
    expect(partings(report, told, tap, { ...answer, differingElements: 1 + answer.differingElements }, window)[0]).toMatch(/differing elements/);
  });
});

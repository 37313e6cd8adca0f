// fp32 tensors and their diff in plain TypeScript, for the reference engine of the tests.
import type { Float, Tensor, TensorDiff } from '../../../src/engine/types';

export class ReferenceTensor implements Tensor {
  readonly dtype = 'f32';
  /** Tensors that were made and not closed. */
  static open = 0;
  private closed = false;

  constructor(
    readonly shape: readonly number[],
    readonly values: Float32Array,
  ) {
    ReferenceTensor.open += 1;
  }

  get nbytes(): number {
    return this.values.byteLength;
  }

  read(offset = 0, length = this.nbytes - offset): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.values.buffer, this.values.byteOffset + offset, length));
  }

  close(): void {
    if (this.closed) throw new Error('closed twice');
    this.closed = true;
    ReferenceTensor.open -= 1;
  }

  rows([from, to]: readonly [number, number] = [0, this.shape[0] ?? 0]): Float32Array {
    if (this.closed) throw new Error('used after close');
    const row = this.values.length / (this.shape[0] ?? 1);
    if (from > to || to > (this.shape[0] ?? 0)) throw new Error(`rows ${from}..${to} of ${this.shape.join()}`);
    return this.values.subarray(from * row, to * row);
  }
}

const bits = (value: number): number => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getInt32(0);
};
const ordinal = (value: number): number => (bits(value) < 0 ? -(bits(value) & 0x7fff_ffff) : bits(value));
const named = (value: number): Float => (Number.isFinite(value) ? value : Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
const hex = (values: Float32Array): string => Buffer.from(new Float32Array(values).buffer).toString('hex');

function byteDistance(a: number, b: number): number {
  const x = bits(a) ^ bits(b);
  return [0xff, 0xff00, 0xff0000, 0xff000000].filter((mask) => (x & mask) !== 0).length;
}

export function diffValues(a: Float32Array, b: Float32Array, tile: number): TensorDiff {
  if (a.length !== b.length) throw new Error(`${a.length} elements against ${b.length}`);
  const pairs = [...a].map((value, i) => ({ a: value, b: b[i] ?? 0, i }));
  const differing = pairs.filter((pair) => bits(pair.a) !== bits(pair.b));
  const [first] = differing;
  const finite = differing.filter((pair) => Number.isFinite(pair.a) && Number.isFinite(pair.b));
  const squares = finite.reduce((sum, pair) => sum + (pair.a - pair.b) ** 2, 0);
  const start = first === undefined ? 0 : Math.max(0, Math.min(first.i - Math.floor(tile / 2), a.length - tile));
  const ulp = (pair: { a: number; b: number }): number => Math.abs(ordinal(pair.a) - ordinal(pair.b));
  return {
    equal: differing.length === 0,
    bytes: a.byteLength,
    differingBytes: differing.reduce((sum, pair) => sum + byteDistance(pair.a, pair.b), 0),
    elements: a.length,
    differingElements: differing.length,
    first:
      first === undefined
        ? null
        : { index: first.i, a: named(first.a), b: named(first.b), aHex: hex(a.subarray(first.i, first.i + 1)), bHex: hex(b.subarray(first.i, first.i + 1)), ulp: ulp(first) },
    maxUlp: Math.max(0, ...differing.map(ulp)),
    maxAbs: Math.max(0, ...finite.map((pair) => Math.abs(pair.a - pair.b))),
    rms: Math.sqrt(squares / Math.max(1, a.length)),
    relL2: Math.sqrt(squares / Math.max(Number.MIN_VALUE, a.reduce((sum, value) => sum + value * value, 0))),
    nonFinite: { a: [...a].filter((value) => !Number.isFinite(value)).length, b: [...b].filter((value) => !Number.isFinite(value)).length },
    tile: tile === 0 || first === undefined ? null : { start, a: hex(a.subarray(start, start + tile)), b: hex(b.subarray(start, start + tile)) },
  };
}

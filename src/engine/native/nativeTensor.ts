// A tensor in the engine's memory; its bytes come over only when read.
import { EngineError } from '../engineError';
import type { Dtype, Tensor } from '../types';
import type { NativeLibrary } from './library';
import { NativeHandle, ownHandle, type HandleGroup } from './nativeHandle';
import type { TensorRef } from './results';

/** Numbers are the dtype codes of moire.h. */
const codes: Record<Dtype, number> = { f32: 1, f16: 2, bf16: 3, f64: 4, u8: 5, i8: 6, u16: 7, i16: 8, u32: 9, i32: 10, u64: 11, i64: 12, bool: 13 };
const sizes: Record<Dtype, number> = { f32: 4, f16: 2, bf16: 2, f64: 8, u8: 1, i8: 1, u16: 2, i16: 2, u32: 4, i32: 4, u64: 8, i64: 8, bool: 1 };

const most = { readBytes: 1 << 30, rank: 8 };
/** Below this a copy on the event loop is quicker than a thread change. */
const quickBytes = 256 << 10;

export class NativeTensor extends NativeHandle implements Tensor {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly nbytes: number;

  constructor(library: NativeLibrary, { handle, dtype, shape }: TensorRef, group?: HandleGroup) {
    super(library, handle, group);
    this.dtype = dtype;
    this.shape = shape;
    this.nbytes = byteLength(dtype, shape);
  }

  /** A tensor from bytes of ours, copied. Throws EngineError E_INVALID if dtype and shape do not describe them. */
  static import(library: NativeLibrary, dtype: Dtype, shape: readonly number[], bytes: Uint8Array): NativeTensor {
    if (shape.length > most.rank) throw new EngineError('E_INVALID', 'shape', `rank ${shape.length} is above ${most.rank}`);
    const desc = library.struct('moire_tensor_desc');
    desc.set('dtype', codes[dtype]);
    desc.set('rank', shape.length);
    desc.set('nbytes', byteLength(dtype, shape));
    shape.forEach((size, i) => desc.set('shape', size, i));
    const out = new BigUint64Array(1);
    library.call('moire_tensor_import', desc.bytes, bytes, bytes.byteLength, out);
    return new NativeTensor(library, { handle: Number(out[0]), dtype, shape: [...shape] });
  }

  /** Bytes [offset, offset + length), to the end by default; at most 1 GiB at once. */
  async read(offset = 0, length = this.nbytes - offset): Promise<Uint8Array> {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0 || offset + length > this.nbytes) {
      throw new EngineError('E_INVALID', 'offset', `bytes ${offset} to ${offset + length} are outside the tensor's ${this.nbytes}`);
    }
    if (length > most.readBytes) throw new EngineError('E_INVALID', 'length', `${length} bytes; read at most ${most.readBytes} at once`);
    const bytes = new Uint8Array(length);
    const written = new BigUint64Array(1);
    if (length <= quickBytes) this.library.call('moire_tensor_read', this.handle, offset, bytes, length, written);
    else await this.library.callAsync('moire_tensor_read', this.handle, offset, bytes, length, written);
    if (Number(written[0]) !== length) throw new EngineError('E_INTERNAL', 'moire_tensor_read', `${String(written[0])} bytes came instead of ${length}`);
    return bytes;
  }
}

/** The handle of a tensor that a request names. Throws EngineError E_INVALID if it is not of this library. */
export function handleOf(library: NativeLibrary, tensor: Tensor, where: string): number {
  return ownHandle(library, tensor, NativeTensor, where, 'A tensor of another engine cannot be used here. Read its bytes and import them first.');
}

function byteLength(dtype: Dtype, shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, sizes[dtype]);
}

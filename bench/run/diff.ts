// The native diff of two equal tensors, against the bytes that have to be read for it.
import type { NativeEngine } from '../../src/engine/native/nativeEngine';
import { randomWords } from '../models/numbers';
import { timed } from './turn';

export interface DiffTimes {
  /** Of both tensors together. */
  readonly bytes: number;
  readonly ms: number[];
}

const tensorBytes = 256 << 20;
const rows = 1024;

/** bf16 numbers from -2 to 2, none of them special. */
function contents(): Uint8Array {
  const next = randomWords('diff');
  const words = new Uint32Array(tensorBytes / 4);
  for (let i = 0; i < words.length; i += 1) words[i] = next() & 0xbfff_bfff;
  return new Uint8Array(words.buffer);
}

export async function diffSpeed(engine: NativeEngine, rounds: number): Promise<DiffTimes> {
  const bytes = contents();
  const shape = [rows, tensorBytes / 2 / rows];
  const [a, b] = [engine.import('bf16', shape, bytes), engine.import('bf16', shape, bytes)];
  const ms: number[] = [];
  try {
    for (let i = 0; i < rounds; i += 1) {
      ms.push(await timed(async () => {
        const [found] = await engine.diff([{ a, b }]);
        if (found?.equal !== true) throw new Error('two equal tensors were found to differ');
      }));
    }
  } finally {
    a.close();
    b.close();
  }
  return { bytes: 2 * tensorBytes, ms };
}

// The Engine interface over a library that implements moire.h, the built-in one by default.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Call, DiffPair, Dtype, Engine, EngineInfo, FileTensor, ModelInfo, TensorDiff, TensorEntry } from '../types';
import { readBuildInfo } from './buildInfo';
import { runJob } from './jobs';
import { NativeLibrary } from './library';
import { locateLibrary } from './locate';
import { NativeModel } from './nativeModel';
import { handleOf, NativeTensor } from './nativeTensor';
import { plainDiff } from './plainDiff';
import { BriefDiffs, Inspected, Loaded, Measured, SelfTested, TensorFile } from './results';

export class NativeEngine implements Engine {
  private constructor(
    readonly library: NativeLibrary,
    private readonly facts: EngineInfo,
  ) {}

  /** Load the library at `path`, "" for the one that ships with Moire. Throws EngineError with what to do. */
  static async load(path = ''): Promise<NativeEngine> {
    const located = locateLibrary(path);
    const libraryHash = await sha256(located);
    const library = NativeLibrary.load(located);
    const { abiVersion } = library;
    const abi = `${abiVersion >>> 16}.${abiVersion & 0xffff}`;
    const { engine, version, git, compiler, target, cpu, kernels, architectures } = readBuildInfo(library);
    return new NativeEngine(library, { engine, version, abi, library: located, libraryHash, git, compiler, target, cpu, kernels, architectures });
  }

  info(): EngineInfo {
    return this.facts;
  }

  inspect(path: string, call?: Call): Promise<{ model: ModelInfo; tensors: TensorEntry[] }> {
    return runJob(this.library, 0, { kind: 'inspect', path }, Inspected, call);
  }

  async load(path: string, { scan, ...call }: { scan?: boolean } & Call = {}): Promise<NativeModel> {
    const { handle, model } = await runJob(this.library, 0, { kind: 'load', path, scan }, Loaded, call);
    return new NativeModel(this.library, handle, model);
  }

  async tensors(path: string, call?: Call): Promise<{ metadata: Readonly<Record<string, string>>; tensors: FileTensor[] }> {
    const { metadata, tensors } = await runJob(this.library, 0, { kind: 'tensors', path }, TensorFile, call);
    return { metadata, tensors: tensors.map(({ name, stored, ...ref }) => ({ name, tensor: new NativeTensor(this.library, ref), ...(stored === undefined ? {} : { stored }) })) };
  }

  /** A tensor from bytes of ours, copied: little-endian, row-major. */
  import(dtype: Dtype, shape: readonly number[], bytes: Uint8Array): NativeTensor {
    return NativeTensor.import(this.library, dtype, shape, bytes);
  }

  async diff(pairs: readonly DiffPair[], { tile, rows = false, ...call }: { tile?: number; rows?: boolean } & Call = {}): Promise<TensorDiff[]> {
    const handles = pairs.map(({ a, b, aRows, bRows }) => ({ a: handleOf(this.library, a, 'pairs'), b: handleOf(this.library, b, 'pairs'), aRows, bRows }));
    const told = await runJob(this.library, 0, { kind: 'diff', tile, rows, brief: true, pairs: handles }, BriefDiffs, call);
    const diffs = pairs.map((pair) => plainDiff(pair, rows));
    for (const { index, ...diff } of told.pairs) diffs[index] = diff;
    return diffs;
  }

  selfTest(
    what: 'kernels' | 'panic' | 'spin',
    { ms, ...call }: { ms?: number } & Call = {},
  ): Promise<{ passed: boolean; checks: { name: string; ok: boolean; detail: string }[] }> {
    return runJob(this.library, 0, { kind: 'selfTest', what, ms }, SelfTested, call);
  }

  /** What the machine can do at best on so many threads: bytes read from memory, or multiply-adds, per second, one number a round. */
  measure(what: 'read' | 'int16' | 'fp32', threads: number, { rounds, isa, ...call }: { rounds?: number; isa?: string } & Call = {}): Promise<Measured> {
    return runJob(this.library, 0, { kind: 'measure', what, threads, rounds, isa }, Measured, call);
  }

  /** The library stays loaded for the life of the process; models and sessions close by themselves. */
  close(): void {
    // Nothing is held but what its owners close.
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}

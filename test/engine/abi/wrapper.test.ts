// What the TypeScript side checks before native code sees it, and which libraries it refuses.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import { NativeLibrary } from '../../../src/engine/native/library';
import { locateLibrary } from '../../../src/engine/native/locate';
import type { NativeArgument } from '../../../src/engine/native/arguments';
import { failure, library, rejection } from './support';

describe('argument checks', () => {
  const err = (): Uint8Array => library.struct('moire_error').bytes;
  const as = (value: unknown): NativeArgument => value as NativeArgument;
  const out = new BigUint64Array(1);

  it.each<[string, string, NativeArgument[], RegExp]>([
    ['a Float32Array for bytes', 'moire_tensor_read', [1, 0, as(new Float32Array(8)), 8, out, err()], /dst takes a Uint8Array, not Float32Array/],
    ['a DataView for bytes', 'moire_job_start', [0, as(new DataView(new ArrayBuffer(8))), 8, out, err()], /json takes a Uint8Array, not DataView/],
    ['a text for bytes', 'moire_job_start', [0, as('{}'), 2, out, err()], /json takes a Uint8Array, not string/],
    ['a Uint32Array for a handle', 'moire_job_start', [0, new Uint8Array(2), 2, as(new Uint32Array(2)), err()], /job takes a BigUint64Array, not Uint32Array/],
    ['an empty output', 'moire_job_start', [0, new Uint8Array(2), 2, new BigUint64Array(0), err()], /job takes a BigUint64Array/],
    ['a length beyond the buffer', 'moire_job_result', [1, new Uint8Array(4), 5, out, err()], /cap is 5, but the buffer has 4 bytes/],
    ['a handle below 0', 'moire_job_cancel', [-1, err()], /job is -1/],
    ['a handle beyond 2^53', 'moire_job_cancel', [2 ** 53, err()], /job is 9007199254740992/],
    ['a fraction', 'moire_job_cancel', [1.5, err()], /job is 1.5/],
    ['NaN', 'moire_job_cancel', [NaN, err()], /job is NaN/],
    ['a BigInt', 'moire_job_cancel', [as(1n), err()], /job takes a number, not bigint/],
    ['a timeout beyond 32 bits', 'moire_job_wait', [1, 2 ** 32, err()], /timeout_ms is 4294967296/],
    ['a struct shorter than it says', 'moire_job_poll', [1, new Uint8Array([64, 0, 0, 0, 0]), err()], /progress says struct_size 64 in 5 bytes/],
    ['a struct without its size', 'moire_job_poll', [1, new Uint8Array(3), err()], /progress has 3 bytes/],
    ['an Int32Array for a struct', 'moire_job_poll', [1, as(new Int32Array(16)), err()], /progress takes the bytes of a struct, not Int32Array/],
    ['too few arguments', 'moire_job_cancel', [1], /takes 2 arguments, not 1/],
  ])('refuse %s', (_, name, values, message) => {
    expect(() => library.raw(name, ...values)).toThrow(message);
  });

  it('hold in asynchronous calls too', async () => {
    await expect(library.callAsync('moire_job_wait', 1, -5)).rejects.toThrow(/timeout_ms is -5/);
    await expect(library.callAsync('moire_boil')).rejects.toThrow(/no function moire_boil/);
  });
});

describe('loading a library', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'moire-abi-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const compile = (name: string, source: string): string => {
    const file = path.join(folder, `${name}.so`);
    execFileSync('cc', ['-shared', '-fPIC', '-x', 'c', '-', '-o', file], { input: source });
    return file;
  };

  it.each([
    ['0x00020000u', '2.0'],
    ['0x00000005u', '0.5'],
  ])('refuses ABI %s in a sentence with both numbers and the path', (version, spelled) => {
    const file = compile(`abi-${spelled}`, `unsigned moire_abi_version(void) { return ${version}; }`);
    const error = failure(() => NativeLibrary.load(file));
    expect([error.status, error.where]).toEqual(['E_VERSION', file]);
    for (const part of [spelled, '1.3', file]) expect(error.message).toContain(part);
  });

  it('accepts a newer minor, then misses what it lacks', () => {
    const file = compile('minor', 'unsigned moire_abi_version(void) { return 0x00010007u; }');
    const error = failure(() => NativeLibrary.load(file));
    expect([error.status, error.where]).toEqual(['E_UNSUPPORTED', file]);
    expect(error.message).toContain('moire_status_name');
  });

  it('refuses a library of something else, a file that is none, and a path that is not there', async () => {
    const other = compile('other', 'int other(void) { return 0; }');
    expect(failure(() => NativeLibrary.load(other)).message).toContain('no Moire engine');
    const text = path.join(folder, 'text.so');
    writeFileSync(text, 'not a library');
    expect(failure(() => NativeLibrary.load(text)).status).toBe('E_UNSUPPORTED');
    const missing = await rejection(NativeEngine.load(path.join(folder, 'missing.so')));
    expect([missing.status, missing.where]).toEqual(['E_IO', path.join(folder, 'missing.so')]);
    expect(missing.message).toContain('moire.engine.library');
  });

  it('loads one library twice', () => {
    const second = NativeLibrary.load(locateLibrary());
    expect(second.abiVersion).toBe(library.abiVersion);
    expect(second.raw('moire_status_name', -13)).toBe('E_STATE');
  });

  it('refuses an engine whose results are not what the header says', async () => {
    const functions = [...library.header.functions.values()].filter(({ name }) => !['moire_abi_version', 'moire_build_info'].includes(name));
    const source = `#include "moire.h"\n#include <string.h>
      uint32_t moire_abi_version(void) { return MOIRE_ABI_VERSION; }
      int32_t moire_build_info(uint8_t *buf, uint64_t cap, uint64_t *need, moire_error *err) { (void)cap; (void)err; *need = 14; memcpy(buf, "{\\"engine\\":\\"x\\"}", 14); return 0; }
      ${functions.map(({ prototype }) => prototype.replaceAll('_Out_ ', '').replace(/const void \*desc/, 'const moire_tensor_desc *desc').replace('void *desc', 'moire_tensor_desc *desc').replace('void *progress', 'moire_progress *progress').replace('void *err', 'moire_error *err')).map((p) => `${p} { return 0; }`).join('\n')}`;
    const file = path.join(folder, 'liar.so');
    execFileSync('cc', ['-shared', '-fPIC', '-Inative/include', '-x', 'c', '-', '-o', file], { input: source });
    const error = await rejection(NativeEngine.load(file));
    expect([error.status, error.where]).toEqual(['E_INTERNAL', file]);
    expect(error.message).toContain('moire_build_info');
  });
});

// The real library, and what the ABI suites do with it below the Engine interface.
import path from 'node:path';
import { expect } from 'vitest';
import { EngineError, type EngineStatus } from '../../../src/engine/engineError';
import { NativeLibrary } from '../../../src/engine/native/library';
import { locateLibrary } from '../../../src/engine/native/locate';

export const root = path.resolve(import.meta.dirname, '../../..');
export const sampleModel = path.join(root, 'samples/target-4bit');
export const smallModel = path.join(root, 'test/fixtures/goldens/models/qwen35-tiny-4bit');

export const library = NativeLibrary.load(locateLibrary());

const out = new BigUint64Array(1);
export const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** The number of a status by its name. */
export function code(name: string): number {
  const found = [...library.header.statuses].find(([, n]) => n === name);
  if (!found) throw new Error(`no status ${name}`);
  return found[0];
}

export function start(target: number, fields: Record<string, unknown>): number {
  return startBytes(target, encode({ schemaVersion: 1, ...fields }));
}

export function startBytes(target: number, json: Uint8Array): number {
  library.call('moire_job_start', target, json, json.byteLength, out);
  return Number(out[0]);
}

export function wait(job: number, ms = 20_000): void {
  library.call('moire_job_wait', job, ms);
}

const buffer = new Uint8Array(8 << 20);

export function readResult(job: number): Record<string, unknown> {
  library.call('moire_job_result', job, buffer, buffer.byteLength, out);
  return JSON.parse(new TextDecoder().decode(buffer.subarray(0, Number(out[0])))) as Record<string, unknown>;
}

export const freeJob = (job: number): void => library.call('moire_job_free', job);
export const freeHandle = (handle: number): void => library.call('moire_handle_free', handle);

/** Start, wait, read, free. */
export function run(target: number, fields: Record<string, unknown>): Record<string, unknown> {
  const job = start(target, fields);
  try {
    wait(job);
    return readResult(job);
  } finally {
    freeJob(job);
  }
}

export const handleIn = (result: Record<string, unknown>): number => Number(result['handle']);
export const loadModel = (folder = smallModel): number => handleIn(run(0, { kind: 'load', path: folder }));
export const smallDrafter = path.join(root, 'test/fixtures/goldens/drafters/dflash-tiny-full');
export const loadDrafter = (model: number, folder = smallDrafter): number => handleIn(run(model, { kind: 'loadDrafter', path: folder }));
export const openDraft = (drafter: number, switches: Record<string, unknown> = {}): number => handleIn(run(drafter, { kind: 'openDraft', switches }));
export const openSession = (model: number, switches: Record<string, unknown> = {}): number => handleIn(run(model, { kind: 'open', switches }));

function importAs(dtype: number, shape: readonly number[], bytes: Uint8Array): number {
  const desc = library.struct('moire_tensor_desc');
  desc.set('dtype', dtype);
  desc.set('rank', shape.length);
  desc.set('nbytes', bytes.byteLength);
  shape.forEach((extent, i) => desc.set('shape', extent, i));
  library.call('moire_tensor_import', desc.bytes, bytes, bytes.byteLength, out);
  return Number(out[0]);
}

export const importBytes = (bytes: Uint8Array): number => importAs(5, [bytes.byteLength], bytes);
export const importFloats = (shape: readonly number[], values: readonly number[]): number => importAs(1, shape, new Uint8Array(Float32Array.from(values).buffer));

/** Progress of a job by poll, whatever its outcome. */
export function poll(job: number): { state: number; done: number; total: number; stage: string; status: number } {
  const struct = library.struct('moire_progress');
  const status = Number(library.raw('moire_job_poll', job, struct.bytes, null));
  return { state: struct.number('state'), done: struct.number('done'), total: struct.number('total'), stage: struct.text('stage'), status };
}

/** The EngineError that `body` throws. */
export function failure(body: () => unknown): EngineError {
  try {
    body();
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  }
  throw new Error('nothing was thrown');
}

export async function rejection(promise: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await promise.then(
    () => new Error('nothing was thrown'),
    (e: unknown) => e,
  );
  expect(error).toBeInstanceOf(EngineError);
  return error as EngineError;
}

export function expectStatus(body: () => unknown, status: EngineStatus, where?: string): void {
  const error = failure(body);
  expect(error.status, error.message).toBe(status);
  expect(error.message).not.toBe('');
  if (where !== undefined) expect(error.where).toBe(where);
}

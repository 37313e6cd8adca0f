// Runs one job to its end without holding the event loop: start, wait, progress, cancel by AbortSignal, result, free.
import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { EngineError } from '../engineError';
import type { Call, Progress } from '../types';
import type { NativeLibrary } from './library';

const schemaVersion = 1;
/** Progress at 20 Hz. */
const waitMs = 50;
/** Waits of ours that may hold a thread of libuv's pool (it has four, and files and name look-ups need them too). Other jobs are polled by timer. */
const mostWaits = 2;
/** A result document beyond this is refused. */
const mostResultBytes = 512 << 20;

let waits = 0;
const out = new BigUint64Array(1);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
let buffer = new Uint8Array(64 << 10);

export interface Request {
  readonly kind: string;
  readonly [field: string]: unknown;
}

/**
 * Run a job on `target` (0 for none) and give its result, checked by `schema`.
 * Throws EngineError: the job's own, or E_CANCELLED once `signal` is aborted.
 */
export async function runJob<T extends z.ZodType>(library: NativeLibrary, target: number, request: Request, schema: T, call: Call = {}): Promise<z.infer<T>> {
  if (call.signal?.aborted) throw EngineError.cancelled();
  const json = encoder.encode(JSON.stringify({ ...request, schemaVersion }));
  library.call('moire_job_start', target, json, json.byteLength, out);
  const job = Number(out[0]);
  const cancel = (): void => void library.raw('moire_job_cancel', job, null);
  call.signal?.addEventListener('abort', cancel, { once: true });
  try {
    await ended(library, job, call.onProgress);
    return check(library, schema, request.kind, readResult(library, job));
  } finally {
    call.signal?.removeEventListener('abort', cancel);
    library.raw('moire_job_free', job, null);
  }
}

async function ended(library: NativeLibrary, job: number, onProgress: Call['onProgress']): Promise<void> {
  const report = onProgress && reporter(library, job, onProgress);
  while (!(await hasEnded(library, job))) report?.();
}

/** Waits up to 50 ms. Throws the job's own error if it failed. */
async function hasEnded(library: NativeLibrary, job: number): Promise<boolean> {
  const blocking = waits < mostWaits;
  try {
    if (!blocking) {
      await sleep(2);
      library.call('moire_job_wait', job, 0);
      return true;
    }
    waits += 1;
    await library.callAsync('moire_job_wait', job, waitMs);
    return true;
  } catch (error) {
    if (error instanceof EngineError && error.status === 'E_TIMEOUT') return false;
    throw error;
  } finally {
    if (blocking) waits -= 1;
  }
}

/** Hands on the progress when it has changed, at most every 50 ms. */
function reporter(library: NativeLibrary, job: number, onProgress: (progress: Progress) => void): () => void {
  const struct = library.struct('moire_progress');
  let last = '';
  let next = 0;
  return () => {
    if (performance.now() < next) return;
    next = performance.now() + waitMs;
    library.raw('moire_job_poll', job, struct.bytes, null);
    const progress = { stage: struct.text('stage'), done: struct.number('done'), total: struct.number('total') };
    const text = JSON.stringify(progress);
    if (text === last) return;
    last = text;
    onProgress(progress);
  };
}

function readResult(library: NativeLibrary, job: number): string {
  for (;;) {
    try {
      library.call('moire_job_result', job, buffer, buffer.byteLength, out);
      return decoder.decode(buffer.subarray(0, Number(out[0])));
    } catch (error) {
      if (!(error instanceof EngineError) || error.status !== 'E_BUFFER') throw error;
      grow(Number(out[0]));
    }
  }
}

function grow(need: number): void {
  if (need > mostResultBytes || need <= buffer.byteLength) {
    throw new EngineError('E_INTERNAL', 'moire_job_result', `The engine asks for a buffer of ${need} bytes; at most ${mostResultBytes} are given. Record fewer taps.`);
  }
  buffer = new Uint8Array(Math.max(need, 2 * buffer.byteLength));
}

/** A library of somebody else may send anything. */
function check<T extends z.ZodType>(library: NativeLibrary, schema: T, kind: string, text: string): z.infer<T> {
  const parsed = schema.safeParse(JSON.parse(text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new EngineError('E_INTERNAL', library.path, `The engine's result of "${kind}" is not what moire.h says: /${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}`);
}

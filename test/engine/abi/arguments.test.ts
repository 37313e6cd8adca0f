// Every function with null, short, stale, doubly freed and wrong-kind arguments. Driven by the parsed header: a new function without a case fails here.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeArgument } from '../../../src/engine/native/arguments';
import type { FunctionDeclaration, Parameter } from '../../../src/engine/native/header';
import { code, encode, freeHandle, freeJob, importBytes, library, loadDrafter, loadModel, openDraft, openSession, start, wait } from './support';

type Kind = 'job' | 'model' | 'session' | 'drafter' | 'draft' | 'tensor';
type Handles = Record<Kind, number>;

const request = encode({ kind: 'selfTest', schemaVersion: 1, what: 'kernels' });
const desc = (): Uint8Array => {
  const struct = library.struct('moire_tensor_desc');
  struct.set('dtype', 5);
  struct.set('rank', 1);
  struct.set('nbytes', 3);
  struct.set('shape', 3);
  return struct.bytes;
};
const err = (): Uint8Array => library.struct('moire_error').bytes;
const progress = (): Uint8Array => library.struct('moire_progress').bytes;
const out = (): BigUint64Array => new BigUint64Array(1);
const bytes = (n = 1 << 16): Uint8Array => new Uint8Array(n);

interface Case {
  /** Arguments of a call that succeeds. */
  readonly good: (handles: Handles) => NativeArgument[];
  /** Kinds that its handle may have. Anything else is E_HANDLE. */
  readonly handle?: readonly Kind[];
  /** Pointers that may be NULL though others may not. */
  readonly optional?: readonly string[];
  /** Frees what a good call made or took. */
  readonly undo?: (args: readonly NativeArgument[]) => void;
  /** A good call ends the handle. */
  readonly consumes?: boolean;
}

const freeOut = (i: number, free: (handle: number) => void) => (args: readonly NativeArgument[]) => free(Number((args[i] as BigUint64Array)[0]));

const cases: Record<string, Case> = {
  moire_abi_version: { good: () => [] },
  moire_status_name: { good: () => [-3] },
  moire_build_info: { good: () => [bytes(), 1 << 16, out(), err()] },
  moire_job_start: { good: () => [0, request, request.byteLength, out(), err()], undo: freeOut(3, freeJob) },
  moire_job_poll: { good: ({ job }) => [job, progress(), err()], handle: ['job'], optional: ['progress'] },
  moire_job_wait: { good: ({ job }) => [job, 1000, err()], handle: ['job'] },
  moire_job_cancel: { good: ({ job }) => [job, err()], handle: ['job'] },
  moire_job_result: { good: ({ job }) => [job, bytes(), 1 << 16, out(), err()], handle: ['job'] },
  moire_job_free: { good: ({ job }) => [job, err()], handle: ['job'], consumes: true },
  moire_tensor_info: { good: ({ tensor }) => [tensor, desc(), err()], handle: ['tensor'] },
  moire_tensor_read: { good: ({ tensor }) => [tensor, 0, bytes(), 1 << 16, out(), err()], handle: ['tensor'] },
  moire_tensor_import: { good: () => [desc(), bytes(3), 3, out(), err()], undo: freeOut(3, freeHandle) },
  moire_handle_free: { good: ({ tensor }) => [tensor, err()], handle: ['model', 'session', 'drafter', 'draft', 'tensor'], consumes: true },
};

let handles: Handles;
let stale: Handles;

function makeJob(): number {
  const job = start(0, { kind: 'selfTest', what: 'kernels' });
  wait(job);
  return job;
}

function makeHandles(): Handles {
  const model = loadModel();
  const drafter = loadDrafter(model);
  return { job: makeJob(), model, session: openSession(model), drafter, draft: openDraft(drafter), tensor: importBytes(new Uint8Array([1, 2, 3])) };
}

function freeAll({ job, ...others }: Handles): void {
  freeJob(job);
  for (const handle of Object.values(others)) freeHandle(handle);
}

beforeAll(() => {
  handles = makeHandles();
  stale = makeHandles();
  freeAll(stale);
});
afterAll(() => freeAll(handles));

const functions = [...library.header.functions.values()];
const caseOf = ({ name }: FunctionDeclaration): Case => cases[name]!;
const call = ({ name }: FunctionDeclaration, args: readonly NativeArgument[]): number => Number(library.raw(name, ...args));
const indexOf = (f: FunctionDeclaration, test: (p: Parameter) => boolean): number => f.parameters.findIndex(test);
const fallible = functions.filter((f) => indexOf(f, (p) => p.name === 'err') >= 0);
const withHandle = fallible.filter((f) => caseOf(f).handle);

function messageOf(args: readonly NativeArgument[]): string {
  const text = new TextDecoder().decode((args.at(-1) as Uint8Array).subarray(128));
  return text.slice(0, text.indexOf('\0'));
}

/** A call with one argument replaced; a consumed handle is made anew, what was made is freed. */
function callWith(f: FunctionDeclaration, index: number, value: NativeArgument): { status: number; args: NativeArgument[] } {
  const { good, undo, consumes } = caseOf(f);
  const own = consumes ? { ...handles, job: makeJob(), tensor: importBytes(new Uint8Array(3)) } : handles;
  const args = good(own);
  if (index >= 0) args[index] = value;
  const status = call(f, args);
  if (status === 0) undo?.(args);
  if (consumes) {
    for (const [name, handle] of [['moire_job_free', own.job], ['moire_handle_free', own.tensor]] as const) library.raw(name, handle, null);
  }
  return { status, args };
}

it('has a case for every function of the header', () => {
  expect(Object.keys(cases).sort()).toEqual([...library.header.functions.keys()].sort());
});

describe.each(fallible)('$name', (f) => {
  it('succeeds with good arguments and clears the error', () => {
    const dirty = err();
    dirty.fill(0x41, 4);
    const { status, args } = callWith(f, f.parameters.length - 1, dirty);
    expect(status, messageOf(args)).toBe(0);
    expect([...dirty.subarray(4, 9)]).toEqual([0, 0, 0, 0, 0]);
    expect(dirty[128]).toBe(0);
  });

  it('takes a NULL error', () => {
    expect(callWith(f, f.parameters.length - 1, null).status).toBe(0);
  });

  it('fills as much of a short error as there is', () => {
    const last = f.parameters.length - 1;
    const first = caseOf(f).handle ? 0 : indexOf(f, (p) => p.kind === 'struct' || p.kind === 'u64Out');
    const wrong = f.parameters[first]!.kind === 'u64' ? 987_654_321 : null;
    for (const size of [0, 4, 7, 8, 9, 12, 127, 128, 129, 511, 512]) {
      const buffer = new Uint8Array(600).fill(0x5a);
      new DataView(buffer.buffer).setUint32(0, size, true);
      const args = caseOf(f).good(handles);
      args[first] = wrong;
      args[last] = buffer;
      expect(call(f, args)).toBeLessThan(0);
      expect(buffer.subarray(Math.max(size, 4)).every((b) => b === 0x5a), `struct_size ${size}`).toBe(true);
      if (size >= 8) expect(new DataView(buffer.buffer).getInt32(4, true)).toBeLessThan(0);
      for (const [from, to] of [[8, 128], [128, 512]] as const) {
        if (size > from) expect(buffer.subarray(from, Math.min(size, to))).toContain(0);
      }
    }
  });

  it('refuses NULL pointers with E_INVALID and the name of the parameter', () => {
    for (const [i, parameter] of f.parameters.entries()) {
      const isPointer = !['u64', 'u32', 'i32'].includes(parameter.kind);
      if (!isPointer || parameter.name === 'err') continue;
      const { status, args } = callWith(f, i, null);
      const wanted = caseOf(f).optional?.includes(parameter.name) ? 0 : code('E_INVALID');
      expect(status, parameter.name).toBe(wanted);
      if (wanted !== 0) expect(messageOf(args)).toContain(parameter.name);
    }
  });

  it('refuses structs too small for what they must hold with E_VERSION', () => {
    for (const [i, parameter] of f.parameters.entries()) {
      if (parameter.kind !== 'struct' || parameter.name === 'err') continue;
      for (const size of [0, 4, 7]) {
        const buffer = new Uint8Array(96);
        new DataView(buffer.buffer).setUint32(0, size, true);
        expect(callWith(f, i, buffer).status, `${parameter.name} ${size}`).toBe(code('E_VERSION'));
        expect(buffer.subarray(4).every((b) => b === 0)).toBe(true);
      }
    }
  });

  it('reports the size of a document that does not fit, and writes nothing of it', () => {
    const cap = indexOf(f, (p) => p.name === 'cap');
    const need = indexOf(f, (p) => p.name === 'need');
    if (cap < 0 || need < 0) return;
    const args = caseOf(f).good(handles);
    (args[cap - 1] as Uint8Array).fill(0x5a);
    args[cap] = 1;
    expect(call(f, args)).toBe(code('E_BUFFER'));
    expect(Number((args[need] as BigUint64Array)[0])).toBeGreaterThan(1);
    expect((args[cap - 1] as Uint8Array)[0]).toBe(0x5a);
    args[cap] = Number((args[need] as BigUint64Array)[0]);
    expect(call(f, args)).toBe(0);
  });

  it('works in buffers of any alignment', () => {
    const args = caseOf(f).good(handles).map((value) => {
      if (!(value instanceof Uint8Array)) return value;
      const shifted = new Uint8Array(value.byteLength + 1).subarray(1);
      shifted.set(value);
      return shifted;
    });
    if (caseOf(f).consumes) args[0] = f.name === 'moire_job_free' ? makeJob() : importBytes(new Uint8Array(3));
    expect(call(f, args), messageOf(args)).toBe(0);
    caseOf(f).undo?.(args);
  });
});

describe.each(withHandle)('$name with handles it may not take', (f) => {
  const refuses = (handle: number): void => {
    const args = caseOf(f).good(handles);
    args[0] = handle;
    expect(call(f, args), String(handle)).toBe(code('E_HANDLE'));
    expect(messageOf(args)).toContain(String(handle));
  };

  it('refuses 0, numbers never given out, and freed ones', () => {
    for (const handle of [0, 987_654_321, Number.MAX_SAFE_INTEGER, ...Object.values(stale)]) refuses(handle);
  });

  it('refuses handles of another kind and leaves them alive', () => {
    for (const [kind, handle] of Object.entries(handles) as [Kind, number][]) if (!caseOf(f).handle!.includes(kind)) refuses(handle);
    expect(library.raw('moire_job_poll', handles.job, null, null)).toBe(0);
    expect(library.raw('moire_tensor_info', handles.tensor, desc(), null)).toBe(0);
  });

  it('frees once', () => {
    if (!caseOf(f).consumes) return;
    for (const kind of caseOf(f).handle!) {
      const own = makeHandles();
      expect(call(f, [own[kind], err()])).toBe(0);
      expect(call(f, [own[kind], err()])).toBe(code('E_HANDLE'));
      for (const [other, handle] of Object.entries(own)) library.raw(other === 'job' ? 'moire_job_free' : 'moire_handle_free', handle, null);
    }
  });
});

describe('targets of jobs', () => {
  const kinds: [string, Record<string, unknown>, Kind | 'none'][] = [
    ['inspect', { path: 'x' }, 'none'],
    ['load', { path: 'x' }, 'none'],
    ['tensors', { path: 'x' }, 'none'],
    ['diff', { pairs: [] }, 'none'],
    ['selfTest', { what: 'kernels' }, 'none'],
    ['open', {}, 'model'],
    ['tokenize', { text: 'x' }, 'model'],
    ['detokenize', { ids: [] }, 'model'],
    ['chat', { messages: [] }, 'model'],
    ['prefill', { ids: [1] }, 'session'],
    ['decode', { ids: [1] }, 'session'],
    ['verify', { ids: [1] }, 'session'],
    ['rewind', { keptRows: [1] }, 'session'],
    ['fork', {}, 'session'],
    ['join', { sessions: [1] }, 'session'],
    ['state', {}, 'session'],
    ['loadDrafter', { path: 'x' }, 'model'],
    ['openDraft', {}, 'drafter'],
    ['observe', { features: [], rows: [], next: [] }, 'draft'],
    ['propose', { width: 2 }, 'draft'],
    ['forkDraft', {}, 'draft'],
    ['joinDraft', { drafts: [1] }, 'draft'],
  ];

  it.each(kinds)('%s is refused on any other kind', (kind, fields, target) => {
    const json = encode({ kind, schemaVersion: 1, ...fields });
    const status = (handle: number): number => Number(library.raw('moire_job_start', handle, json, json.byteLength, out(), null));
    for (const [other, handle] of Object.entries(handles) as [Kind, number][]) {
      if (other !== target) expect(status(handle), other).toBe(code(target === 'none' ? 'E_INVALID' : 'E_HANDLE'));
    }
    if (target !== 'none') for (const handle of [0, stale[target], 987_654_321]) expect(status(handle)).toBe(code('E_HANDLE'));
  });

  it('names the session of a join that is none', () => {
    for (const [kind, field, own, other] of [['join', 'sessions', 'session', 'draft'], ['joinDraft', 'drafts', 'draft', 'session']] as const) {
      for (const wrong of [0, stale[own], handles[other], 987_654_321]) {
        const json = encode({ kind, schemaVersion: 1, [field]: [handles[own], wrong] });
        const error = library.struct('moire_error');
        expect(library.raw('moire_job_start', handles[own], json, json.byteLength, out(), error.bytes)).toBe(code('E_HANDLE'));
        expect(error.text('where')).toBe(`/${field}/1`);
      }
    }
  });

  it('names the pair whose tensor is not one', () => {
    const { tensor, job } = handles;
    for (const [b, where] of [[stale.tensor, '/pairs/1/b'], [job, '/pairs/1/b']] as const) {
      const json = encode({ kind: 'diff', schemaVersion: 1, pairs: [{ a: tensor, b: tensor }, { a: tensor, b }] });
      const error = library.struct('moire_error');
      expect(library.raw('moire_job_start', 0, json, json.byteLength, out(), error.bytes)).toBe(code('E_HANDLE'));
      expect(error.text('where')).toBe(where);
    }
  });
});

import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { encode, expectStatus, freeHandle, library, loadDrafter, loadModel, openDraft, openSession, rejection, root, sampleModel, start, startBytes } from './support';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';

const model = loadModel(sampleModel);
const session = openSession(model);
const drafter = loadDrafter(model, path.join(root, 'samples/drafter'));
const draft = openDraft(drafter);
afterAll(() => [draft, drafter, session, model].forEach(freeHandle));

const wrong: [string, number, Record<string, unknown>, string][] = [
  ['an unknown kind', 0, { kind: 'boil' }, '/kind'],
  ['no kind', 0, {}, '/kind'],
  ['an unknown field', 0, { kind: 'load', path: 'x', scam: true }, '/scam'],
  ['a field that needs escaping', 0, { kind: 'load', path: 'x', 'a/b~': 1 }, '/a~1b~0'],
  ['a wrong type', 0, { kind: 'load', path: 3 }, '/path'],
  ['an empty path', 0, { kind: 'inspect', path: '' }, '/path'],
  ['a NUL in a path', 0, { kind: 'tensors', path: 'a\0b' }, '/path'],
  ['a batch of 0', model, { kind: 'open', batch: 0 }, '/batch'],
  ['a huge batch', model, { kind: 'open', batch: 2 ** 52 }, '/batch'],
  ['an id below 0', session, { kind: 'prefill', ids: [1, -1] }, '/ids/1'],
  ['an id of 2^53', session, { kind: 'verify', ids: [[1], [2 ** 53]] }, '/ids/1/0'],
  ['an id that is no integer', session, { kind: 'decode', ids: [0.5] }, '/ids/0'],
  ['ids and rows mixed', session, { kind: 'verify', ids: [1, [2]] }, '/ids'],
  ['a tap that is no text', session, { kind: 'prefill', ids: [1], taps: ['*', {}] }, '/taps/1'],
  ['too many taps', session, { kind: 'prefill', ids: [1], taps: Array(5000).fill('q_rope') }, '/taps'],
  ['an unknown choice of logits', session, { kind: 'prefill', ids: [1], logits: 'first' }, '/logits'],
  ['too many candidates', session, { kind: 'prefill', ids: [1], top: 5000 }, '/top'],
  ['kept rows below 0', session, { kind: 'rewind', keptRows: [-1] }, '/keptRows/0'],
  ['a batch row of a fork below 0', session, { kind: 'fork', rows: [0, -1] }, '/rows/1'],
  ['a fork of no rows', session, { kind: 'fork', rows: [] }, '/rows'],
  ['a join with nothing', session, { kind: 'join', sessions: [] }, '/sessions'],
  ['a join without its list', session, { kind: 'join' }, ''],
  ['a join with too many', session, { kind: 'join', sessions: Array(257).fill(session) }, '/sessions'],
  ['a handle of a join that is none', session, { kind: 'join', sessions: [session, 'x'] }, '/sessions/1'],
  ['a layer that is no number', session, { kind: 'state', layer: 'first' }, '/layer'],
  ['a drafter without a path', model, { kind: 'loadDrafter' }, ''],
  ['a batch of drafts too large', drafter, { kind: 'openDraft', batch: 257 }, '/batch'],
  ['features that are no handles', draft, { kind: 'observe', features: ['1'], rows: [], next: [] }, '/features/0'],
  ['half a range of features', draft, { kind: 'observe', features: [], rows: [[0]], next: [] }, '/rows/0'],
  ['a next id that is none', draft, { kind: 'observe', features: [], rows: [[0, 1]], next: [[-1]] }, '/next/0/0'],
  ['a proposal of nothing', draft, { kind: 'propose', width: 1 }, '/width'],
  ['a proposal too wide', draft, { kind: 'propose', width: 257 }, '/width'],
  ['a proposal after no id', draft, { kind: 'propose', width: 2, after: ['x'] }, '/after/0'],
  ['a fork of a draft by no list', draft, { kind: 'forkDraft', rows: 0 }, '/rows'],
  ['a join of drafts with nothing', draft, { kind: 'joinDraft', drafts: [] }, '/drafts'],
  ['a handle of a draft that is none', draft, { kind: 'joinDraft', drafts: [-1] }, '/drafts/0'],
  ['half a range', 0, { kind: 'diff', pairs: [{ a: 1, b: 1, aRows: [1] }] }, '/pairs/0/aRows'],
  ['a tile too large', 0, { kind: 'diff', pairs: [], tile: 1025 }, '/tile'],
  ['a measurement of nothing known', 0, { kind: 'measure', what: 'write', threads: 1 }, '/what'],
  ['a measurement on no threads', 0, { kind: 'measure', what: 'read', threads: 0 }, '/threads'],
  ['a measurement with an instruction set of nobody', 0, { kind: 'measure', what: 'read', threads: 1, isa: 'abacus' }, '/isa'],
  ['a spin too long', 0, { kind: 'selfTest', what: 'spin', ms: 1e9 }, '/ms'],
  ['messages that are no list', model, { kind: 'chat', messages: 'hello' }, '/messages'],
];

describe('requests that are refused before there is a job', () => {
  it.each(wrong)('%s', (_, target, fields, where) => {
    expectStatus(() => start(target, fields), 'E_INVALID', where);
  });

  it('another schema version', () => {
    expectStatus(() => start(0, { kind: 'selfTest', what: 'kernels', schemaVersion: 7 }), 'E_VERSION', '/schemaVersion');
  });

  it.each([
    ['nothing', new Uint8Array()],
    ['half a document', encode({ kind: 'fork' }).slice(0, 9)],
    ['a list', encode([1])],
    ['two documents', new TextEncoder().encode('{"kind":"fork","schemaVersion":1}{}')],
    ['a number beyond double', new TextEncoder().encode('{"kind":"selfTest","schemaVersion":1,"what":"spin","ms":1e999}')],
    ['deep nesting', new TextEncoder().encode(`{"kind":"chat","schemaVersion":1,"messages":${'['.repeat(100_000)}`)],
    ['deep objects', new TextEncoder().encode('{"a":'.repeat(100_000))],
    ['invalid UTF-8', new Uint8Array([...encode({ kind: 'x' }).slice(0, -3), 0xff, 0x22, 0x7d])],
    ['an unpaired surrogate', new TextEncoder().encode('{"kind":"\\ud800","schemaVersion":1}')],
  ])('%s', (_, json) => {
    expectStatus(() => startBytes(0, json), 'E_INVALID', '');
  });

  it('more than 64 MiB', () => {
    expectStatus(() => startBytes(0, new Uint8Array((64 << 20) + 1)), 'E_INVALID', 'len');
  });

  it('leaves the session free', () => {
    expectStatus(() => start(session, { kind: 'decode', ids: ['x'] }), 'E_INVALID', '/ids/0');
    const job = start(session, { kind: 'fork' });
    library.call('moire_job_wait', job, 5000);
    library.call('moire_job_free', job);
  });
});

describe('requests that only the engine can judge', async () => {
  const engine = await NativeEngine.load();
  const loaded = await engine.load(sampleModel);
  const opened = await loaded.open();
  afterAll(() => {
    opened.close();
    loaded.close();
  });

  it.each(['scalar', 'avx2', 'avx512', 'amx', 'neon'])('runs %s or says that this processor lacks it and what it has', async (isa) => {
    const usable = loaded.info.switches.find(({ name }) => name === 'isa')!.values!;
    if (usable.includes(isa)) {
      const session = await loaded.open({ isa });
      const step = await session.prefill([1, 2, 3]);
      expect(step.isa).toBe(isa);
      step.close();
      session.close();
      return;
    }
    const error = await rejection(loaded.open({ isa }));
    expect([error.status, error.where]).toEqual(['E_INVALID', '/switches/isa']);
    expect(error.message).toContain(isa);
    for (const name of usable) expect(error.message).toContain(name);
  });

  it.each([
    ['ids beyond the vocabulary', () => opened.prefill([1, loaded.info.vocab]), 'E_INVALID', '/ids'],
    ['an empty prompt', () => opened.prefill([]), 'E_INVALID', '/ids'],
    ['a prompt beyond the context', () => opened.prefill(Array<number>(loaded.info.context + 1).fill(1)), 'E_INVALID', '/ids'],
    ['two rows in a session of one', () => opened.verify([[1], [2]]), 'E_INVALID', '/ids'],
    ['an unknown tap', () => opened.decode([1], { taps: ['nonsense'] }), 'E_INVALID', '/taps'],
    ['an unknown switch', () => loaded.open({ colour: 'red' }), 'E_INVALID', '/switches'],
    ['an unknown value of a switch', () => loaded.open({ matmul: 'red' }), 'E_INVALID', '/switches'],
    ['threads that are no number', () => loaded.open({ threads: 'two' }), 'E_INVALID', '/switches'],
    ['a rewind without a verify', () => opened.rewind([1]), 'E_STATE', ''],
    ['a batch row that there is not', () => opened.fork({ rows: [0, 1] }), 'E_INVALID', '/rows/1'],
    ['a join with more rows than a session has', () => opened.join(Array.from({ length: 64 }, () => opened)), 'E_INVALID', '/sessions'],
    ['a join with a session under other switches', async () => opened.join([await loaded.open({ matmul: 'exact' })]), 'E_INVALID', '/sessions/0'],
    ['a layer that there is not', () => opened.state(1000), 'E_INVALID', '/layer'],
    ['ids to detokenize beyond the vocabulary', () => loaded.detokenize([2 ** 31]), 'E_INVALID', '/ids'],
    ['a folder that is missing', () => engine.load('/nonexistent/model'), 'E_IO', '/nonexistent/model'],
    ['a folder without a model', () => engine.inspect('/'), 'E_IO', '/'],
  ] as const)('%s', async (_, body, status, where) => {
    const error = await rejection(body());
    expect([error.status, error.where.startsWith(where)], `${error.where}: ${error.message}`).toEqual([status, true]);
    expect(error.message.length).toBeGreaterThan(15);
    expect(opened.position).toEqual([0]);
  });
});

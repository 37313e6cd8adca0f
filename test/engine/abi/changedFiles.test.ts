// Weight files that others write to while they are loaded: an error of the job, as the binding and a run see it.
import { cp, mkdtemp, rename, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/engine/engineError';
import { ProbeHost } from '../../../src/engine/host';
import { experimentOf } from '../../unit/engine/support';
import { freeHandle, handleIn, library, loadModel, openSession, run, sampleModel } from './support';

let folder = '';
let weights = '';
beforeEach(async () => {
  // Longer than the field of an error that names it.
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'moire-changed-')), 'a folder with a long name '.repeat(6).trim());
  weights = path.join(folder, 'model.safetensors');
  await cp(sampleModel, folder, { recursive: true });
});
afterEach(() => rm(path.dirname(folder), { recursive: true }));

const prefill = (session: number): Record<string, unknown> => run(session, { kind: 'prefill', ids: [1, 2, 3] });
const errorOf = (work: () => unknown): EngineError => {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  }
  throw new Error('it went through');
};

// Windows does not let anybody cut a file that is mapped.
describe.skipIf(process.platform === 'win32')('a weight file under a loaded model', () => {
  it('that is cut fails jobs with its name; other models go on, and so does it once it is loaded again', async () => {
    const [model, other] = [loadModel(folder), loadModel(sampleModel)];
    const [session, others] = [openSession(model), openSession(other)];
    prefill(session);
    const { size } = await stat(weights);
    await truncate(weights, 8192);
    const error = errorOf(() => prefill(session));
    expect(error.status).toBe('E_IO');
    expect(error.where).toMatch(/^….*model\.safetensors$/);
    expect(error.message).toMatch(new RegExp(`had ${size} bytes when it was loaded and has 8192 now.*load the model again`));
    expect(prefill(others)).toMatchObject({ position: [3] });
    await cp(sampleModel, folder, { recursive: true });
    expect(errorOf(() => prefill(session)).status).toBe('E_IO');
    const again = loadModel(folder);
    expect(prefill(openSession(again))).toMatchObject({ position: [3] });
    for (const handle of [model, other, again]) freeHandle(handle);
  });

  it('that is written to at the same length is an error, one that is replaced is none', async () => {
    const session = openSession(loadModel(folder));
    await writeFile(`${weights}.new`, 'another');
    await rename(`${weights}.new`, weights);
    expect(prefill(session)).toMatchObject({ position: [3] });
    await cp(sampleModel, folder, { recursive: true });
    const next = openSession(loadModel(folder));
    await utimes(weights, new Date(), new Date(0));
    expect(errorOf(() => prefill(next)).message).toMatch(/still has \d+ bytes, but was modified/);
  });

  it('is not read as a tensor either', async () => {
    const { tensors } = run(0, { kind: 'tensors', path: weights }) as { tensors: Record<string, unknown>[] };
    const read = (): void => library.call('moire_tensor_read', handleIn(tensors.at(-1)!), 0, new Uint8Array(64), 64, new BigUint64Array(1));
    read();
    await truncate(weights, 0);
    expect(errorOf(read).status).toBe('E_IO');
  });
});

describe.skipIf(process.platform === 'win32')('a run', () => {
  it('says which file was cut under it and keeps what it has; the next run is told too', async () => {
    const host = new ProbeHost('cli');
    const experiment = experimentOf({ model: folder, widths: [2, 3, 4], input: { type: 'draws', draws: 20, promptLength: 24 } });
    const request = { experiment, library: '', extensionVersion: '1', partialPath: '' };
    let cut: Promise<void> | undefined;
    const { report } = await host.run(request, { onProgress: ({ done }) => void (done > 2 && (cut ??= truncate(weights, 0))) });
    expect(report.complete).toBe(false);
    expect(report.incompleteReason).toMatch(/model\.safetensors.*was cut or written to.*load the model again/s);
    const problem: unknown = await host.run(request).catch((error: unknown) => error);
    expect(problem).toMatchObject({ data: { kind: 'input', title: expect.stringMatching(/holds 0 bytes/) as string } });
    await cp(sampleModel, folder, { recursive: true });
    const whole = await host.run({ ...request, experiment: experimentOf({ model: folder }) });
    expect(whole.report.complete).toBe(true);
    await host.close();
  }, 60_000);
});

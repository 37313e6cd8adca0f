// The host that the process, the extension host and the command line share.
import { mkdtemp, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/engine/engineError';
import { ProbeHost, type OpenEngine } from '../../../src/engine/host';
import { Problem } from '../../../src/engine/problem';
import type { RunRequest } from '../../../src/shared/engineProtocol';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { type Faults, ReferenceEngine } from './referenceEngine';
import { experimentOf } from './support';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-host-'));
  await writeFile(path.join(folder, 'config.json'), '{}');
});
afterEach(() => rm(folder, { recursive: true }));

function hostOf(faults: Faults = {}): { host: ProbeHost; engines: ReferenceEngine[] } {
  const engines: ReferenceEngine[] = [];
  const open: OpenEngine = () => {
    const engine = new ReferenceEngine(faults);
    engines.push(engine);
    return Promise.resolve(engine);
  };
  return { host: new ProbeHost('process', open), engines };
}

function requestOf(changes: Partial<RunRequest> = {}): RunRequest {
  return { experiment: experimentOf({ model: folder, widths: [2, 4] }), library: '', extensionVersion: '1', partialPath: '', ...changes };
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Problem);
  return thrown as Problem;
}

describe('weights that change during a run', () => {
  const runWhile = async (change: (file: string) => Promise<void>): Promise<{ complete: boolean; incompleteReason: string }> => {
    const file = path.join(folder, 'model.safetensors');
    await writeFile(file, 'old');
    let changing: Promise<void> | undefined;
    const { report } = await hostOf().host.run(requestOf(), { onProgress: ({ done }) => void (done > 0 && (changing ??= change(file))) });
    await changing;
    return report;
  };

  it('make the report incomplete when they were written in place', async () => {
    const report = await runWhile(async (file) => utimes(file, new Date(), new Date(0)));
    expect(report).toMatchObject({ complete: false, incompleteReason: expect.stringMatching(/^The weights were written to while the run read them \(model\.safetensors\).*Run it again/) as string });
  });

  it.skipIf(process.platform === 'win32')('do not matter when another file was put in their place, which leaves the mapped one alone', async () => {
    const report = await runWhile(async (file) => {
      await writeFile(`${file}.new`, 'other');
      await rename(`${file}.new`, file);
    });
    expect(report).toMatchObject({ complete: true, incompleteReason: '' });
  });
});

describe('models', () => {
  it('are loaded once while their files stay as they are', async () => {
    const { host, engines } = hostOf();
    await host.run(requestOf());
    await host.run(requestOf());
    expect(engines).toHaveLength(1);
    expect(engines[0]!.loads).toBe(1);
    await utimes(path.join(folder, 'config.json'), new Date(), new Date(0));
    await host.run(requestOf());
    expect(engines[0]!.loads).toBe(2);
    expect(engines[0]!.models).toBe(1);
    await host.close();
    expect(engines[0]!.models).toBe(0);
  });
});

describe('partial reports', () => {
  it('are on disk after the first comparison and marked as incomplete', async () => {
    const { host } = hostOf({ failAtForward: { n: 16, error: new EngineError('E_INTERNAL', 'layer 3', 'it broke') } });
    const partialPath = path.join(folder, 'run.moire.json');
    const { report } = await host.run(requestOf({ partialPath }));
    const read = readReport(await readFile(partialPath, 'utf8'));
    expect(read.ok && read.report).toMatchObject({ complete: false, bisect: { runs: [{ width: 2 }] } });
    expect(report).toMatchObject({ complete: false, incompleteReason: 'layer 3: it broke. Run it again; if it stays, run the doctor and report its text.' });
    expect(report.verdict.sentence).toContain('1 of 2 comparisons were done');
    expect(() => formatReport(report)).not.toThrow();
  });

  it('that cannot be written are told once and do not end the run', async () => {
    const { host } = hostOf();
    const warnings: string[] = [];
    const { report } = await host.run(requestOf({ partialPath: path.join(folder, 'none', 'x.moire.json') }), { onWarning: (text) => warnings.push(text) });
    expect(report.complete).toBe(true);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain('the folder does not exist');
  });
});

describe('problems', () => {
  it('of the experiment come before any engine is asked', async () => {
    const { host, engines } = hostOf();
    const { data } = await problemOf(host.run(requestOf({ experiment: experimentOf({ model: folder, widths: [0] }) })));
    expect(data).toMatchObject({ kind: 'input', place: 'widths[0]' });
    expect(data.title).toContain('from 2 to 256');
    expect(engines).toHaveLength(0);
  });

  it('of the model keep their sentence and place', async () => {
    const { host } = hostOf();
    const { data } = await problemOf(host.run(requestOf({ experiment: experimentOf({ model: '/missing' }) })));
    expect(data).toEqual({ kind: 'input', title: 'This folder does not exist. Give the folder of a checkpoint.', place: '/missing', action: '' });
  });

  it('name their place first where the engine makes it the subject', async () => {
    const host = new ProbeHost('process', () => Promise.reject(new EngineError('E_FORMAT', 'config.json', 'is empty; fetch it again')));
    expect((await problemOf(host.run(requestOf()))).data.title).toBe('config.json: is empty; fetch it again');
  });

  it('before the first comparison leave no report', async () => {
    const { host } = hostOf({ failAtForward: { n: 1, error: new EngineError('E_MEMORY', '', 'out of memory') } });
    expect((await problemOf(host.run(requestOf()))).data).toMatchObject({ kind: 'environment', title: 'out of memory' });
  });

  it('is "cancelled" for a cancel before the first comparison', async () => {
    const { host } = hostOf();
    expect((await problemOf(host.run(requestOf(), { signal: AbortSignal.abort() }))).data.kind).toBe('cancelled');
  });

  it('of opening an engine are tried again with the next run', async () => {
    let tries = 0;
    const host = new ProbeHost('process', () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new EngineError('E_VERSION', 'lib.so', 'ABI 2.0')) : Promise.resolve(new ReferenceEngine());
    });
    expect((await problemOf(host.run(requestOf()))).data.kind).toBe('environment');
    await expect(host.run(requestOf())).resolves.toMatchObject({ report: { complete: true } });
  });
});

describe('doctor', () => {
  it('says what is missing and what to do', async () => {
    const host = new ProbeHost('process', () => Promise.reject(new EngineError('E_IO', 'lib.so', 'The library is missing. Reinstall.')));
    const { checks, text } = await host.doctor({ library: '', model: '', extensionVersion: '9.9' });
    expect(checks).toEqual([{ name: 'Engine library', ok: false, detail: 'The library is missing. Reinstall (lib.so).', action: '' }]);
    expect(text).toMatch(/^Moire 9\.9 on .*\nFAIL {2}Engine library/);
  });

  it('looks at a model when one is given', async () => {
    const { host } = hostOf({ noTokenizer: true });
    const { checks } = await host.doctor({ library: '', model: folder, extensionVersion: '1' });
    expect(checks.find(({ name }) => name === 'Model')).toMatchObject({ ok: true });
    expect(checks.find(({ name }) => name === 'Tokenizer')).toMatchObject({ ok: false });
    expect(checks.find(({ name }) => name === 'Kernel self-test')).toMatchObject({ ok: true });
  });

  it('says that plain code runs where the processor has no instruction set for the kernels', async () => {
    const { host } = hostOf();
    const { checks } = await host.doctor({ library: '', model: '', extensionVersion: '1' });
    const processor = checks.find(({ name }) => name === 'Processor');
    expect(processor).toMatchObject({ ok: true });
    expect(processor?.detail).toMatch(/AVX2.*run as plain code: the same bytes, many times slower$/);
  });
});

it('describes a model for a form', async () => {
  const { host } = hostOf();
  const facts = await host.inspect({ library: '', model: folder });
  expect(facts).toMatchObject({ architecture: 'reference', layers: 2, vocab: 40, context: 512, tokenizer: true });
  expect(facts.switches.map(({ name }) => name)).toEqual(['matmul', 'attention', 'threads']);
});

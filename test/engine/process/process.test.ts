// The engine process as the extension drives it: JSON-RPC over IPC, cancel, crash, restart; and that all places give equal reports.
import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CancellationTokenSource, createMessageConnection, IPCMessageReader, IPCMessageWriter, type MessageConnection, ResponseError } from 'vscode-jsonrpc/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ProbeHost } from '../../../src/engine/host';
import { loadReport } from '../../../src/engine/reportStore';
import { type DoctorReport, methods, type ModelFacts, type ProblemData, type RunOutcome, type RunProgress, type RunRequest } from '../../../src/shared/engineProtocol';
import type { Experiment } from '../../../src/shared/experiment';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import packageJson from '../../../package.json';
import { cli, library, processPath, root, sample } from '../product';

const short: Experiment = { kind: 'bisect', model: sample, widths: [2, 8], input: { type: 'draws', draws: 1, promptLength: 16 }, walk: 8, switches: { matmul: 'auto' } };
const long: Experiment = { kind: 'bisect', model: sample, widths: [2, 3, 4, 5, 6, 7], input: { type: 'draws', draws: 20, promptLength: 64 }, walk: 1024, switches: { matmul: 'exact' } };

const prompt = { type: 'draw', draw: 0, length: 16 } as const;
const sequence = { model: sample, width: 8, tokens: 12, prompt, reference: null, switches: {} };
const accepts = { type: 'kept' as const, kept: [1, 5] };
const drafted = { model: sample, drafter: path.join(root, 'samples/drafter'), prompts: [prompt], widths: [2, 8], tokens: 12, ignoreEos: true, switches: {} };
const gate: Extract<Experiment, { kind: 'gate' }> = { kind: 'gate', model: sample, drafter: null, widths: [2, 8], draws: 1, promptLength: 16, walk: 8, batch: 1, switches: {}, override: false };
const speculation: readonly Experiment[] = [
  { kind: 'replay', ...sequence, accepts, fills: ['wrong', 'random'], forms: ['block', 'kept', 'chain'] },
  { kind: 'rewind', ...sequence, accepts, batch: 2 },
  { kind: 'prefill', model: sample, prompt: { type: 'default' }, partitions: [0, 16], switches: { 'burst.prefill': 'verify' } },
  gate,
  { kind: 'parity', ...drafted, batch: 1, gate: 'override', audit: true },
  { kind: 'widths', ...drafted, repeats: 1 },
  { kind: 'switches', model: sample, matrix: [{ name: 'matmul', values: ['auto', 'exact'] }], base: gate },
];

let folder = '';
let child: ChildProcess;
let connection: MessageConnection;
let exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-process-'));
  child = fork(processPath, [], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'], execArgv: [] });
  exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  connection = createMessageConnection(new IPCMessageReader(child), new IPCMessageWriter(child));
  connection.onError(() => undefined);
  connection.listen();
});

afterEach(async () => {
  connection.dispose();
  child.kill('SIGKILL');
  await exited;
  await rm(folder, { recursive: true });
});

function requestOf(experiment: Experiment, partialPath = ''): RunRequest {
  return { experiment, library, extensionVersion: packageJson.version, partialPath };
}

function firstProgress(matching: (progress: RunProgress) => boolean): Promise<RunProgress> {
  return new Promise((resolve) => {
    const listener = connection.onNotification(methods.progress, (progress: RunProgress) => {
      if (!matching(progress)) return;
      listener.dispose();
      resolve(progress);
    });
  });
}

async function failureOf(work: Promise<unknown>): Promise<ProblemData> {
  const thrown: unknown = await work.catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ResponseError);
  return (thrown as ResponseError<ProblemData>).data!;
}

/** The report without what differs from run to run. */
function comparable(report: RunOutcome['report']): string {
  return formatReport({ ...report, run: { startedAt: '', durationMs: 0, location: 'cli', cost: {} } });
}

async function fileAppears(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10));
}

describe('one module, three places', () => {
  it.each(speculation.map((experiment) => ({ kind: experiment.kind, experiment })))('gives byte-equal reports of a $kind from the process and from the host', async ({ experiment }) => {
    const fromProcess = (await connection.sendRequest<RunOutcome>(methods.run, requestOf(experiment))).report;
    const host = new ProbeHost('extensionHost');
    const fromHost = (await host.run(requestOf(experiment))).report;
    await host.close();
    expect(comparable(fromProcess)).toBe(comparable(fromHost));
  }, 60_000);

  it('gives byte-equal reports from the process, from the host and from the command line', async () => {
    const fromProcess = (await connection.sendRequest<RunOutcome>(methods.run, requestOf(short))).report;
    const host = new ProbeHost('extensionHost');
    const fromHost = (await host.run(requestOf(short))).report;
    await host.close();
    const printed = await cli('bisect', sample, '--width', '2,8', '--draws', '1', '--prompt-length', '16', '--walk', '8', '--matmul', 'auto', '--library', library, '--json');
    expect(printed.code).toBe(1);
    const fromCli = readReport(printed.stdout);
    expect(fromCli.ok && comparable(fromCli.report)).toBe(comparable(fromProcess));
    expect(comparable(fromHost)).toBe(comparable(fromProcess));
    expect([fromProcess, fromHost].map(({ run }) => run.location)).toEqual(['process', 'extensionHost']);
  });
});

describe('a run', () => {
  it('tells its progress at most 20 times a second and answers pings meanwhile', async () => {
    const times: number[] = [];
    connection.onNotification(methods.progress, () => void times.push(performance.now()));
    const pings: Promise<unknown>[] = [];
    let answered = 0;
    const run = connection.sendRequest<RunOutcome>(methods.run, requestOf({ ...short, walk: 64 }));
    const ping = setInterval(() => pings.push(connection.sendRequest(methods.ping, null).then(() => (answered += 1))), 50);
    const { report } = await run;
    clearInterval(ping);
    const meanwhile = answered;
    await Promise.all(pings);
    expect(report.complete).toBe(true);
    expect(times.length).toBeGreaterThan(3);
    expect(times.length / ((times.at(-1)! - times[0]!) / 1000)).toBeLessThan(21);
    expect(meanwhile).toBeGreaterThan(0);
  });

  it('answers a cancel within 300 ms and keeps what was compared', async () => {
    const delays: number[] = [];
    // One answer may be held up by whatever else the machine does; three are not.
    for (let attempt = 0; attempt < 3 && !(delays.at(-1)! < 300); attempt += 1) {
      const source = new CancellationTokenSource();
      const partial = path.join(folder, `cancel-${attempt}.moire.json`);
      const run = connection.sendRequest<RunOutcome>(methods.run, requestOf(long, partial), source.token);
      await fileAppears(partial);
      const started = performance.now();
      source.cancel();
      const { report } = await run;
      delays.push(performance.now() - started);
      expect(report).toMatchObject({ complete: false, incompleteReason: 'The run was cancelled.' });
      expect(report.kind === 'bisect' && report.bisect.runs.length).toBeGreaterThan(0);
    }
    expect(Math.min(...delays)).toBeLessThan(300);
  });

  it('cancelled before the first comparison is an error of the kind "cancelled"', async () => {
    const source = new CancellationTokenSource();
    const run = connection.sendRequest<RunOutcome>(methods.run, requestOf({ ...long, input: { type: 'draws', draws: 1, promptLength: 900 } }), source.token);
    await firstProgress(({ text }) => text.includes('prefill'));
    source.cancel();
    expect((await failureOf(run)).kind).toBe('cancelled');
  });

  it('that is killed is an error for the client and leaves a partial report', async () => {
    const partial = path.join(folder, 'partial.moire.json');
    const run = connection.sendRequest<RunOutcome>(methods.run, requestOf(long, partial));
    run.catch(() => undefined);
    await fileAppears(partial);
    child.kill('SIGKILL');
    const outcome = await Promise.race([run.then(() => 'answered', () => 'failed'), exited.then(({ signal }) => signal)]);
    expect(['failed', 'SIGKILL']).toContain(outcome);
    const report = await loadReport(partial);
    expect(report).toMatchObject({ complete: false, run: { location: 'process' } });
    expect(report.kind === 'bisect' && report.bisect.runs.length).toBeGreaterThan(0);
    expect(await readFile(partial, 'utf8')).toContain('comparisons were done');
  });
});

describe('problems cross the wire with what, where and what to do', () => {
  it.each<[string, Experiment, Partial<ProblemData>]>([
    ['a width of 0', { ...short, widths: [0] }, { kind: 'input', place: 'widths[0]', title: 'The experiment is not valid: a width is a whole number from 2 to 256' }],
    ['a folder that is not there', { ...short, model: path.join(tmpdir(), 'no-such-model') }, { kind: 'input' }],
    ['an id beyond the vocabulary', { ...short, input: { type: 'ids', ids: [5000] } }, { kind: 'input', title: 'Token id 5000 is beyond the vocabulary of 4,096', place: 'prompt, entry 0' }],
    ['a prompt beyond the context', { ...short, input: { type: 'draws', draws: 1, promptLength: 2041 } }, { kind: 'input', title: "The prompt of 2,041 tokens and the 8 after it are beyond the model's context of 2,048" }],
    ['a switch that is not there', { ...short, switches: { matmul: 'fast' } }, { kind: 'input', title: 'matmul cannot be "fast"', action: 'Use one of auto, qmv, qmm, exact.' }],
  ])('%s', async (_, experiment, expected) => {
    expect(await failureOf(connection.sendRequest(methods.run, requestOf(experiment)))).toMatchObject(expected);
  });

  it('an engine library that is not there', async () => {
    const data = await failureOf(connection.sendRequest(methods.run, { ...requestOf(short), library: path.join(folder, 'none.so') }));
    expect(data.title).toContain('does not exist');
  });
});

it('examines the engine and describes a model', async () => {
  const doctor = await connection.sendRequest<DoctorReport>(methods.doctor, { library, model: sample, extensionVersion: '1' });
  expect(doctor.checks.filter(({ ok }) => !ok)).toEqual([]);
  expect(doctor.checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['Engine library', 'ABI', 'Processor', 'Kernel self-test', 'Model', 'Tokenizer']));
  const facts = await connection.sendRequest<ModelFacts>(methods.inspect, { library, model: sample });
  expect(facts).toMatchObject({ architecture: 'qwen3_5', layers: 8, vocab: 4096, context: 2048, tokenizer: true });
});

it('ends when its parent goes away', async () => {
  child.disconnect();
  expect(await exited).toEqual({ code: 0, signal: null });
});

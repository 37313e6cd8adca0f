// The rounds of a burst as a log: written by the command line, read by the importer, driven again by a replay.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { firstViolation, type Capture } from '../../../src/shared/capture';
import { readReport } from '../../../src/shared/reportFile';
import { cli, root, sample, startCli, type Ended } from '../product';

const drafter = path.join(root, 'samples/drafter');
const exact = ['--matmul', 'exact', '--attention', 'exact'];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'moire-capture-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function captured(name: string): Promise<{ file: string; capture: Capture }> {
  const file = path.join(folder, name);
  const { code, stderr } = await cli('parity', sample, '-d', drafter, '-w', '3,4', '-p', 'export function selectByKey(', 'const total = ', '--batch', '2', '--tokens', '40', '--ignore-eos', '--capture', file, ...exact);
  expect(code, stderr).toBe(0);
  return { file, capture: await importCapture(file, {}) };
}

const roundsOf = ({ requests }: Capture): unknown => requests.map(({ request, rounds }) => [request, rounds?.map(({ bonus, drafts, targets, accepted, emitted }) => ({ bonus, drafts, targets, accepted, emitted }))]);

describe('--capture', () => {
  it('writes the same rounds as JSON lines and as text lines, and every identity holds', async () => {
    const [json, text] = [await captured('rounds.moire-capture.jsonl'), await captured('rounds.log')];
    expect(json.capture).toMatchObject({ engine: 'moire', grade: 'A' });
    expect(text.capture).toMatchObject({ engine: 'mlxcel', grade: 'A' });
    expect([firstViolation(json.capture), firstViolation(text.capture)]).toEqual([null, null]);
    expect(json.capture.requests.map(({ request }) => request)).toEqual(['prompt-1-width-3', 'prompt-2-width-3', 'prompt-1-width-4', 'prompt-2-width-4']);
    expect(roundsOf(text.capture)).toEqual(roundsOf(json.capture));
  });

  it('can be replayed with the drafts it holds: its counts, and the bytes of single steps', async () => {
    const { file, capture } = await captured('replayed.moire-capture.jsonl');
    const out = path.join(folder, 'replay.moire.json');
    const { code, stderr } = await cli('replay', sample, '--log', file, '--request', 'prompt-2-width-4', '--fill', 'logged,wrong', '--out', out, ...exact);
    expect(code, stderr).toBe(0);
    const read = readReport(readFileSync(out, 'utf8'));
    if (!read.ok || read.report.kind !== 'replay') throw new Error('no replay was saved');
    const { replay } = read.report;
    const logged = capture.requests[3];
    expect([replay.rounds, replay.rewinds, replay.keptSum, replay.accepted]).toEqual([logged?.roundCount, logged?.rewinds, logged?.keptSum, logged?.acceptedSum]);
    expect(replay.log).toMatchObject({ findings: [], notes: [], name: 'prompt-2-width-4' });
    expect(replay.prompt.source).toBe('log');
    expect(replay.runs.map(({ fill, verdict }) => [fill, verdict.word]).slice(0, 2)).toEqual([['logged', 'equal'], ['wrong', 'equal']]);
  });

  it('refuses a place that cannot be written before it runs anything', async () => {
    const { code, stderr } = await cli('parity', sample, '-d', drafter, '--capture', path.join(folder, 'nowhere', 'rounds.log'));
    expect(code).toBe(2);
    expect(stderr).toMatch(/nowhere/);
  });
});

describe.skipIf(process.platform === 'win32')('--capture of a run that does not end by itself', () => {
  const linesOf = (file: string): number => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);

  /** Ends a long run by `signal` when the rounds of its first burst come in. */
  async function stopped(name: string, signal: NodeJS.Signals): Promise<Ended & { file: string; partial: string }> {
    const file = path.join(folder, name);
    const partial = `${file}.partial`;
    const { child, ended } = startCli(['parity', sample, '-d', drafter, '-w', '4', '-p', 'export function selectByKey(', 'const total = ', '--batch', '2', '--tokens', '900', '--ignore-eos', '--capture', file, ...exact]);
    while (linesOf(partial) < 12 && child.exitCode === null) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill(signal);
    return { ...(await ended), file, partial };
  }

  it.each(['cancelled.moire-capture.jsonl', 'cancelled.log'])('keeps the rounds beside %s, says where, and does not touch that name', async (name) => {
    const old = '{"format":"moire.capture"}\n';
    writeFileSync(path.join(folder, name), old);
    const { code, stderr, file, partial } = await stopped(name, 'SIGINT');
    expect(code).toBe(3);
    expect(stderr).toContain(`The rounds that ran are kept in ${partial}.`);
    expect(readFileSync(file, 'utf8')).toBe(old);
    const capture = await importCapture(partial, {});
    expect(capture).toMatchObject({ engine: 'moire', grade: 'A', facts: { drafter } });
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests.map(({ request, complete, reason }) => [request, complete, reason.startsWith('the log ends before the request does')])).toEqual([['prompt-1-width-4', false, true], ['prompt-2-width-4', false, true]]);
    for (const { rounds, promptIds } of capture.requests) expect([rounds!.length > 2, promptIds!.length > 2]).toEqual([true, true]);
  });

  it('has every round on the disk when the run is killed, and the next whole run takes it away', async () => {
    const { file, partial } = await stopped('killed.moire-capture.jsonl', 'SIGKILL');
    expect(existsSync(file)).toBe(false);
    expect((await importCapture(partial, {})).requests).toHaveLength(2);
    await captured('killed.moire-capture.jsonl');
    expect(existsSync(partial)).toBe(false);
  });

  it('leaves a log of another engine alone, though its lines look like those it would write', async () => {
    const file = path.join(folder, 'server.log');
    const line = '2026-09-21T05:11:12Z DEBUG mlxcel_core::drafter::dflash::round_loop: mine\n';
    writeFileSync(file, line);
    const { code } = await cli('parity', sample, '-d', drafter, '--capture', file);
    expect([code, readFileSync(file, 'utf8')]).toEqual([2, line]);
  });

  it('writes none where no burst ran, and says so', async () => {
    const file = path.join(folder, 'declined.moire-capture.jsonl');
    const { code, stderr } = await cli('parity', sample, '-d', drafter, '-w', '8', '--tokens', '4', '--draws', '0', '--capture', file);
    expect([code, existsSync(file)]).toEqual([3, false]);
    expect(stderr).toContain(`No burst ran, so ${file} is not written.`);
  });

  // A name that has no room for what a file is called until it is whole.
  it('loses no report where it cannot be saved', async () => {
    const file = path.join(folder, `${'x'.repeat(240)}.jsonl`);
    const { code, stdout, stderr } = await cli('parity', sample, '-d', drafter, '-w', '2', '--tokens', '4', '--draws', '0', '--capture', file, '--json', ...exact);
    expect([code, (JSON.parse(stdout) as { complete: boolean }).complete]).toEqual([3, true]);
    expect(stderr).toContain('The rounds of the bursts cannot be saved');
  });

  it('refuses a partial file of somebody else', async () => {
    const file = path.join(folder, 'other.moire-capture.jsonl');
    writeFileSync(`${file}.partial`, 'mine');
    const { code, stderr } = await cli('parity', sample, '-d', drafter, '--capture', file);
    expect([code, readFileSync(`${file}.partial`, 'utf8')]).toEqual([2, 'mine']);
    expect(stderr).toMatch(/^moire: The rounds cannot be saved: there is a file of that name which Moire did not write/);
  });
});

describe('the served log of the samples', () => {
  // The order of fp32 sums belongs to the instruction set, and the fork to the order.
  const isa = ['--isa', 'avx2'];
  const served = path.join(root, 'samples/served/rounds.moire-capture.jsonl');

  it('holds together, and a replay says that what came before the rounds did it', async () => {
    expect((await cli('logs', served)).code).toBe(0);
    const { code, stdout } = await cli('replay', sample, '--log', served, '--form', 'block', ...isa);
    expect(code).toBe(0);
    // The forwards are sound and the text is not the model's own: the headline says both.
    expect(stdout).toMatch(/equal: All \d+ rows have the bytes of the classic chain: [^.]*; yet the log's tokens leave what the model itself chooses at token 20\. /);
    expect(stdout).toContain('the text of the log leaves what the model itself chooses at token 20: what came before the first round did it. Compare the prefills.');
    // A width beside a log that says its own is not the width that ran.
    const wide = await cli('replay', sample, '--log', served, '--form', 'block', '--width', '8', '--json', ...isa);
    expect(JSON.parse(wide.stdout)).toMatchObject({ replay: { width: 4 }, coverage: { notCovered: expect.arrayContaining(['widths other than 4']) as string[] } });
    const verify = await cli('replay', sample, '--log', served, '--form', 'block', '--burst-prefill', 'verify', ...isa);
    expect(verify.stdout).toContain('at token 20 (round 13, row 1) classic decode chooses 1207');
  });

  it('after another prompt is no replay of what was served, and says so', async () => {
    const { stdout } = await cli('replay', sample, '--log', served, '--prompt', 'hello', '--form', 'block', ...isa);
    expect(stdout).toContain('so this is not the served run. Give the served prompt with --ids or --prompt-file.');
    expect(stdout).toContain('the run of the log.');
  });

  it('forks at one token at every width, and its prefill parts at the first attention layer', async () => {
    const prompt = ['--prompt-file', path.join(root, 'samples/served/prompt.txt'), '--burst-prefill', 'verify', ...isa];
    const parity = await cli('parity', sample, '-d', drafter, '-w', '2,4', '--tokens', '32', '--ignore-eos', ...prompt);
    expect(parity.stdout).toContain('Every burst leaves classic text at the same token whatever the width (prompt 1: token 20)');
    const prefill = await cli('prefill', sample, ...prompt);
    expect(prefill.stdout).toContain('Layers 0 to 2 agree. The arms part at layer 3 (attention) · attention_core');
    expect(prefill.stdout).toContain('K and V of layer 3 agree, its output differs; the first cache that differs is that of the next layer reached, 4');
  });
});

// `moire logs` as a user runs it: exit codes, sentences, JSON.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Capture } from '../../../src/shared/capture';
import { cli, root } from '../product';
import { expectRefused } from './refused';

const samples = path.join(root, 'test/fixtures/accept-logs');
const sampleLog = path.join(samples, 'mlxcel/full.log');

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-logs-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('moire logs', () => {
  it('ends with 0 where every identity holds', async () => {
    const { code, stdout, stderr } = await cli('logs', sampleLog);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toContain('round algebra: every identity that this log allows holds');
    expect(stdout).not.toContain('\u001b');
  });

  it('ends with 1 and quotes the first line that does not hold', async () => {
    const file = path.join(folder, 'wrong.log');
    await writeFile(file, (await readFile(sampleLog, 'utf8')).replace('accepted=0 new_tokens=[2525]', 'accepted=7 new_tokens=[2525]'));
    const { code, stdout } = await cli('logs', file);
    expect(code).toBe(1);
    expect(stdout).toMatch(/identities are violated, the first one:\n {2}accepted <= width - 1: round 0 accepted 7 drafts, but a block of width 4 has 3 \(line 93\)\n {4}2026-09-21T05:11:31.020137Z DEBUG .* accepted=7 /);
    const json = await cli('logs', file, '--json');
    expect(json.code).toBe(1);
    expect((JSON.parse(json.stdout) as Capture).findings[0]).toMatchObject({ line: 93, round: 0 });
  });

  it('finds a request by number and by id', async () => {
    const byNumber = await cli('logs', sampleLog, '--request', '2');
    const byId = await cli('logs', sampleLog, '-r', 'seq-4');
    expect(byNumber.stdout).toMatch(/request 2 · seq-4\n {2}accepted +2,0,3,1,3\n {2}kept rows +3,1,4,2,4\n/);
    expect(byId.stdout).toBe(byNumber.stdout);
  });

  it('prints the capture alone with --json', async () => {
    const { code, stdout } = await cli('logs', path.join(samples, 'exllamav3/dstats.json'), '--json');
    expect(code).toBe(0);
    const capture = JSON.parse(stdout) as Capture;
    expect(capture.requests[0]).toMatchObject({ request: 'code/p1', accepted: [1, 3, 0, 2, 4], positions: [30, 32, 36, 37, 40] });
  });

  it('ends with 2 and one sentence for bad input', async () => {
    const none = path.join(folder, 'none.log');
    const words = path.join(folder, 'words.log');
    await writeFile(words, 'hello\n');
    const cases: [string[], RegExp][] = [
      [['logs'], /missing required argument 'file'/],
      [['logs', none], /The log cannot be read: it does not exist \(.*none\.log\)\. Check the path\./],
      [['logs', folder], /This is not a file/],
      [['logs', words], /Nothing in this file is a known log of speculative decoding/],
      [['logs', sampleLog, '--request', '9'], /There is no request 9 in this log .*Give a number from 0 to 4/],
      [['logs', sampleLog, '--request', ''], /It is empty; give a number of the table or a request id/],
    ];
    await expectRefused(cases);
  });

  it('prints what a log holds as text', async () => {
    const file = path.join(folder, 'control.log');
    await writeFile(file, 'INFO: Metrics (ID: a\u0007\u202eb): 200 tokens generated in 4.0 seconds (Draft: 120 / 100 tokens accepted (50.00%))\n');
    const { code, stdout } = await cli('logs', file);
    expect(code).toBe(1);
    expect(stdout).toContain('\\u202eb');
    for (const control of ['\u0007', '\u202e']) expect(stdout).not.toContain(control);
  });

  it('helps', async () => {
    const { code, stdout } = await cli('logs', '--help');
    expect(code).toBe(0);
    expect(stdout).toMatch(/moire logs server\.log --request 1[\s\S]*RUST_LOG=[\s\S]*Exit codes: 0 every identity holds; 1 one is violated; 2 usage or bad input/);
  });
});

// The command line tool as a user runs it: exit codes, sentences, files.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadReport } from '../../../src/engine/reportStore';
import { readReport } from '../../../src/shared/reportFile';
import packageJson from '../../../package.json';
import { cli, cliPath, sample, startCli } from '../product';
import { expectRefused } from './refused';

const quick = ['--draws', '1', '--prompt-length', '8', '--walk', '0'];
const endless = ['bisect', sample, '--width', '2,3,4,5,6,7', '--draws', '20', '--walk', '1024', '--matmul', 'exact'];

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-cli-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('exit codes follow the verdict', () => {
  it('0 and a table for equal arms', async () => {
    const { code, stdout, stderr } = await cli('bisect', sample, '--width', '2,4', ...quick);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    expect(stdout).toMatch(/width 2\n.*verdict.*\n {2}draw 1 of 1 {2}equal {4}- +0 of 16,384/);
    expect(stdout).toMatch(/\nequal: Widths 2 and 4 give the same bytes as single steps/);
    expect(stdout).toContain('Not covered:');
    expect(stdout).not.toContain('\u001b');
  });

  it('1 for arms that part, with the first place and both kernels', async () => {
    const { code, stdout } = await cli('bisect', sample, '--width', '8', ...quick);
    expect(code).toBe(1);
    expect(stdout).toMatch(/draw 1 of 1 {2}(drift|tie) +layer 0 · in_proj_qkv · position 0 .* of 65,536 .*qmv\S* \| qmm/);
  });

  it('2 and one sentence for bad input', async () => {
    const cases: [string[], RegExp][] = [
      [['bisect'], /missing required argument 'model'\nSee moire bisect --help\.\n$/],
      [['switches', sample], /required option '-s, --switch <name=list>' not specified\nSee moire switches --help\.\n$/],
      [['bisekt'], /unknown command 'bisekt'\n\(Did you mean bisect\?\)\nSee moire --help\.\n$/],
      [['bisect', sample, '--width', '0'], /a width is a whole number from 2 to 256/],
      [['bisect', sample, '--width', '1000000'], /a width is a whole number from 2 to 256/],
      [['bisect', sample, '--width', 'four'], /whole number/],
      [['bisect', sample, '--prompt', ''], /the prompt is empty/],
      [['bisect', sample, '--prompt', 'a', '--ids', '1'], /cannot be used with option '--ids/],
      [['bisect', sample, '--ids', '4096'], /Token id 4096 is beyond the vocabulary of 4,096 \(prompt, entry 0\)\. Use ids from 0 to 4095\./],
      [['bisect', sample, '--prompt-length', '4000'], /beyond the model's context of 2,048/],
      [['bisect', sample, '--matmul', 'fast'], /matmul cannot be "fast" .*Use one of auto, qmv, qmm, exact/],
      [['bisect', sample, '--threads', 'two'], /whole number/],
      [['bisect', path.join(folder, 'none')], /does not exist|not found|no such/i],
      [['bisect', folder], /config\.json/],
      [['bisect', sample, '--out', path.join(folder, 'none', 'x.moire.json')], /The report cannot be saved: the folder does not exist/],
      [['bisect', sample, '--library', path.join(folder, 'x.so')], /does not exist/],
      [['diff', path.join(folder, 'a.safetensors'), sample], /./],
      [['inspect', folder], /config\.json/],
      [['inspect', ''], /'' is invalid for argument 'model'\. It is empty; give a path/],
      [['inspect', 'a\ufffd'], /It is not UTF-8/],
      [['bisect', sample, '--out', ''], /It is empty; give a path/],
      [['bisect', sample, '--out', path.join(sample, 'config.json', 'x.moire.json')], /The report cannot be saved: this is not a folder/],
      [['bisect', sample, '--out', path.join(sample, 'config.json', 'y', 'x.moire.json')], /The report cannot be saved: a part of the path is not a folder/],
      [['bisect', sample, '--ids', '9999999999999999'], /a whole number of at most 15 digits/],
      [['unknown'], /unknown command 'unknown'/],
      [['bisect', sample, '--wide', '2'], /unknown option '--wide'/],
    ];
    await expectRefused(cases);
  }, 120_000);
});

describe('reports', () => {
  it('note a thread count that the engine limits', async () => {
    const { code, stdout, stderr } = await cli('bisect', sample, '--width', '2', ...quick, '--threads', '0');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/note: The engine computes with 1 to 256 threads; it was asked for 0 and uses 1\./);
  });

  it('alone on standard output with --json, and the same in --out', async () => {
    const out = path.join(folder, 'a.moire.json');
    const { code, stdout, stderr } = await cli('bisect', sample, '--width', '8', ...quick, '--json', '--out', out);
    expect(stderr).toBe('');
    expect(code).toBe(1);
    expect(stdout).toBe(await readFile(out, 'utf8'));
    expect(readReport(stdout).ok).toBe(true);
    expect(await readdir(folder)).toEqual(['a.moire.json']);
  });
});

describe.skipIf(process.platform === 'win32')('output that ends early', () => {
  const shell = (script: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> => promisify(execFile)('bash', ['-c', script, process.execPath, cliPath, ...args]);

  it('is no error where the reader goes away: the report is saved and the exit code is that of the verdict', async () => {
    const out = path.join(folder, 'a.moire.json');
    const { stdout, stderr } = await shell('"$0" "$@" | true; echo "${PIPESTATUS[0]}"', 'bisect', sample, '--width', '8', ...quick, '--out', out);
    expect(stderr).toBe('');
    expect(stdout).toBe('1\n');
    expect(await readdir(folder)).toEqual(['a.moire.json']);
    expect((await loadReport(out)).complete).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('is said where there is no space for it, and the report is saved all the same', async () => {
    const out = path.join(folder, 'a.moire.json');
    const { stdout, stderr } = await shell('"$0" "$@" 2>&1 >/dev/full; echo "$?"', 'bisect', sample, '--width', '2', ...quick, '--out', out);
    expect(stderr).toBe('');
    expect(stdout).toBe('moire: The answer cannot be written to standard output: there is no space left on the disk.\n3\n');
    expect((await loadReport(out)).complete).toBe(true);
  });

  it.skipIf(process.platform !== 'linux')('keeps its exit code where standard error is full', async () => {
    expect((await shell('"$0" "$@" 2>/dev/full; echo "$?"', 'inspect', folder)).stdout).toBe('2\n');
  });
});

describe.skipIf(process.platform === 'win32')('a target that is no plain file', () => {
  it('is refused before the run where it is a pipe, and stays one', async () => {
    const out = path.join(folder, 'pipe.moire.json');
    await promisify(execFile)('mkfifo', [out]);
    const { code, stderr } = await cli('bisect', sample, ...quick, '--width', '2', '--out', out);
    expect(stderr).toMatch(/^moire: The report cannot be saved: this is a device or a pipe, not a file .*--json prints the report/);
    expect(code).toBe(2);
    expect((await stat(out)).isFIFO()).toBe(true);
  });
});

/** A safetensors file of one tensor. */
function oneTensor(name: string, dtype: string, shape: readonly number[], data: readonly number[]): Buffer {
  const header = JSON.stringify({ [name]: { dtype, shape, data_offsets: [0, data.length] } });
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return Buffer.concat([length, Buffer.from(header), Buffer.from(data)]);
}

describe('names in files', () => {
  it('never reach the terminal as control characters', async () => {
    const bytes = (value: number): Buffer => oneTensor('evil\u001b[2J\u009b1m\u202e\n', 'U8', [1], [value]);
    const [a, b] = [path.join(folder, 'a\u001b.safetensors'), path.join(folder, 'b.safetensors')];
    await writeFile(a, bytes(1));
    await writeFile(b, bytes(2));
    const { code, stdout } = await cli('diff', a, b);
    expect(code).toBe(1);
    expect(stdout).toContain('evil\\u001b[2J\\u009b1m\\u202e\\n');
    const broken = await cli('inspect', path.join(folder, 'none\u001b[31m\u0007'));
    expect(broken.stderr).toContain('none\\u001b[31m\\u0007');
    const usage = await cli('bisect', sample, '--width', '\u001b[31m');
    const config = JSON.stringify({ model_type: '\u001b]0;title\u0007' });
    await writeFile(path.join(folder, 'config.json'), config);
    const doctor = await cli('doctor', folder);
    expect(doctor.stdout).toContain('\\u001b]0;title\\u0007');
    for (const text of [stdout, broken.stderr, usage.stderr, doctor.stdout]) expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e]/u);
  });
});

describe.skipIf(process.platform === 'win32')('signals', () => {
  const hasPartial = async (): Promise<boolean> => (await readdir(folder)).includes('a.partial.moire.json');

  /** Starts a long run and gives it when its partial report is there. */
  async function started(out: string): Promise<ReturnType<typeof startCli>> {
    const run = startCli([...endless, '--out', out], folder);
    while (!(await hasPartial())) await new Promise((resolve) => setTimeout(resolve, 20));
    return run;
  }

  it.each([['SIGINT', 3], ['SIGTERM', 3], ['SIGHUP', null]] as const)('%s once keeps the partial report and names it; an old report stays', async (signal, expected) => {
    const out = path.join(folder, 'a.moire.json');
    const old = '{"format": "moire.report", "version": 1}';
    await writeFile(out, old);
    const { child, ended } = await started(out);
    child.kill(signal);
    const { code, stderr } = await ended;
    expect(code).toBe(expected);
    if (expected === null) expect(child.signalCode).toBe(signal);
    expect(stderr).toContain(`The run was cancelled. What was compared is kept in ${path.join(folder, 'a.partial.moire.json')}.`);
    expect((await loadReport(path.join(folder, 'a.partial.moire.json'))).complete).toBe(false);
    expect(await readFile(out, 'utf8')).toBe(old);
  });

  it.each([['SIGINT', 130], ['SIGTERM', 143]] as const)('%s twice ends at once with %i', async (signal, expected) => {
    const { child, ended } = await started(path.join(folder, 'a.moire.json'));
    const again = setInterval(() => child.kill(signal), 1);
    const { code } = await ended;
    clearInterval(again);
    expect(code).toBe(expected);
    expect(await readdir(folder)).toEqual(['a.partial.moire.json']);
  });

  it('SIGHUP twice, as it comes from a terminal that closes, keeps the partial report all the same', async () => {
    const { child, ended } = await started(path.join(folder, 'a.moire.json'));
    child.kill('SIGHUP');
    await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGHUP');
    expect((await ended).stderr).toContain('What was compared is kept in ');
    expect(child.signalCode).toBe('SIGHUP');
  });
});

it('a file of somebody else is refused before anything runs', async () => {
  const out = path.join(folder, 'notes.txt');
  await writeFile(out, 'mine');
  const { code, stderr } = await cli('bisect', sample, '--out', out);
  expect([code, await readFile(out, 'utf8')]).toEqual([2, 'mine']);
  expect(stderr).toContain('there is a file of that name which Moire did not write');
});

describe('other verbs', () => {
  it('inspect tells what a folder holds', async () => {
    const { code, stdout } = await cli('inspect', sample);
    expect(code).toBe(0);
    expect(stdout).toMatch(/layers +8: 0-2 gated_delta, 3 attention, 4-6 gated_delta, 7 attention/);
    const json = JSON.parse((await cli('inspect', sample, '--json')).stdout) as { model: { vocab: number }; tensors: unknown[] };
    expect(json.model.vocab).toBe(4096);
    expect(json.tensors.length).toBeGreaterThan(100);
  });

  it('doctor checks engine and model, and is 3 when something is wrong', async () => {
    const well = await cli('doctor', sample);
    expect(well.stdout).toMatch(/ok {4}Kernel self-test: \d+ checks? passed/);
    expect(well.code).toBe(0);
    await mkdir(path.join(folder, 'empty'));
    const ill = await cli('doctor', path.join(folder, 'empty'));
    expect(ill.stdout).toMatch(/FAIL {2}Model: .*config\.json/);
    expect(ill.code).toBe(3);
  });

  it('diff compares files tensor by tensor', async () => {
    const weights = path.join(sample, 'model.safetensors');
    const same = await cli('diff', weights, weights);
    expect(same.stdout).toMatch(/^equal: All \d+ tensors have the same bytes\.\n$/);
    expect(same.code).toBe(0);
    const bytes = await readFile(weights);
    bytes[bytes.length - 1]! ^= 1;
    const changed = path.join(folder, 'changed.safetensors');
    await writeFile(changed, bytes);
    const other = await cli('diff', weights, changed);
    expect(other.stdout).toMatch(/drift: 1 tensor of \d+ differs, first \S+: 1 of .* first at element \d+\.\n$/);
    expect(other.code).toBe(1);
  });

  it('diff counts elements of a type without numbers by their bytes', async () => {
    const [a, b] = [path.join(folder, 'a.safetensors'), path.join(folder, 'b.safetensors')];
    await writeFile(a, oneTensor('w', 'F8_E4M3', [2, 3], [1, 2, 3, 4, 5, 6]));
    await writeFile(b, oneTensor('w', 'F8_E4M3', [2, 3], [1, 2, 3, 4, 7, 8]));
    const { code, stdout } = await cli('diff', a, b, '--json');
    expect(code).toBe(1);
    const { diff } = JSON.parse(stdout) as { diff: { entries: unknown[] } };
    const what = { name: 'w', dtypeA: 'f8_e4m3', shapeA: [2, 3], bytes: 6, differingBytes: 2, differingElements: 2, firstIndex: 4, maxUlp: 0, maxAbs: 'NaN', firstA: 'NaN' };
    expect(diff.entries).toMatchObject([what]);
    expect((await cli('diff', a, a)).stdout).toMatch(/^equal: /);
  });

  it('ids compares two lists without an engine, and tells texts where a model is given', async () => {
    const [a, b, out] = [path.join(folder, 'a.json'), path.join(folder, 'b.txt'), path.join(folder, 'ids.moire.json')];
    await writeFile(a, '[5, 6, 7, 8]');
    await writeFile(b, '5 6\n9, 8');
    const same = await cli('ids', a, a);
    expect(same).toMatchObject({ code: 0, stderr: '' });
    expect(same.stdout).toMatch(/\nequal: Both lists are the same 4 ids\.\n/);
    const parted = await cli('ids', a, b, '--model', sample, '--out', out);
    expect(parted.code).toBe(3);
    expect(parted.stdout).toMatch(/\nvoid: The lists part at token 2: id 7 in A, id 9 in B\. Ids tell no margin, so whether this is a tie or a defect is not known\. /);
    expect(parted.stdout).toMatch(/first difference/);
    const report = await loadReport(out);
    expect(report).toMatchObject({ kind: 'ids', ids: { fork: { at: 2, a: 7, b: 9 }, texts: { ids: [5, 6, 7, 8, 9] } } });
    expect(report.provenance.model?.path).toBe(sample);
    // No engine is loaded where none is needed.
    expect((await cli('ids', a, b, '--library', path.join(folder, 'none.so'))).code).toBe(3);
    await writeFile(b, '5\nsix');
    const wrong = await cli('ids', a, b);
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toMatch(/^moire: "six" is not a token id \(.*b\.txt, line 2\)\. Write whole numbers from 0 to 4294967295/);
    expect((await cli('ids', a)).code).toBe(2);
  });

  it('--version and --help answer', async () => {
    expect(await cli('--version')).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    const help = await cli('bisect', '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('Examples:');
    expect((await cli()).code).toBe(2);
  });

  it.skipIf(process.platform === 'win32')('a reader that goes away is no error', async () => {
    const { stdout, stderr } = await promisify(execFile)('bash', ['-o', 'pipefail', '-c', '"$0" "$1" inspect "$2" --tensors --json | head -c 5; echo " ${PIPESTATUS[0]}"', process.execPath, cliPath, sample]);
    expect(stdout).toMatch(/^\{\n "m 0\n$/);
    expect(stderr).toBe('');
  });
});

// The pictures of the README that show a report: its own commands on the sample model, drawn in the colours of the real editor.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Report } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';
import { ViewHarness } from '../view/harness';
import { settled } from '../view/page';
import type { ThemeName } from '../view/themes';

const root = path.join(import.meta.dirname, '../..');
const model = 'samples/target-4bit';
const prompt = ['--prompt-file', 'samples/served/prompt.txt', '--burst-prefill', 'verify'];
/** Kernels that the README names, whatever the machine has. */
const kernels = ['--isa', 'avx2'];

interface Picture {
  readonly name: string;
  readonly height: number;
  readonly themes: readonly ThemeName[];
  readonly command: readonly string[];
}

const pictures: readonly Picture[] = [
  { name: 'report', height: 1180, themes: ['dark', 'light'], command: ['bisect', model, '--width', '4,8'] },
  { name: 'prefill', height: 700, themes: ['dark'], command: ['prefill', model, ...prompt] },
  { name: 'replay', height: 700, themes: ['light'], command: ['replay', model, '--log', 'samples/served/rounds.moire-capture.jsonl'] },
  { name: 'timeline', height: 740, themes: ['light'], command: ['parity', model, '-d', 'samples/drafter', '-w', '2,3,4', ...prompt, '--tokens', '64', '--ignore-eos'] },
  { name: 'sweep', height: 600, themes: ['dark'], command: ['widths', model, '-d', 'samples/drafter'] },
];

let scratch: string;
let harness: ViewHarness;
beforeAll(async () => {
  scratch = mkdtempSync(path.join(tmpdir(), 'moire-pictures-'));
  harness = await ViewHarness.start();
});
afterAll(async () => {
  await harness.stop();
  rmSync(scratch, { recursive: true, force: true });
});

function reportOf(name: string, command: readonly string[]): { readonly report: Report; readonly fileName: string } {
  const fileName = `${name}.moire.json`;
  const file = path.join(scratch, fileName);
  const run = spawnSync(process.execPath, ['dist/cli.js', ...command, ...kernels, '--out', file], { cwd: root, encoding: 'utf8' });
  if (run.error !== undefined) throw run.error;
  // Equal, they part, or a width is declined.
  expect([0, 1, 3], run.stderr).toContain(run.status);
  const read = readReport(readFileSync(file, 'utf8'));
  if (!read.ok) throw new Error(read.problem.detail);
  return { report: read.report, fileName };
}

it.each(pictures)('$name', { timeout: 600_000 }, async ({ name, height, themes, command }) => {
  const { report, fileName } = reportOf(name, command);
  for (const theme of themes) {
    const { page, send, errors } = await harness.open({ theme, width: 1400, height });
    await send({ type: 'report', report, fileName });
    await page.locator('.report').waitFor();
    await page.mouse.move(0, 0);
    await settled(page);
    await page.screenshot({ path: path.join(root, 'media', `${name}-${theme}.png`) });
    expect(errors).toEqual([]);
    await page.context().close();
  }
});

// A checkpoint whose logits are all NaN: equal bytes of it are no equality, so no probe may call anything equal.
import { cpSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, sample } from '../product';

let folder: string;
beforeAll(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'moire-nan-')), 'target');
  cpSync(sample, folder, { recursive: true });
  spoil(path.join(folder, 'model.safetensors'), 'language_model.model.norm.weight');
});
afterAll(() => rmSync(path.dirname(folder), { recursive: true, force: true }));

/** Fills a tensor with bytes that are NaN in every float type. */
function spoil(file: string, name: string): void {
  const bytes = readFileSync(file);
  const headerLength = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + headerLength).toString('utf8')) as Record<string, { data_offsets: [number, number] }>;
  const [from, to] = header[name]!.data_offsets;
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(to - from, 0xff), 0, to - from, 8 + headerLength + from);
  closeSync(handle);
}

describe('a model without a number in its logits', () => {
  it.each([
    ['gate', []],
    ['prefill', []],
    ['replay', ['-n', '8']],
    ['rewind', ['-n', '8']],
    ['parity', ['-n', '8']],
    ['widths', ['-n', '8']],
    ['switches', ['-s', 'matmul=auto,exact']],
  ] as const)('shows nothing in %s', async (verb, more) => {
    const { code, stdout, stderr } = await cli(verb, folder, ...more);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('No logit of this model is a number');
  });
});

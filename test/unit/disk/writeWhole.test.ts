// A disk that is full in the middle of a write, links, and what is there and no file.
import { execFileSync } from 'node:child_process';
import type * as Files from 'node:fs/promises';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeWhole } from '../../../src/disk/writeWhole';

const disk = vi.hoisted(() => ({ full: false }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof Files>();
  const openOnFullDisk: typeof Files.open = async (...args) => {
    const handle = await real.open(...args);
    if (!disk.full) return handle;
    // What a full disk does: a part goes through, then the error.
    handle.writeFile = async (text) => {
      await handle.write(Buffer.from(String(text)).subarray(0, 3));
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    return handle;
  };
  return { ...real, open: openOnFullDisk };
});

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'moire-atomic-'));
});
afterEach(async () => {
  disk.full = false;
  await rm(folder, { recursive: true });
});

it('replaces the old file', async () => {
  const file = path.join(folder, 'a.json');
  await writeFile(file, 'old');
  await writeWhole(file, 'new text');
  expect(await readFile(file, 'utf8')).toBe('new text');
  expect(await readdir(folder)).toEqual(['a.json']);
});

it('leaves the old file and nothing else when the disk is full', async () => {
  const file = path.join(folder, 'a.json');
  await writeFile(file, 'old');
  disk.full = true;
  await expect(writeWhole(file, 'new text')).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(await readFile(file, 'utf8')).toBe('old');
  expect(await readdir(folder)).toEqual(['a.json']);
});

it.skipIf(process.platform === 'win32')('writes behind a link and leaves the link', async () => {
  await mkdir(path.join(folder, 'far'));
  const [real, link] = [path.join(folder, 'far', 'real.json'), path.join(folder, 'link.json')];
  await writeFile(real, 'old');
  await symlink(real, link);
  await writeWhole(link, 'new text');
  expect(await readFile(real, 'utf8')).toBe('new text');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readdir(path.join(folder, 'far'))).toEqual(['real.json']);
});

it.skipIf(process.platform === 'win32')('never replaces what is no file: a pipe, a device behind a link, a folder', async () => {
  const pipe = path.join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  await symlink('/dev/null', path.join(folder, 'null'));
  await mkdir(path.join(folder, 'sub'));
  await expect(writeWhole(pipe, 'text')).rejects.toMatchObject({ code: 'ENOTREG' });
  await expect(writeWhole(path.join(folder, 'null'), 'text')).rejects.toMatchObject({ code: 'ENOTREG' });
  await expect(writeWhole(path.join(folder, 'sub'), 'text')).rejects.toMatchObject({ code: 'EISDIR' });
  expect((await lstat(pipe)).isFIFO()).toBe(true);
  expect((await readdir(folder)).sort()).toEqual(['null', 'pipe', 'sub']);
});

it.skipIf(process.platform === 'win32')('writes the file that a link names and that is yet to be, and leaves the link', async () => {
  await mkdir(path.join(folder, 'far'));
  const link = path.join(folder, 'link.json');
  await symlink('far/new.json', link);
  await writeWhole(link, new Uint8Array([104, 105]));
  expect(await readFile(path.join(folder, 'far', 'new.json'), 'utf8')).toBe('hi');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
});

it.skipIf(process.platform === 'win32')('leaves links that lead back to themselves', async () => {
  const link = path.join(folder, 'link.json');
  await symlink('link.json', link);
  await expect(writeWhole(link, 'text')).rejects.toMatchObject({ code: 'ELOOP' });
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readdir(folder)).toEqual(['link.json']);
});

// Models stay loaded between runs of one process, as long as their files stay as they were.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Call, Engine, Model } from './types';

interface Entry {
  readonly engine: Engine;
  readonly folder: string;
  readonly files: readonly FileFacts[];
  readonly model: Model;
}

/** More would fill the memory of whoever compares many models. */
const kept = 2;

interface FileFacts {
  readonly name: string;
  /** Another one for a file that was put in the place of this one, which leaves the mapped bytes alone. */
  readonly inode: number;
  readonly size: number;
  readonly time: number;
}

/** Every file that makes a model; none for a folder that cannot be read. */
async function filesOf(folder: string): Promise<FileFacts[]> {
  try {
    const names = (await readdir(folder)).filter((name) => /\.(?:json|safetensors|jinja|txt)$/.test(name)).sort();
    return await Promise.all(names.map(async (name) => stat(path.join(folder, name)).then(({ ino, size, mtimeMs }) => ({ name, inode: ino, size, time: mtimeMs }))));
  } catch {
    return [];
  }
}

const stampOf = (files: readonly FileFacts[]): string => JSON.stringify(files);

export class ModelCache {
  private entries: Entry[] = [];

  /** The model of a folder, loaded if it is not or if its files have changed. Errors are those of `engine.load`. */
  async get(engine: Engine, folder: string, call: Call): Promise<Model> {
    const files = await filesOf(folder);
    const known = this.entries.find((entry) => entry.engine === engine && entry.folder === folder);
    if (known !== undefined && files.length > 0 && stampOf(known.files) === stampOf(files)) {
      this.entries = [known, ...this.entries.filter((entry) => entry !== known)];
      return known.model;
    }
    if (known !== undefined) this.drop(known);
    const model = await engine.load(folder, call);
    this.entries = [{ engine, folder, files, model }, ...this.entries];
    for (const old of this.entries.slice(kept)) this.drop(old);
    return model;
  }

  /**
   * Names of weight files that were written to in place since the model was loaded. They are mapped, so the model has changed under its sessions.
   * A file that was removed, or replaced by renaming another one over it, is not among them: the map keeps the old one.
   */
  async rewritten(model: Model): Promise<string[]> {
    const entry = this.entries.find((one) => one.model === model);
    if (entry === undefined) return [];
    const now = await filesOf(entry.folder);
    const changed = (old: FileFacts): boolean => now.some(({ name, inode, size, time }) => name === old.name && inode === old.inode && (size !== old.size || time !== old.time));
    return entry.files.filter((file) => file.name.endsWith('.safetensors') && changed(file)).map(({ name }) => name);
  }

  close(): void {
    for (const entry of [...this.entries]) this.drop(entry);
  }

  /** Sessions that still run keep their model alive. */
  private drop(entry: Entry): void {
    this.entries = this.entries.filter((one) => one !== entry);
    entry.model.close();
  }
}

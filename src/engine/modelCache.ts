// Models stay loaded between runs of one process, as long as their files stay as they were.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Call, Engine, Model } from './types';

interface Entry {
  readonly engine: Engine;
  readonly folder: string;
  readonly stamp: string;
  readonly model: Model;
}

/** More would fill the memory of whoever compares many models. */
const kept = 2;

/** Name, size and time of every file that makes a model; "" for a folder that cannot be read. */
async function stampOf(folder: string): Promise<string> {
  try {
    const names = (await readdir(folder)).filter((name) => /\.(?:json|safetensors|jinja|txt)$/.test(name)).sort();
    const facts = await Promise.all(names.map(async (name) => stat(path.join(folder, name)).then(({ size, mtimeMs }) => `${name} ${size} ${mtimeMs}`)));
    return facts.join('\n');
  } catch {
    return '';
  }
}

export class ModelCache {
  private entries: Entry[] = [];

  /** The model of a folder, loaded if it is not or if its files have changed. Errors are those of `engine.load`. */
  async get(engine: Engine, folder: string, call: Call): Promise<Model> {
    const stamp = await stampOf(folder);
    const known = this.entries.find((entry) => entry.engine === engine && entry.folder === folder);
    if (known !== undefined && stamp !== '' && known.stamp === stamp) {
      this.entries = [known, ...this.entries.filter((entry) => entry !== known)];
      return known.model;
    }
    if (known !== undefined) this.drop(known);
    const model = await engine.load(folder, call);
    this.entries = [{ engine, folder, stamp, model }, ...this.entries];
    for (const old of this.entries.slice(kept)) this.drop(old);
    return model;
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

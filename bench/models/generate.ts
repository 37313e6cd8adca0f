// Makes the files of a shape, all in one pass, whole or not at all.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { closeFile, createFile, type Writable } from './files';
import { writeGgufFloats, writeGgufHeader, writeGgufMatrix, type GgufFormat } from './gguf';
import { codesOf, floatsOf } from './numbers';
import { mlxConfig, writeSafetensorsFloats, writeSafetensorsHeader, writeSafetensorsMatrix } from './safetensors';
import type { Shape } from './shape';
import { tensorsOf, type ModelTensor } from './tensors';

/** Changes with the numbers or the layout of the files, so that older ones are made anew. */
const generation = 1;
const seed = `moire bench ${generation}`;
const formats: readonly GgufFormat[] = ['q4_0', 'q4_1'];

export interface ModelFiles {
  readonly shape: Shape;
  /** Folder of the MLX checkpoint. */
  readonly mlx: string;
  readonly gguf: Readonly<Record<GgufFormat, string>>;
}

function filesIn(folder: string, shape: Shape): ModelFiles {
  return { shape, mlx: path.join(folder, 'mlx'), gguf: { q4_0: path.join(folder, 'q4_0.gguf'), q4_1: path.join(folder, 'q4_1.gguf') } };
}

function writeTensor(tensor: ModelTensor, mlx: Writable, ggufs: ReadonlyMap<GgufFormat, Writable>): void {
  if (tensor.kind === 'matrix') {
    const codes = codesOf(tensor, seed);
    writeSafetensorsMatrix(mlx, codes);
    for (const [format, file] of ggufs) writeGgufMatrix(file, tensor, codes, format);
    return;
  }
  const values = floatsOf(tensor, seed);
  writeSafetensorsFloats(mlx, tensor, values);
  for (const file of ggufs.values()) writeGgufFloats(file, tensor, values);
}

function writeAll({ shape, mlx: folder, gguf }: ModelFiles, onProgress: (done: number, total: number) => void): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'config.json'), JSON.stringify(mlxConfig(shape), null, 1));
  if (shape.tokenizer !== undefined) copyFileSync(shape.tokenizer, path.join(folder, 'tokenizer.json'));
  const tensors = tensorsOf(shape);
  const mlx = createFile(path.join(folder, 'model.safetensors'));
  const ggufs = new Map(formats.map((format) => [format, createFile(gguf[format])]));
  try {
    writeSafetensorsHeader(mlx, tensors);
    for (const [format, file] of ggufs) writeGgufHeader(file, shape, tensors, format);
    for (const [i, tensor] of tensors.entries()) {
      writeTensor(tensor, mlx, ggufs);
      onProgress(i + 1, tensors.length);
    }
  } finally {
    for (const file of [mlx, ...ggufs.values()]) closeFile(file);
  }
}

/** The files of `shape` in a folder of its name below `root`, made if they are not there yet. */
export function ensureModel(root: string, shape: Shape, onProgress: (done: number, total: number) => void = () => undefined): ModelFiles {
  const folder = path.join(root, shape.name);
  const stamp = path.join(folder, 'stamp.json');
  const key = JSON.stringify({ generation, shape });
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return filesIn(folder, shape);
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  writeAll(filesIn(unfinished, shape), onProgress);
  writeFileSync(path.join(unfinished, 'stamp.json'), key);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return filesIn(folder, shape);
}

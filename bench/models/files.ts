// Writing large files in parts.
import { closeSync, openSync, writeSync } from 'node:fs';

export interface Writable {
  readonly descriptor: number;
  /** Bytes written so far. */
  length: number;
}

export function createFile(path: string): Writable {
  return { descriptor: openSync(path, 'w'), length: 0 };
}

export function closeFile({ descriptor }: Writable): void {
  closeSync(descriptor);
}

/** The bytes of an array of numbers, little-endian as all machines are that an engine of ours runs on. */
export function writePart(file: Writable, part: Uint8Array | Uint16Array | Float32Array): void {
  const bytes = new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  for (let at = 0; at < bytes.length;) at += writeSync(file.descriptor, bytes, at, bytes.length - at);
  file.length += bytes.length;
}

/** Zeros up to a multiple of `unit`. */
export function alignFile(file: Writable, unit: number): void {
  const rest = file.length % unit;
  if (rest > 0) writePart(file, new Uint8Array(unit - rest));
}

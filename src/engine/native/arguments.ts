// Checks every argument before native code sees it: koffi takes a Float32Array for bytes, -1 for an unsigned, and a length beyond the buffer.
import { types } from 'node:util';
import type { FunctionDeclaration, Parameter } from './header';

export type NativeArgument = number | Uint8Array | BigUint64Array | null;

/** Throws a TypeError or RangeError that names function and parameter. */
export function checkArguments({ name, parameters }: FunctionDeclaration, values: readonly NativeArgument[]): void {
  if (values.length !== parameters.length) throw new TypeError(`${name} takes ${parameters.length} arguments, not ${values.length}`);
  for (const [i, parameter] of parameters.entries()) {
    const value = values[i] ?? null;
    const place = `${name}: ${parameter.name}`;
    checkOne(place, parameter, value);
    if (parameter.name === 'len' || parameter.name === 'cap') checkLength(place, value, values[i - 1] ?? null);
  }
}

const limits = { u64: { least: 0, most: Number.MAX_SAFE_INTEGER }, u32: { least: 0, most: 0xffff_ffff }, i32: { least: -0x8000_0000, most: 0x7fff_ffff } };

function checkOne(place: string, { kind }: Parameter, value: NativeArgument): void {
  switch (kind) {
    case 'u64':
    case 'u32':
    case 'i32':
      return checkInteger(place, value, limits[kind]);
    case 'bytesIn':
    case 'bytesOut':
      if (value !== null && !types.isUint8Array(value)) throw new TypeError(`${place} takes a Uint8Array, not ${describe(value)}`);
      return;
    case 'u64Out':
      if (value !== null && !(types.isBigUint64Array(value) && value.length > 0)) throw new TypeError(`${place} takes a BigUint64Array, not ${describe(value)}`);
      return;
    case 'struct':
      if (value !== null) checkStruct(place, value);
  }
}

function checkInteger(place: string, value: NativeArgument, { least, most }: { least: number; most: number }): void {
  if (typeof value !== 'number') throw new TypeError(`${place} takes a number, not ${describe(value)}`);
  if (!Number.isSafeInteger(value) || value < least || value > most) throw new RangeError(`${place} is ${value}; it takes a whole number from ${least} to ${most}`);
}

/** The callee fills as many bytes as struct_size says. */
function checkStruct(place: string, value: NativeArgument): void {
  if (!types.isUint8Array(value)) throw new TypeError(`${place} takes the bytes of a struct, not ${describe(value)}`);
  if (value.byteLength < 4) throw new RangeError(`${place} has ${value.byteLength} bytes; a struct begins with its 4-byte struct_size`);
  const size = new DataView(value.buffer, value.byteOffset, 4).getUint32(0, true);
  if (size > value.byteLength) throw new RangeError(`${place} says struct_size ${size} in ${value.byteLength} bytes`);
}

function checkLength(place: string, value: NativeArgument, buffer: NativeArgument): void {
  if (types.isUint8Array(buffer) && typeof value === 'number' && value > buffer.byteLength) {
    throw new RangeError(`${place} is ${value}, but the buffer has ${buffer.byteLength} bytes`);
  }
}

function describe(value: unknown): string {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return value.constructor.name;
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineStatuses } from '../../../src/engine/engineError';
import { parseHeader } from '../../../src/engine/native/header';
import { library, root } from './support';

const text = readFileSync(path.join(root, 'native/include/moire.h'), 'utf8');
const header = parseHeader(text);

describe('moire.h as the binding reads it', () => {
  it('has the statuses that EngineError knows, and the library names them alike', () => {
    expect([...header.statuses.values()]).toEqual(['OK', ...engineStatuses]);
    for (const [status, name] of header.statuses) expect(library.raw('moire_status_name', status)).toBe(name);
    for (const unknown of [1, -14, 2147483647, -2147483648]) expect(library.raw('moire_status_name', unknown)).toBe('UNKNOWN');
  });

  it('has the struct sizes it promises in its comments', () => {
    const promised = [...text.matchAll(/\/\* (\d+) bytes\.[\s\S]*?typedef struct (\w+)/g)].map(([, size, name]) => [name, Number(size)]);
    expect(promised).toHaveLength(3);
    expect([...header.structs.values()].map(({ name, size }) => [name, size])).toEqual(promised);
  });

  it('lays out fields as C does', () => {
    const offsets = (name: string): Record<string, number> => Object.fromEntries([...(header.structs.get(name)?.fields ?? [])].map(([field, { offset }]) => [field, offset]));
    expect(offsets('moire_error')).toEqual({ struct_size: 0, code: 4, where: 8, message: 128 });
    expect(offsets('moire_progress')).toEqual({ struct_size: 0, state: 4, done: 8, total: 16, stage: 24 });
    expect(offsets('moire_tensor_desc')).toEqual({ struct_size: 0, dtype: 4, rank: 8, reserved: 12, nbytes: 16, shape: 24, reserved2: 88 });
  });

  it('declares every function that it names, and every prototype is read', () => {
    const named = new Set([...text.matchAll(/^[\w ]+[ *](moire_\w+)\(/gm)].map(([, name]) => name));
    expect([...header.functions.keys()]).toEqual([...named]);
    expect(header.functions.get('moire_tensor_read')).toEqual({
      name: 'moire_tensor_read',
      prototype: 'int32_t moire_tensor_read(uint64_t tensor, uint64_t offset, uint8_t *dst, uint64_t cap, _Out_ uint64_t *written, void *err)',
      parameters: [
        { name: 'tensor', kind: 'u64' },
        { name: 'offset', kind: 'u64' },
        { name: 'dst', kind: 'bytesOut' },
        { name: 'cap', kind: 'u64' },
        { name: 'written', kind: 'u64Out' },
        { name: 'err', kind: 'struct' },
      ],
    });
  });

  it('refuses a type that the binding has no rule for', () => {
    expect(() => parseHeader('#define MOIRE_ABI_VERSION 0x1u\nint32_t moire_x(double y);')).toThrow('double');
    expect(() => parseHeader('#define MOIRE_ABI_VERSION 0x1u\nint32_t moire_x(void **y);')).toThrow('void **y');
    expect(() => parseHeader('int x;')).toThrow('MOIRE_ABI_VERSION');
  });
});

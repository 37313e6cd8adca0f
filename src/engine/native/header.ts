// Reads moire.h: its text is the binding, so that no second list of functions, structs and statuses can drift from it.

export type ParameterKind = 'u64' | 'u32' | 'i32' | 'bytesIn' | 'bytesOut' | 'u64Out' | 'struct';

export interface Parameter {
  readonly name: string;
  readonly kind: ParameterKind;
}

export interface FunctionDeclaration {
  readonly name: string;
  /** The prototype as koffi takes it. */
  readonly prototype: string;
  readonly parameters: readonly Parameter[];
}

export interface Field {
  readonly offset: number;
  readonly type: 'u32' | 'i32' | 'u64' | 'char';
  /** Elements; 1 for a plain field. */
  readonly count: number;
}

export interface StructLayout {
  readonly name: string;
  readonly size: number;
  readonly fields: ReadonlyMap<string, Field>;
}

export interface Header {
  readonly abiVersion: number;
  /** Status number to name, "E_HANDLE" as moire_status_name says it. */
  readonly statuses: ReadonlyMap<number, string>;
  readonly structs: ReadonlyMap<string, StructLayout>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
}

/** Throws if the text is not a header of this form. */
export function parseHeader(text: string): Header {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\//g, ' ');
  const abi = /#define MOIRE_ABI_VERSION (0x[0-9a-fA-F]+)u/.exec(code)?.[1];
  if (abi === undefined) throw new Error('moire.h has no MOIRE_ABI_VERSION');
  return { abiVersion: Number(abi), statuses: parseStatuses(code), structs: parseStructs(code), functions: parseFunctions(code) };
}

function parseStatuses(code: string): Map<number, string> {
  const statuses = new Map<number, string>();
  for (const [, name = '', value] of code.matchAll(/#define MOIRE_(OK|E_\w+) \(?(-?\d+)\)?/g)) statuses.set(Number(value), name);
  return statuses;
}

const sizes = { u32: 4, i32: 4, u64: 8, char: 1 } as const;

function parseStructs(code: string): Map<string, StructLayout> {
  const structs = new Map<string, StructLayout>();
  for (const [, name = '', body = ''] of code.matchAll(/typedef struct (\w+) \{([^}]*)\}/g)) structs.set(name, layOut(name, body));
  return structs;
}

/** Natural alignment, as C lays these out. */
function layOut(name: string, body: string): StructLayout {
  const fields = new Map<string, Field>();
  let end = 0;
  let align = 1;
  for (const [, ctype = '', field = '', count = '1'] of body.matchAll(/(\w+) (\w+)(?:\[(\d+)\])?;/g)) {
    const type = ctype === 'char' ? 'char' : scalar(ctype);
    const size = sizes[type];
    const offset = Math.ceil(end / size) * size;
    fields.set(field, { offset, type, count: Number(count) });
    end = offset + size * Number(count);
    align = Math.max(align, size);
  }
  return { name, size: Math.ceil(end / align) * align, fields };
}

function scalar(ctype: string): 'u32' | 'i32' | 'u64' {
  switch (ctype) {
    case 'uint32_t':
      return 'u32';
    case 'int32_t':
      return 'i32';
    case 'uint64_t':
      return 'u64';
    default:
      throw new Error(`moire.h uses the type ${ctype}, which this binding does not know`);
  }
}

function parseFunctions(code: string): Map<string, FunctionDeclaration> {
  const functions = new Map<string, FunctionDeclaration>();
  for (const [, result = '', name = '', list = ''] of code.matchAll(/^([\w ]+[ *])(moire_\w+)\(([^)]*)\);/gm)) {
    const parameters = list === 'void' ? [] : list.split(',').map((p) => parseParameter(p.trim()));
    // Structs are passed as bytes: koffi's named types live in one table per process, and a second load would clash with it.
    const plain = list.replaceAll(/\bOUT\b/g, '_Out_').replaceAll(/\bmoire_\w+ \*/g, 'void *');
    functions.set(name, { name, prototype: `${result}${name}(${plain})`, parameters });
  }
  return functions;
}

function parseParameter(text: string): Parameter {
  const match = /^(OUT )?(const )?(\w+) (\*)?(\w+)$/.exec(text);
  if (!match) throw new Error(`moire.h has a parameter "${text}", which this binding does not know`);
  const [, out, constant, type = '', pointer, name = ''] = match;
  if (!pointer) return { name, kind: scalar(type) };
  if (type.startsWith('moire_')) return { name, kind: 'struct' };
  if (out && type === 'uint64_t') return { name, kind: 'u64Out' };
  if (type === 'uint8_t') return { name, kind: constant ? 'bytesIn' : 'bytesOut' };
  throw new Error(`moire.h has a parameter "${text}", which this binding does not know`);
}

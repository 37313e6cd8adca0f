// Loads a library that implements moire.h and binds its functions from the header's own text. The one file that imports koffi.
import koffi, { type KoffiFunc, type LibraryHandle } from 'koffi';
import { readFileSync } from 'node:fs';
import { EngineError, type EngineStatus, engineStatuses } from '../engineError';
import { checkArguments, type NativeArgument } from './arguments';
import { type FunctionDeclaration, type Header, parseHeader } from './header';
import { locateHeader } from './locate';
import { Struct } from './structs';

type NativeFunction = KoffiFunc<(...values: NativeArgument[]) => number | string>;

interface Bound {
  readonly declaration: FunctionDeclaration;
  readonly native: NativeFunction;
}

export class NativeLibrary {
  private readonly functions: ReadonlyMap<string, Bound>;
  /** One for all synchronous calls: nothing runs between a call and the reading of its error. */
  private readonly error: Struct;

  private constructor(
    readonly path: string,
    readonly header: Header,
    readonly abiVersion: number,
    functions: ReadonlyMap<string, Bound>,
  ) {
    this.functions = functions;
    this.error = this.struct('moire_error');
  }

  /** Load the library at `path`. Throws EngineError: E_UNSUPPORTED if it is no engine, E_VERSION if its ABI does not fit. */
  static load(path: string): NativeLibrary {
    const header = parseHeader(readFileSync(locateHeader(), 'utf8'));
    const library = open(path);
    const bind = (declaration: FunctionDeclaration): Bound => ({ declaration, native: bindOne(library, path, declaration) });
    const version = header.functions.get('moire_abi_version');
    if (!version) throw new Error('moire.h does not declare moire_abi_version');
    const abiVersion = Number(bind(version).native());
    requireAbi(path, abiVersion, header.abiVersion);
    const functions = new Map([...header.functions].map(([name, declaration]) => [name, bind(declaration)]));
    return new NativeLibrary(path, header, abiVersion, functions);
  }

  /** A zeroed struct of moire.h. */
  struct(name: string): Struct {
    const layout = this.header.structs.get(name);
    if (!layout) throw new TypeError(`moire.h has no struct ${name}`);
    return new Struct(layout);
  }

  /** Call a function as it is declared; gives what it returns. */
  raw(name: string, ...values: NativeArgument[]): number | string {
    const { declaration, native } = this.bound(name);
    checkArguments(declaration, values);
    return native(...values);
  }

  /** Call a fallible function, all but its last argument; throws its EngineError. */
  call(name: string, ...values: NativeArgument[]): void {
    const status = this.raw(name, ...values, this.error.bytes) as number;
    if (status !== 0) throw this.toError(status, this.error);
  }

  /** As `call`, on a thread of libuv's pool, so only for calls that wait or copy much. */
  async callAsync(name: string, ...values: NativeArgument[]): Promise<void> {
    const error = this.struct('moire_error');
    const { declaration, native } = this.bound(name);
    const all = [...values, error.bytes];
    checkArguments(declaration, all);
    const status = await new Promise<number>((resolve, reject) => {
      const done = (failure: Error | null, result: number | string): void => (failure ? reject(failure) : resolve(Number(result)));
      (native.async as (...values: unknown[]) => void)(...all, done);
    });
    if (status !== 0) throw this.toError(status, error);
  }

  private bound(name: string): Bound {
    const bound = this.functions.get(name);
    if (!bound) throw new TypeError(`moire.h declares no function ${name}`);
    return bound;
  }

  private toError(status: number, error: Struct): EngineError {
    const name = this.header.statuses.get(status);
    const known: EngineStatus = engineStatuses.find((s) => s === name) ?? 'E_INTERNAL';
    return new EngineError(known, error.text('where'), error.text('message') || `status ${status}`);
  }
}

function open(path: string): LibraryHandle {
  try {
    return koffi.load(path);
  } catch (cause) {
    const text = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError('E_UNSUPPORTED', path, `The system cannot load this library: ${text}`, { cause });
  }
}

function bindOne(library: LibraryHandle, path: string, { name, prototype }: FunctionDeclaration): NativeFunction {
  try {
    return library.func(prototype) as NativeFunction;
  } catch (cause) {
    throw new EngineError('E_UNSUPPORTED', path, `This library is no Moire engine: it has no function ${name}.`, { cause });
  }
}

const spell = (version: number): string => `${version >>> 16}.${version & 0xffff}`;

/** Majors must be equal, the library's minor must be at least ours. */
function requireAbi(path: string, have: number, want: number): void {
  if (have >>> 16 === want >>> 16 && (have & 0xffff) >= (want & 0xffff)) return;
  throw new EngineError(
    'E_VERSION',
    path,
    `This engine library has ABI ${spell(have)}, this version of Moire needs ${spell(want)}. Install the library that belongs to it, or update Moire. (${path})`,
  );
}

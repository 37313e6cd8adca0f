// What a library says about itself.
import { EngineError } from '../engineError';
import type { NativeLibrary } from './library';
import { BuildInfo } from './results';

const mostBytes = 1 << 20;

/** Throws EngineError E_INTERNAL if the document is not what moire.h says. */
export function readBuildInfo(library: NativeLibrary): BuildInfo {
  const buffer = new Uint8Array(mostBytes);
  const need = new BigUint64Array(1);
  library.call('moire_build_info', buffer, buffer.byteLength, need);
  const parsed = BuildInfo.safeParse(JSON.parse(new TextDecoder().decode(buffer.subarray(0, Number(need[0])))));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new EngineError('E_INTERNAL', library.path, `moire_build_info is not what moire.h says: /${issue?.path.join('/') ?? ''} ${issue?.message ?? ''}`);
}

// The config of a checkpoint folder. Anybody may have written it.
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';

/** A larger config is none of ours. */
const configLimit = 1 << 20;

/** As it stands there, undefined where none can be read. */
export async function configOf(folder: string): Promise<unknown> {
  const file = path.join(folder, 'config.json');
  try {
    const found = await stat(file);
    return found.isFile() && found.size <= configLimit ? JSON.parse(await readFile(file, 'utf8')) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether it is that of a checkpoint which cannot run by itself. `config`: any JSON. */
export function isDrafterConfig(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false;
  const { model_type: type, architectures, dflash_config: dflash } = config as { model_type?: unknown; architectures?: unknown; dflash_config?: unknown };
  const names: readonly unknown[] = Array.isArray(architectures) ? architectures : [];
  return dflash !== undefined || (typeof type === 'string' && type.endsWith('_mtp')) || names.some((name) => typeof name === 'string' && name.startsWith('DFlash'));
}

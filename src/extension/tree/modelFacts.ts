// What the files of a checkpoint tell cheaply: names in its config, and the sizes of its weights. The engine is not asked.
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { configOf, isDrafterConfig } from '../modelConfig';

export interface ConfigFacts {
  /** "qwen3_5", "" where the config does not say. */
  readonly architecture: string;
  /** Bits of a weight and weights of a group, null where they are not quantised. */
  readonly quantisation: { readonly bits: number; readonly group: number } | null;
  /** "bfloat16", "" where the config does not say. */
  readonly dtype: string;
  readonly drafter: boolean;
}

export interface FolderFacts extends ConfigFacts {
  readonly weightBytes: number;
}

export async function factsOf(folder: string): Promise<FolderFacts> {
  const [config, weightBytes] = await Promise.all([configOf(folder), bytesOfWeights(folder)]);
  return { ...configFacts(config), weightBytes };
}

/** `config`: any JSON. */
export function configFacts(config: unknown): ConfigFacts {
  const top = fields(config);
  const text = fields(top['text_config']);
  return {
    architecture: word(top['model_type']) || word(text['model_type']),
    quantisation: quantisationOf(top['quantization']) ?? quantisationOf(top['quantization_config']),
    dtype: word(top['dtype']) || word(top['torch_dtype']) || word(text['dtype']) || word(text['torch_dtype']),
    drafter: isDrafterConfig(config),
  };
}

function quantisationOf(value: unknown): ConfigFacts['quantisation'] {
  const { bits, group_size: group } = fields(value);
  return isCount(bits) && isCount(group) ? { bits, group } : null;
}

const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) > 0 && (value as number) < 1e6;

const fields = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : {});

/** A name as configs have them; anything else is no name. */
const word = (value: unknown): string => (typeof value === 'string' && /^[\w.-]{1,60}$/.test(value) ? value : '');

async function bytesOfWeights(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.safetensors'));
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).then(({ size }) => size, () => 0)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

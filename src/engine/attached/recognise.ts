// Which engine answers, by what it says of itself. Only GETs that change nothing are sent.
import { z } from 'zod';
import type { ServerEngine } from '../../shared/serverProfile';
import { listOf } from '../../shared/firstFault';
import { askJson, type Target } from './http';
import { factLimits } from './limits';
import type { ModelsShape } from './shapes';

export interface Recognised {
  readonly engine: ServerEngine;
  readonly version: string;
  readonly evidence: string;
}

const text = z.string().max(1024);
const pages = {
  props: ['/props', z.object({ build_info: text.nullish(), default_generation_settings: z.record(z.string(), z.unknown()) })],
  version: ['/version', z.object({ version: text })],
  sglang: ['/get_server_info', z.object({ version: text.nullish(), disable_radix_cache: z.boolean().nullish(), speculative_algorithm: text.nullish() })],
  ollama: ['/api/version', z.object({ version: text })],
  lmStudio: ['/api/v0/models', z.object({ data: listOf(z.object({ id: text, state: text.nullish(), max_context_length: z.int().nullish() })) })],
  tgi: ['/info', z.object({ model_id: text, version: text, router: text.nullish(), docker_label: text.nullish() })],
} as const;
type Pages = { readonly [P in keyof typeof pages]: z.infer<(typeof pages)[P][1]> | null };

/** A page that is not there, or is another's, says nothing. */
async function page<T>(target: Target, path: string, schema: z.ZodType<T>, signal: AbortSignal | undefined): Promise<T | null> {
  const found = await askJson(target, { path }, { limits: factLimits, signal }).catch(() => null);
  const parsed = schema.safeParse(found?.value);
  return parsed.success ? parsed.data : null;
}

export async function readPages(target: Target, signal: AbortSignal | undefined): Promise<Pages> {
  const names = Object.keys(pages) as (keyof typeof pages)[];
  const found = await Promise.all(names.map(async (name): Promise<[string, unknown]> => [name, await page<unknown>(target, pages[name][0], pages[name][1], signal)]));
  return Object.fromEntries(found) as unknown as Pages;
}

/** Owners of models that only one engine names. */
const owners: Readonly<Record<string, ServerEngine>> = { llamacpp: 'llama-server', vllm: 'vllm', sglang: 'sglang', library: 'ollama', organization_owner: 'lm-studio' };

/** What is known of a server before it is asked for an answer. */
interface Said {
  readonly first: ModelsShape['data'][number] | undefined;
  readonly pages: Pages;
  /** The header of its HTTP library. */
  readonly server: string;
}

type Sign = (said: Said) => Recognised | null;
const found = (engine: ServerEngine, version: string | null | undefined, evidence: string): Recognised => ({ engine, version: version ?? '', evidence });

/** In this order: several engines have pages of others, for clients of those. */
const signs: readonly Sign[] = [
  ({ first }) => (first?.moire === undefined ? null : found('moire', '', 'its models carry the facts of a served run of Moire')),
  ({ first, server, pages: { props, version } }) => ([first?.owned_by, server, props?.build_info].join(' ').toLowerCase().includes('mlxcel') ? found('mlxcel', version?.version, 'it names itself') : null),
  ({ pages: { props } }) => (props === null ? null : found('llama-server', props.build_info, '/props has default_generation_settings')),
  ({ pages: { tgi } }) => (tgi === null ? null : found('tgi', tgi.version, '/info names model and version')),
  ({ pages: { sglang } }) => (sglang?.disable_radix_cache === undefined ? null : found('sglang', sglang.version, '/get_server_info has disable_radix_cache')),
  ({ pages: { lmStudio } }) => (lmStudio === null ? null : found('lm-studio', '', 'it has /api/v0/models')),
  ({ pages: { ollama } }) => (ollama === null ? null : found('ollama', ollama.version, 'it has /api/version')),
  ({ first, pages: { version } }) => {
    const owner = owners[first?.owned_by ?? ''];
    return owner === undefined ? null : found(owner, version?.version, `its models are owned by "${first?.owned_by ?? ''}"`);
  },
  ({ first, server }) => (server.startsWith('BaseHTTP/') && (first?.owned_by ?? '') === '' ? found('mlx-lm', '', 'a Python server of the standard library whose models have no owner') : null),
];

export function recognise({ data }: ModelsShape, headers: Headers, pages: Pages): Recognised {
  const said: Said = { first: data[0], pages, server: headers.get('server') ?? '' };
  for (const sign of signs) {
    const seen = sign(said);
    if (seen !== null) return seen;
  }
  const owner = said.first?.owned_by ?? '';
  return found('unknown', pages.version?.version, owner === '' ? 'nothing that it says is known' : `its models are owned by "${owner.slice(0, 60)}"`);
}

/** "0.32.2-0.32.4-Linux-..." of mlx-lm: its version, that of MLX, the platform. */
export const mlxVersion = (fingerprint: string): string => /^(\d+\.\d+\.\d+\S{0,20}?)-\d+\.\d+\.\d+\S{0,20}?-/.exec(fingerprint)?.[1] ?? '';

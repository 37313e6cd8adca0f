// Attaches to a server: what it says of itself, and what tiny requests show.
import type { AttachRequest } from '../../shared/engineProtocol';
import { addressFault, serverBase } from '../../shared/serverAddress';
import type { ServerProfile } from '../../shared/serverProfile';
import { badInput } from '../problem';
import { shaped, type Told } from './answer';
import { readCounters } from './counters';
import { dialects } from './dialects';
import { askJson, type Target } from './http';
import { factLimits, modelsMost } from './limits';
import { mlxVersion, readPages, recognise } from './recognise';
import { ModelsShape } from './shapes';
import { tryEndpoints, tryMore } from './trials';

/** Throws a Problem for an address that cannot be used. */
export function targetOf(url: string, token: string): Target {
  const fault = addressFault(url);
  if (fault !== '') throw badInput(`This is no address of a server: ${fault}`, url.slice(0, 200), '');
  // A header cannot hold them, and fetch would say so without naming the token.
  if (!/^[\x21-\x7e]*$/.test(token)) throw badInput('The token holds characters that no token has', 'token', 'Give it without spaces and line breaks');
  return { url: serverBase(url), token };
}

async function modelsOf(target: Target, signal: AbortSignal | undefined): Promise<{ models: ModelsShape; headers: Headers }> {
  const path = '/v1/models';
  const { value, headers } = await askJson(target, { path }, { limits: factLimits, signal });
  const models = shaped(ModelsShape, value, 'a list of models', target.url + path);
  return { models: { data: models.data.slice(0, modelsMost) }, headers };
}

function notesOn({ tokens, speculation }: Told): string[] {
  const values = tokens.flatMap(({ logprob }) => (logprob === null ? [] : [logprob]));
  const zeros = values.length > 1 && values.every((value) => value === 0);
  return [
    ...(zeros ? ['Every log probability is exactly 0, which no model gives: they cannot be trusted. Some engines print this while they speculate.'] : []),
    ...(speculation !== null && speculation.accepted > speculation.drafted && speculation.drafted >= 0 ? ['It counts more accepted drafts than proposed ones.'] : []),
  ];
}

const contextOf = (card: ModelsShape['data'][number] | undefined): number => card?.moire?.context ?? card?.max_model_len ?? card?.context_length ?? card?.meta?.n_ctx ?? 0;

/** Throws a Problem; one whose place is the token's is mended by another token. */
export async function attach({ url, model: wanted, token }: AttachRequest, signal?: AbortSignal): Promise<ServerProfile> {
  const target = targetOf(url, token);
  const { models, headers } = await modelsOf(target, signal);
  const names = models.data.map(({ id }) => id);
  const model = wanted === '' ? names[0] : wanted;
  if (model === undefined) throw badInput('The server names no model', target.url, 'Load one there, or give its name');
  const { engine, version, evidence } = recognise(models, headers, await readPages(target, signal));
  const trial = { target, engine, model, signal };
  const endpoints = await tryEndpoints(trial);
  const counted = (await readCounters(target, signal)) !== null;
  const capabilities = await tryMore(trial, endpoints, counted);
  const sample = endpoints.sample?.told;
  return {
    url: target.url,
    engine,
    version: version === '' && engine === 'mlx-lm' ? mlxVersion(sample?.fingerprint ?? '') : version,
    evidence,
    model,
    models: names,
    context: contextOf(models.data.find(({ id }) => id === model)),
    capabilities,
    notes: [...dialects[engine].notes, ...(sample === undefined ? [] : notesOn(sample)), ...(wanted !== '' && !names.includes(wanted) ? [`The server does not list the model "${wanted.slice(0, 100)}".`] : [])],
  };
}

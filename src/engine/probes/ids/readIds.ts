// The ids of a file: a list of them, or what a request of a log emitted.
import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { requestNamed, type Capture, type CapturedRequest } from '../../../shared/capture';
import { idsLimits, type IdsFile } from '../../../shared/experiment';
import { formatBytes, formatCount } from '../../../shared/format';
import { importCapture } from '../../acceptLogs/importCapture';
import { badInput, Problem } from '../../problem';
import { reasonOf } from '../../reportStore';
import type { ProbeCall } from '../probe';
import { idsOf } from './idList';

export interface ReadIds {
  readonly source: 'list' | 'log';
  readonly about: string;
  readonly ids: readonly number[];
  /** Whether the first id of a log is the one that the prefill chose; null for a list. */
  readonly firstBonus: boolean | null;
}

/** Throws a Problem that names the file, the line where there is one, and what to do. */
export async function readIds({ file, request }: IdsFile, call: ProbeCall): Promise<ReadIds> {
  const ids = request === null ? idsOf(await textOf(file, call), file) : null;
  if (ids === null) return ofLog(await capture(file, call), request, file);
  if (ids.length === 0) throw badInput('This file holds no token id', file, 'Give a file that holds at least one');
  return { source: 'list', about: '', ids, firstBonus: null };
}

async function textOf(file: string, { signal }: ProbeCall): Promise<string> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw badInput('This is not a file', file, 'Give a file of token ids');
    if (facts.size > idsLimits.bytes) throw badInput(`This file is too large for a list of token ids: it has ${formatBytes(facts.size)}, at most ${formatBytes(idsLimits.bytes)} are read`, file, 'Cut out the part of interest');
    const bytes = await readFile(file, { signal });
    if (!isUtf8(bytes)) throw badInput('This file is not UTF-8, so its bytes are no text', `${file}, line ${formatCount(lineOfFault(bytes))}`, 'Save it as UTF-8');
    return bytes.toString('utf8').replace(/^\ufeff/, '');
  } catch (error) {
    if (error instanceof Problem || !(error instanceof Error && 'code' in error) || signal?.aborted === true) throw error;
    throw badInput(`The token ids cannot be read: ${error.code === 'ENOENT' ? 'the file does not exist' : reasonOf(error)}`, file, 'Check the path');
  }
}

function lineOfFault(bytes: Buffer): number {
  let line = 1;
  for (let from = 0; ; line += 1) {
    const end = bytes.indexOf(10, from);
    if (end < 0 || !isUtf8(bytes.subarray(from, end))) return line;
    from = end + 1;
  }
}

async function capture(file: string, call: ProbeCall): Promise<Capture> {
  try {
    return await importCapture(file, { signal: call.signal, onProgress: call.onProgress });
  } catch (error) {
    if (!(error instanceof Problem) || error.data.kind !== 'input') throw error;
    const { title, place } = error.data;
    throw badInput(`This file holds no token ids: ${title}`, place, 'Give a JSON list such as [1, 2, 3], numbers between spaces, commas or line breaks, an object with "ids" or "tokens", or a log that tells the ids of its rounds');
  }
}

const told = ({ emittedIds }: CapturedRequest): number => emittedIds?.length ?? 0;

function chosen({ requests }: Capture, name: string | null, file: string): CapturedRequest {
  if (name !== null) {
    const named = requestNamed(requests, name);
    if (named === undefined) throw badInput(`There is no request ${name} in this log`, file, requests.length === 0 ? 'It holds no requests' : `Give a number from 0 to ${requests.length - 1}, or one of its request ids`);
    return named;
  }
  const [first, ...others] = requests;
  if (first === undefined) throw badInput('This log holds no request', file, 'Give a log that does');
  return others.reduce((most, one) => (told(one) > told(most) ? one : most), first);
}

function ofLog(log: Capture, name: string | null, file: string): ReadIds {
  const request = chosen(log, name, file);
  const { ordinal, request: id, grade, firstBonus, emittedIds } = request;
  const about = `request ${ordinal}${id === null ? '' : ` (${id})`} of a log of ${log.engine}, grade ${grade}`;
  if (emittedIds === null || told(request) === 0) throw badInput(`This log does not tell the token ids of request ${ordinal}: its grade is ${grade}`, file, 'Choose another request, or let the engine log the ids of its rounds');
  if (emittedIds.length >= idsLimits.ids) throw badInput(`This request has more than ${formatCount(idsLimits.ids)} token ids`, file, 'Choose another request');
  return { source: 'log', about, ids: firstBonus === null ? emittedIds : [firstBonus, ...emittedIds], firstBonus: firstBonus !== null };
}

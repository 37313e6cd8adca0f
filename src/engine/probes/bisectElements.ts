// One tap of a comparison with all its elements: both arms run again as far as its position, in the blocks that the bisect ran, and only that tap is kept.
import { elementLimits, type ElementsAnswer, type ElementsRequest } from '../../shared/elementsProtocol';
import { plural } from '../../shared/format';
import { headTaps } from '../../shared/headTaps';
import { badInput, throwIfCancelled } from '../problem';
import type { Engine, ForwardOptions, Model, Step, Tensor } from '../types';
import { checkSwitches } from './checkSwitches';
import type { ProbeCall } from './probe';
import { checkIds, checkLength } from './prompts';
import { Sessions } from './sessions';

type Place = Omit<ElementsRequest, 'library' | 'model'>;

/** The rows of one position in both arms, with the step that each is from. */
interface Rows {
  readonly a: { readonly step: Step; readonly row: number };
  readonly b: { readonly step: Step; readonly row: number };
}

/**
 * Computes the tap of a place again and reads it, a window of it where it is large.
 * Throws a Problem for a place that the model does not have, and when it is cancelled.
 */
export async function loadElements(engine: Engine, model: Model, place: Place, call: ProbeCall = {}): Promise<ElementsAnswer> {
  check(model, place);
  const sessions = new Sessions();
  const open: Step[] = [];
  try {
    return await read(engine, model, place, await compute(model, place, call, sessions, open), call);
  } finally {
    for (const step of open) step.close();
    sessions.close();
  }
}

function check(model: Model, { switches, promptIds, blockIds, position, layer, tap }: Place): void {
  checkSwitches(switches, model.info);
  checkIds(promptIds, model.info);
  checkIds(blockIds, model.info);
  checkLength(promptIds.length, blockIds.length, model.info);
  if (position >= blockIds.length) throw badInput(`There is no position ${position}: the comparison has ${plural(blockIds.length, 'token')}`, 'position', '');
  if (layer > model.info.layers.length || !model.info.taps.some(({ name }) => name === tap)) throw badInput(`The model has no tap ${tap} in layer ${layer}`, 'tap', 'Run the experiment again: the model is not the one of the report');
}

async function compute(model: Model, { switches, promptIds, blockIds, width, position, layer, tap }: Place, { signal, onProgress }: ProbeCall, sessions: Sessions, open: Step[]): Promise<Rows> {
  const taps = [tap, headTaps[tap]].filter((name) => name !== undefined && model.info.taps.some((known) => known.name === name)).map((name) => `${layer}.${name}`);
  const total = promptIds.length + 2 * (position + 1);
  const tell = (text: string, done: number): void => onProgress?.({ text, done, total });
  const run = async (forward: (options: ForwardOptions) => Promise<Step>, kept: boolean): Promise<Step> => {
    throwIfCancelled(signal);
    const step = await forward(kept ? { signal, taps } : { signal });
    if (kept) open.push(step);
    else step.close();
    return step;
  };

  tell(`prefill of ${plural(promptIds.length, 'token')}`, 0);
  const chain = await sessions.fresh(model, switches, { signal });
  await run((options) => chain.prefill(promptIds, options), false);
  const block = await sessions.fork(chain, { signal });
  const a = await lastOf(position + 1, 1, (from, last) => {
    tell(`single steps · token ${from + 1} of ${position + 1}`, promptIds.length + from);
    return run((options) => chain.decode(blockIds.slice(from, from + 1), options), last);
  });
  const b = await lastOf(position + 1, width, (from, last) => {
    tell(`blocks of ${width} · token ${from + 1} of ${position + 1}`, promptIds.length + position + 1 + from);
    return run((options) => block.verify(blockIds.slice(from, from + width), options), last);
  });
  return { a: { step: a, row: 0 }, b: { step: b, row: position % width } };
}

/** Runs pieces of `width` from 0 on until `length` is reached; the step of the last. */
async function lastOf(length: number, width: number, piece: (from: number, last: boolean) => Promise<Step>): Promise<Step> {
  let from = 0;
  for (; from + width < length; from += width) await piece(from, false);
  return piece(from, true);
}

function tapOf({ step }: Rows['a'], layer: number, tap: string): Tensor {
  const found = step.taps.find((one) => one.layer === layer && one.tap === tap);
  if (found === undefined) throw badInput(`Layer ${layer} of the model makes no tap ${tap}`, 'tap', 'Run the experiment again: the model is not the one of the report');
  return found.tensor;
}

async function read(engine: Engine, { info }: Model, { layer, tap, around }: Place, rows: Rows, { signal }: ProbeCall): Promise<ElementsAnswer> {
  const [a, b] = [tapOf(rows.a, layer, tap), tapOf(rows.b, layer, tap)];
  const [diff] = await engine.diff([{ a, b, aRows: [rows.a.row, rows.a.row + 1], bRows: [rows.b.row, rows.b.row + 1] }], { signal, tile: 0 });
  if (diff === undefined) throw new Error('the engine gave no diff');
  const [size, total] = [diff.bytes / Math.max(1, diff.elements), diff.elements];
  const { start, count } = windowOf(total, size, around);
  const bytes = async (tensor: Tensor, row: number): Promise<string> => Buffer.from(await tensor.read(row * diff.bytes + start * size, count * size)).toString('base64');
  const like = rows.a.step.taps.find((one) => one.layer === layer && one.tap === headTaps[tap]);
  return {
    dtype: a.dtype,
    shape: a.shape.slice(1),
    total,
    start,
    a: await bytes(a, rows.a.row),
    b: await bytes(b, rows.b.row),
    differingBytes: diff.differingBytes,
    differingElements: diff.differingElements,
    firstIndex: diff.first?.index ?? -1,
    heads: like?.tensor.shape.slice(1) ?? null,
    fingerprint: info.fingerprint,
    libraryHash: engine.info().libraryHash,
  };
}

/** All elements, or as many as go at once with `around` in their middle. */
export function windowOf(total: number, size: number, around: number): { start: number; count: number } {
  const count = Math.min(total, elementLimits.elements, Math.floor(elementLimits.bytes / size));
  return { start: Math.max(0, Math.min(total - count, around - Math.floor(count / 2))), count };
}

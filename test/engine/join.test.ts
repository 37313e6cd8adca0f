// Continuous batching by hand: requests that draft and verify as rows of one batch, come and go between rounds, and are compared with the same requests alone.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { NativeEngine } from '../../src/engine/native/nativeEngine';
import type { Drafter, DraftSession, Session, Step, Tensor } from '../../src/engine/types';
import { rejection } from './abi/support';
import { root, sample } from './product';
import { exact, stateOf } from './speculation/support';

const { prompts } = JSON.parse(readFileSync(path.join(root, 'samples/reference.json'), 'utf8')) as { prompts: { prompt_ids: number[] }[] };
const width = 4;

const engine = await NativeEngine.load();
const model = await engine.load(sample);
const drafters = [await model.drafter(path.join(root, 'samples/drafter')), await model.drafter(sample)];
afterAll(() => [...drafters, model].forEach((handle) => handle.close()));

/** What a request has been through, a line a round: drafts, kept rows, a hash of its logits. */
interface Request {
  anchor: number;
  readonly log: string[];
}

/** Requests that run as rows of one batch. */
interface Lane {
  readonly session: Session;
  readonly draft: DraftSession;
  readonly requests: Request[];
}

const featuresOf = (step: Step, { info }: Drafter): Tensor[] => info.taps.map((name) => step.taps.find(({ layer, tap }) => `${layer}.${tap}` === name)!.tensor);

async function begin(drafter: Drafter, prompt: readonly number[]): Promise<Lane> {
  const [session, draft] = [await model.open(exact), await drafter.open(exact)];
  const step = await session.prefill(prompt, { taps: drafter.info.taps });
  const anchor = step.top[0]![0]!.id;
  await draft.observe({ features: featuresOf(step, drafter), rows: [[0, prompt.length]], next: [[...prompt.slice(1), anchor]] });
  step.close();
  return { session, draft, requests: [{ anchor, log: [] }] };
}

async function round({ session, draft, requests }: Lane, drafter: Drafter): Promise<void> {
  const { ids } = await draft.propose(width);
  const step = await session.verify(requests.map(({ anchor }, row) => [anchor, ...ids[row]!]), { taps: drafter.info.taps });
  const bytes = await step.logits!.read();
  const part = bytes.byteLength / requests.length;
  const next = requests.map((request, row) => {
    const chosen = step.top.slice(row * width, (row + 1) * width).map(([best]) => best!.id);
    const wrong = ids[row]!.findIndex((id, i) => id !== chosen[i]);
    const kept = chosen.slice(0, wrong < 0 ? width : wrong + 1);
    const logits = createHash('sha256').update(bytes.subarray(row * part, (row + 1) * part)).digest('hex');
    request.log.push(`${ids[row]!.join()} keeps ${kept.length}: ${logits}`);
    request.anchor = kept.at(-1)!;
    return kept;
  });
  await session.rewind(next.map(({ length }) => length));
  await draft.observe({ features: featuresOf(step, drafter), rows: next.map(({ length }, row) => [row * width, row * width + length]), next });
  step.close();
}

async function rounds(lane: Lane, drafter: Drafter, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await round(lane, drafter);
}

const close = (...lanes: Lane[]): void => lanes.forEach(({ session, draft }) => [session, draft].forEach((one) => one.close()));

async function joined(...lanes: Lane[]): Promise<Lane> {
  const [first, ...others] = lanes;
  const session = await first!.session.join(others.map((lane) => lane.session));
  const draft = await first!.draft.join(others.map((lane) => lane.draft));
  close(...lanes);
  return { session, draft, requests: lanes.flatMap(({ requests }) => requests) };
}

async function taken({ session, draft, requests }: Lane, rows: readonly number[]): Promise<Lane> {
  return { session: await session.fork({ rows }), draft: await draft.fork({ rows }), requests: rows.map((row) => requests[row]!) };
}

async function alone(drafter: Drafter, prompt: readonly number[], count: number): Promise<{ log: readonly string[]; state: unknown }> {
  const lane = await begin(drafter, prompt);
  await rounds(lane, drafter, count);
  const found = { log: lane.requests[0]!.log, state: await stateOf(lane.session) };
  close(lane);
  return found;
}

describe.each(drafters.map((drafter) => ({ family: drafter.info.family, drafter })))('requests that come and go in a batch with $family', ({ drafter }) => {
  it('draft, accept and end as they do alone', async () => {
    const texts = [0, 1, 2, 3].map((i) => prompts[i % prompts.length]!.prompt_ids.slice(0, 40 - 7 * i));
    const starts = await Promise.all(texts.map((prompt) => begin(drafter, prompt)));
    const [a, b, c, late] = starts as [Lane, Lane, Lane, Lane];
    const three = await joined(a, b, c);
    await rounds(three, drafter, 3);
    const [one, two] = [await taken(three, [1]), await taken(three, [2, 0])];
    close(three);
    await rounds(one, drafter, 2);
    await rounds(two, drafter, 1);
    const all = await joined(two, late, one);
    await rounds(all, drafter, 3);
    const runs = [[2, 7], [0, 7], [3, 3], [1, 8]] as const;
    for (const [row, [text, count]] of runs.entries()) {
      const want = await alone(drafter, texts[text]!, count);
      expect(all.requests[row]!.log).toEqual(want.log);
      const own = await all.session.fork({ rows: [row] });
      expect(await stateOf(own)).toEqual(want.state);
      own.close();
    }
    expect(new Set(all.requests.flatMap(({ log }) => log.map((line) => /keeps (\d)/.exec(line)![1]))).size).toBeGreaterThan(1);
    close(all);
  });

  it('cannot be joined with what is no session of this engine, or of another model', async () => {
    const lane = await begin(drafter, [1, 2, 3]);
    const twin = await engine.load(sample);
    const other = await twin.open(exact);
    const beside = await (await twin.drafter(drafter.info.path)).open(exact);
    for (const [work, where] of [
      [() => lane.session.join([lane.session, { ...lane.session }]), '/sessions/1'],
      [() => lane.session.join([other]), '/sessions/0'],
      [() => lane.draft.join([{ ...lane.draft }]), '/drafts/0'],
      [() => lane.draft.join([lane.draft, beside]), '/drafts/1'],
      [() => lane.session.join([]), '/sessions'],
      [() => lane.draft.fork({ rows: [0, 1] }), '/rows/1'],
    ] as const) {
      const error = await rejection(work());
      expect([error.status, error.where]).toEqual(['E_INVALID', where]);
    }
    [other, beside, twin].forEach((one) => one.close());
    close(lane);
  });
});

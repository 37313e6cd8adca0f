// The sample's drafter and its MTP head through the binding: rounds against reference.json, and what is refused.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { EngineError } from '../../src/engine/engineError';
import { NativeEngine } from '../../src/engine/native/nativeEngine';
import type { Drafter, DraftSession, Observation } from '../../src/engine/types';
import { rejection } from './abi/support';
import { root, sample } from './product';
import { rounds } from './rounds';

interface Reference {
  readonly prompts: readonly {
    readonly prompt_ids: number[];
    readonly greedy_ids: number[];
    readonly top2_margin: number[];
    readonly dflash_width4: { readonly accept_lens: number[]; readonly draft_ids: number[][]; readonly emitted_ids: number[] };
  }[];
}

const { prompts } = JSON.parse(readFileSync(path.join(root, 'samples/reference.json'), 'utf8')) as Reference;
/** The reference was computed in fp32 by other kernels; a smaller distance between two logits decides nothing. */
const tolerance = 0.01;
const f32 = { activations: 'f32' };

const engine = await NativeEngine.load();
const model = await engine.load(sample);
const dflash = await model.drafter(path.join(root, 'samples/drafter'));
const mtp = await model.drafter(sample);
afterAll(() => [dflash, mtp, model].forEach((handle) => handle.close()));

describe('what a drafter says of itself', () => {
  it('is read from the DFlash folder', () => {
    expect(dflash.info).toMatchObject({ family: 'dflash', hidden: 192, vocab: 4096, blockSize: 8, maskId: 4095, slidingWindow: null, dtype: 'bf16', quantisation: null, parameters: 996_736, warnings: [] });
    expect(dflash.info.taps).toEqual(['1.layer_output', '3.layer_output', '5.layer_output']);
    expect(dflash.info.layers).toEqual([0, 1].map((index) => ({ index, kind: 'full' })));
    expect(dflash.info.switches.map(({ name }) => name)).toEqual(['matmul', 'attention', 'activations', 'threads', 'isa', 'slidingCausal']);
  });

  it('is read from the model folder for its MTP head', () => {
    expect(mtp.info).toMatchObject({ family: 'mtp', hidden: 192, blockSize: null, maskId: null, parameters: 566_336, taps: ['8.final_norm'], warnings: [] });
    expect(mtp.info.switches.map(({ name }) => name)).toEqual(['matmul', 'attention', 'activations', 'threads', 'isa']);
    expect(mtp.info.fingerprint).toMatch(/^blake3:[0-9a-f]{64}$/);
  });
});

it.each(prompts.map((prompt, index) => ({ index, ...prompt })))('gives the DFlash rounds of the reference for prompt $index', async ({ prompt_ids, greedy_ids, top2_margin, dflash_width4 }) => {
  const ours = await rounds(model, dflash, prompt_ids, 4, greedy_ids.length, f32);
  expect(deciding(ours.drafts, dflash_width4.draft_ids, ours.draftMargins)).toEqual([]);
  // The target stands so near to the reference that none of its near-ties could turn: the ids are equal without exception.
  const distance = Math.max(...ours.margins.map((margin, i) => Math.abs(margin - top2_margin[i]!)));
  expect(distance).toBeLessThan(Math.min(...top2_margin) / 2);
  expect(ours.emitted).toEqual(dflash_width4.emitted_ids);
  expect(ours.accepted).toEqual(dflash_width4.accept_lens);
});

/** Drafts that differ from the reference where the margin decides: [round, draft, ours, theirs]. */
function deciding(ours: readonly number[][], theirs: readonly number[][], margins: readonly number[][]): number[][] {
  expect(ours.map(({ length }) => length)).toEqual(theirs.map(({ length }) => length));
  return ours.flatMap((round, i) => round.flatMap((id, j) => (id === theirs[i]![j] || margins[i]![j]! < tolerance ? [] : [[i, j, id, theirs[i]![j]!]])));
}

it.each([
  ['DFlash', dflash, 2, 0.4],
  ['DFlash', dflash, 4, 0.25],
  ['DFlash', dflash, 8, 0.1],
  ['MTP', mtp, 2, 0.6],
  ['MTP', mtp, 4, 0.4],
  ['MTP', mtp, 8, 0.2],
] as const)('emits the greedy ids with %s', async (name, drafter, width, least) => {
  let [accepted, proposed] = [0, 0];
  for (const { prompt_ids, greedy_ids } of prompts) {
    const ours = await rounds(model, drafter, prompt_ids, width, greedy_ids.length, f32);
    expect(ours.emitted).toEqual(greedy_ids);
    accepted += ours.accepted.reduce((sum, n) => sum + n, 0);
    proposed += ours.drafts.flat().length;
  }
  expect(accepted / proposed, `${name} at width ${width}: ${accepted} of ${proposed} accepted`).toBeGreaterThan(least);
});

describe('what is refused', () => {
  const golden = (name: string): string => path.join(root, 'test/fixtures/goldens', name);

  it.each([
    ['a folder that is not there', '/nonexistent/drafter', 'E_IO', 'no such folder'],
    ['a model that is no drafter', golden('models/llama-tiny-bf16'), 'E_UNSUPPORTED', 'no drafter'],
    ['a DFlash drafter of another model', golden('drafters/dflash-tiny-full'), 'E_FORMAT', 'belongs to another model'],
    ['an MTP head of another model', golden('drafters/mtp-tiny'), 'E_FORMAT', 'belongs to another model'],
  ])('%s', async (_, folder, status, words) => {
    const error = await rejection(model.drafter(folder));
    expect([error.status, error.message]).toEqual([status, expect.stringContaining(words)]);
  });

  it('features that are not those of the taps, and a proposal before any', async () => {
    const draft = await dflash.open();
    const step = await (await model.open()).prefill([1, 2, 3], { taps: ['*.layer_output'] });
    const features = step.taps.map(({ tensor }) => tensor);
    const observe = (change: Partial<Observation>): Promise<void> => draft.observe({ features: features.slice(0, 3), rows: [[0, 3]], next: [[2, 3, 4]], ...change });
    expect((await rejection(draft.propose(4))).status).toBe('E_STATE');
    for (const [change, where] of [
      [{ features }, '/features'],
      [{ rows: [[0, 4]] }, '/rows/0'],
      [{ next: [[2, 3]] }, '/next/0'],
      [{ next: [[2, 3, 4096]] }, '/next/0/2'],
    ] as const) {
      const error = await rejection(observe(change));
      expect([error.status, error.where]).toEqual(['E_INVALID', where]);
    }
    features[0]!.close();
    expect((await rejection(observe({}))).where).toBe('/features/0');
    expect(draft.position).toEqual([0]);
    step.close();
    draft.close();
  });

  it('tokens to go on from, for a drafter that fills blocks', async () => {
    const { draft } = await prompted(dflash);
    const error = await rejection(draft.propose(4, { after: [7] }));
    expect([error.status, error.where]).toEqual(['E_UNSUPPORTED', '/after']);
    draft.close();
  });
});

/** A draft session after three tokens. */
async function prompted(drafter: Drafter): Promise<{ draft: DraftSession }> {
  const session = await model.open();
  const step = await session.prefill([1, 2, 3], { taps: drafter.info.taps });
  const draft = await drafter.open();
  await draft.observe({ features: step.taps.map(({ tensor }) => tensor), rows: [[0, 3]], next: [[2, 3, 4]] });
  step.close();
  session.close();
  return { draft };
}

describe('a draft session', () => {
  it.each([
    ['DFlash', dflash],
    ['MTP', mtp],
  ])('of %s hands out logits and candidates, forks, and outlives what it came from', async (_, drafter) => {
    const { draft } = await prompted(drafter);
    const fork = await draft.fork();
    expect([draft.position, fork.position, draft.batch]).toEqual([[3], [3], 1]);
    const proposal = await draft.propose(4, { logits: true, top: 3 });
    expect(proposal.ids).toEqual([proposal.top.map(([best]) => best!.id)]);
    expect(proposal.top.every((row) => row.length === 3)).toBe(true);
    expect([proposal.logits!.shape, proposal.logits!.dtype]).toEqual([[3, 4096], 'bf16']);
    const other = await fork.propose(4, { logits: true });
    expect(Buffer.from(await other.logits!.read())).toEqual(Buffer.from(await proposal.logits!.read()));
    [proposal, other, fork, draft].forEach((one) => one.close());
  });

  it('goes on after tokens of the caller with the MTP head', async () => {
    const { draft } = await prompted(mtp);
    const whole = await draft.propose(4);
    const first = await draft.propose(2);
    const second = await draft.propose(3, { after: first.ids[0]! });
    expect([...first.ids[0]!, ...second.ids[0]!]).toEqual(whole.ids[0]);
    draft.close();
  });

  it('keeps drafter and model alive', async () => {
    const own = await engine.load(sample);
    const drafter = await own.drafter(sample);
    own.close();
    const draft = await drafter.open();
    drafter.close();
    expect((await rejection(drafter.open())).status).toBe('E_HANDLE');
    expect((await rejection(draft.propose(2))).status).toBe('E_STATE');
    draft.close();
  });

  it('is cancelled by a signal, and runs one job at a time', async () => {
    const { draft } = await prompted(dflash);
    expect((await rejection(draft.propose(4, { signal: AbortSignal.abort() }))).status).toBe('E_CANCELLED');
    const both = await Promise.allSettled([draft.propose(8), draft.propose(8)]);
    const failed = both.filter((one) => one.status === 'rejected').map(({ reason }) => (reason as EngineError).status);
    expect(failed.every((status) => status === 'E_BUSY')).toBe(true);
    draft.close();
  });
});

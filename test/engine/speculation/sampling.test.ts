// Lossless sampling: small cases exactly, and statistics over fixed seeds on real logits.
import { describe, expect, it } from 'vitest';
import { readRows } from '../../../src/engine/floats';
import { runBurst, type Burst } from '../../../src/engine/speculative/burst';
import { Observer } from '../../../src/engine/speculative/observer';
import { distribution, draw, rejection, uniformOf, type SamplingOptions } from '../../../src/engine/speculative/sampling';
import type { Drafter } from '../../../src/engine/types';
import { dflashPath, exact, mtpPath, promptsOf, sum, target } from './support';

const plain: SamplingOptions = { temperature: 1, topK: 0, topP: 1, seed: 0 };
const of = (logits: readonly number[], options: Partial<SamplingOptions> = {}): number[] => [...distribution(Float32Array.from(logits), { ...plain, ...options })];
const logs = (weights: readonly number[]): number[] => weights.map(Math.log);
const close = (values: readonly number[]): unknown => values.map((value): unknown => expect.closeTo(value, 6));
/** Numbers one after another, then an error. */
const given = (...numbers: readonly number[]) => {
  const left = [...numbers];
  return (): number => left.shift() ?? expect.unreachable('more random numbers were drawn than there were');
};
const row = (...p: readonly number[]): Float64Array => Float64Array.from(p);

describe('a distribution', () => {
  it('is the softmax at a temperature', () => {
    expect(of(logs([1, 2, 5]))).toEqual(close([0.125, 0.25, 0.625]));
    expect(of(logs([1, 2, 4]), { temperature: 0.5 })).toEqual(close([1 / 21, 4 / 21, 16 / 21]));
    expect(of([1000, 1000])).toEqual([0.5, 0.5]);
  });

  it('is greedy as the temperature goes to 0', () => {
    expect(of([1, 1.0001, 0.5], { temperature: 1e-6 })).toEqual(close([0, 1, 0]));
    expect(of([3, 7, 7, 1], { temperature: 1e-9 })).toEqual([0, 0.5, 0.5, 0]);
  });

  it('keeps the best k, ties by lower id', () => {
    expect(of(logs([1, 4, 4, 4, 2]), { topK: 2 })).toEqual(close([0, 0.5, 0.5, 0, 0]));
    expect(of(logs([1, 2, 4]), { topK: 9 })).toEqual(close([1 / 7, 2 / 7, 4 / 7]));
  });

  it('keeps the best until their mass is top p', () => {
    expect(of(logs([1, 2, 5, 2]), { topP: 0.5 })).toEqual(close([0, 0, 1, 0]));
    expect(of(logs([1, 2, 5, 2]), { topP: 0.6 })).toEqual(close([0, 2 / 7, 5 / 7, 0]));
    expect(of(logs([1, 2, 5, 2]), { topP: 0.85 })).toEqual(close([0, 2 / 9, 5 / 9, 2 / 9]));
    expect(of(logs([1, 2, 5, 2]), { topK: 2, topP: 0.99 })).toEqual(close([0, 2 / 7, 5 / 7, 0]));
  });

  it('gives what is no number no chance', () => {
    expect(of([NaN, 0, 0])).toEqual([0, 0.5, 0.5]);
    expect(of([-Infinity, 0, 1e-30])).toEqual([0, 0.5, 0.5]);
    expect(of([Infinity, 5])).toEqual([1, 0]);
  });
});

describe('a draw', () => {
  it('takes the id whose share of the mass holds the number', () => {
    const p = row(0.25, 0, 0.5, 0.25);
    expect([0, 0.249, 0.25, 0.749, 0.75, 0.999999].map((u) => draw(p, u))).toEqual([0, 0, 2, 2, 3, 3]);
  });

  it('never takes an id without a chance, whatever rounding leaves', () => {
    expect(draw(row(0.1, 0.2, 0.7 - 1e-12, 0), 1 - 1e-16)).toBe(2);
    expect(draw(row(0, 1, 0), 0)).toBe(1);
  });
});

describe('the rejection rule', () => {
  it('keeps a draft where the target likes it at least as much as the drafter', () => {
    expect(rejection([1], [row(0.5, 0.5), row(0, 1)], [row(0.7, 0.3)], given(0.999, 0.4))).toEqual({ accepted: 1, bonus: 1 });
  });

  it('keeps it with probability p / q where the drafter likes it more', () => {
    const [p, q] = [[row(0.75, 0.25), row(1, 0)], [row(0.5, 0.5)]];
    expect(rejection([1], p, q, given(0.49, 0.3))).toEqual({ accepted: 1, bonus: 0 });
    expect(rejection([1], p, q, given(0.51, 0.3))).toEqual({ accepted: 0, bonus: 0 });
  });

  it('replaces the first that falls by a draw from what the drafter left out', () => {
    // p - q has mass on 0 and 2 alone: a quarter and three quarters of it.
    const [p, q] = [[row(0.2, 0.2, 0.6), row(1, 0, 0)], [row(0.1, 0.6, 0.3)]];
    expect(rejection([1], p, q, given(0.9, 0.24))).toEqual({ accepted: 0, bonus: 0 });
    expect(rejection([1], p, q, given(0.9, 0.26))).toEqual({ accepted: 0, bonus: 2 });
  });

  it('never keeps a draft that the target cannot choose', () => {
    expect(rejection([1], [row(1, 0), row(1, 0)], [row(0, 1)], given(0, 0.5))).toEqual({ accepted: 0, bonus: 0 });
  });

  it('draws the bonus from the last row without drafts', () => {
    expect(rejection([], [row(0.5, 0.5)], [], given(0.6))).toEqual({ accepted: 0, bonus: 1 });
  });
});

/** Real logits after a prompt and after each of `ids` behind it, one row each. */
async function logitsAfter(ids: readonly number[], after: readonly number[] = prompt): Promise<Float32Array[]> {
  const session = await target.open(exact);
  const first = await session.prefill(after);
  const rows = await readRows(first.logits!);
  first.close();
  for (const id of ids) {
    const fork = await session.fork();
    const step = await fork.decode([id]);
    rows.push(...(await readRows(step.logits!)));
    for (const one of [step, fork]) one.close();
  }
  session.close();
  return rows;
}

/** Of some pieces of text the one after which most is open: the likeliest token is the least likely. */
async function openPrompt(): Promise<readonly number[]> {
  const prompts = (await promptsOf(16, 8)).flatMap((one) => (one.type === 'ids' ? [one.ids] : []));
  const best: { ids: readonly number[]; most: number }[] = [];
  for (const ids of prompts) best.push({ ids, most: Math.max(...distribution((await logitsAfter([], ids))[0]!, plain)) });
  return best.sort((a, b) => a.most - b.most)[0]!.ids;
}

const prompt = await openPrompt();

/** Chi-square against expected shares, and the value that one run in a hundred thousand exceeds (Wilson and Hilferty 1931). */
function chiSquare(counts: readonly number[], shares: readonly number[]): { value: number; limit: number } {
  const total = sum(counts);
  const value = sum(shares.map((share, i) => (share === 0 ? 0 : ((counts[i] ?? 0) - share * total) ** 2 / (share * total))));
  const freedom = shares.filter((share) => share > 0).length - 1;
  const limit = freedom * (1 - 2 / (9 * freedom) + 4.265 * Math.sqrt(2 / (9 * freedom))) ** 3;
  return { value, limit };
}

function expectShares(counts: readonly number[], shares: readonly number[]): void {
  const { value, limit } = chiSquare(counts, shares);
  expect(value, `${counts.join(', ')} against shares ${shares.map((share) => share.toFixed(3)).join(', ')}`).toBeLessThan(limit);
  expect(sum(counts.filter((_, i) => shares[i] === 0))).toBe(0);
}

it('random numbers are spread evenly, and do not hang together from one seed to the next', () => {
  for (const place of [0, 1, 2, 3]) {
    const counts = Array<number>(16).fill(0);
    const pairs = Array<number>(16).fill(0);
    let before = 0;
    for (let seed = 0; seed < 4000; seed += 1) {
      const uniform = uniformOf(seed);
      for (let i = 0; i < place; i += 1) uniform();
      const u = uniform();
      counts[Math.floor(16 * u)]! += 1;
      pairs[4 * Math.floor(4 * before) + Math.floor(4 * u)]! += 1;
      before = u;
    }
    const even = Array<number>(16).fill(1 / 16);
    expectShares(counts, even);
    expectShares(pairs, even);
  }
});

describe('what the rejection rule emits', async () => {
  const [logits, other] = await logitsAfter([prompt[0]!]);
  /** Eight real logits: the best ones after the prompt. */
  const ids = [...logits!.keys()].sort((a, b) => logits![b]! - logits![a]!).slice(0, 8);
  const p = distribution(Float32Array.from(ids, (id) => logits![id]!), plain);
  const near = distribution(Float32Array.from(ids, (id) => other![id]!), plain);
  const far = distribution(Float32Array.from(ids, (_, i) => 3 * i), plain);
  const one = Float64Array.from(p, (_, i) => (i === 7 ? 1 : 0));
  const half = Float64Array.from(p, (_, i) => (i % 2 === 0 ? 0.25 : 0));

  it.each([
    ['the target', p],
    ['other real logits', near],
    ['the reverse order', far],
    ['one id alone', one],
    ['every other id', half],
  ])('first is distributed as the target, drafts from %s', (_, q) => {
    const counts = Array<number>(8).fill(0);
    let accepted = 0;
    for (let seed = 0; seed < 20_000; seed += 1) {
      const uniform = uniformOf(seed);
      const draft = draw(q, uniform());
      const verdict = rejection([draft], [p, p], [q], uniform);
      accepted += verdict.accepted;
      counts[verdict.accepted > 0 ? draft : verdict.bonus]! += 1;
    }
    expectShares(counts, [...p]);
    // As many are accepted as both distributions share.
    const shared = sum([...p].map((value, id) => Math.min(value, q[id]!)));
    expect(accepted / 20_000).toBeCloseTo(shared, 1);
  });

  it('second is distributed as the target too, after an accepted draft', () => {
    const counts = Array<number>(8).fill(0);
    for (let seed = 0; seed < 20_000; seed += 1) {
      const uniform = uniformOf(seed);
      const drafts = [draw(near, uniform()), draw(far, uniform())];
      const { accepted, bonus } = rejection(drafts, [p, near, p], [near, far], uniform);
      if (accepted > 0) counts[accepted > 1 ? drafts[1]! : bonus]! += 1;
    }
    expectShares(counts, [...near]);
  });
});

const dflash = await target.drafter(dflashPath);
const mtp = await target.drafter(mtpPath);

async function sampled(drafter: Drafter, seeds: readonly number[], options: Partial<SamplingOptions>, { width = 4, tokens = 16, draftSwitches = {} } = {}): Promise<Burst> {
  const batch = seeds.length;
  const session = await target.open(exact, { batch });
  const draft = await drafter.open(draftSwitches, { batch });
  const samplers = seeds.map((seed) => ({ options: { ...plain, ...options }, uniform: uniformOf(seed) }));
  const context = target.info.context;
  try {
    return await runBurst(session, new Observer(draft, drafter.info), drafter.info.family === 'mtp', seeds.map(() => prompt), { width, tokens, eos: new Set(), context, prefill: { path: 'causal', partition: 0 }, samplers, call: {} });
  } finally {
    draft.close();
    session.close();
  }
}

describe.each([
  ['DFlash', dflash],
  ['MTP', mtp],
] as const)('bursts with %s', (_, drafter) => {
  it('emit pairs of tokens as classic sampling would', async () => {
    const options = { topK: 3 };
    const [first] = await logitsAfter([]);
    const p = distribution(first!, { ...plain, ...options });
    const ids = [...p.keys()].filter((id) => p[id]! > 0);
    const after = (await logitsAfter(ids)).slice(1).map((logits) => distribution(logits, { ...plain, ...options }));
    const pairs = ids.flatMap((id, i) => [...after[i]!.keys()].filter((next) => after[i]![next]! > 0).map((next) => ({ key: `${id} ${next}`, share: p[id]! * after[i]![next]! })));
    const counts = new Map(pairs.map(({ key }) => [key, 0]));
    let accepted = 0;
    for (let start = 0; start < 384; start += 16) {
      const { rows, rounds } = await sampled(drafter, Array.from({ length: 16 }, (__, i) => start + i), options, { width: 2, tokens: 2 });
      for (const { ids: text } of rows) counts.set(`${text[0]} ${text[1]}`, (counts.get(`${text[0]} ${text[1]}`) ?? 0) + 1);
      accepted += sum(rounds.flatMap(({ rows: all }) => all.map((one) => one.accepted)));
    }
    expect(counts.size).toBe(pairs.length);
    expectShares(pairs.map(({ key }) => counts.get(key)!), pairs.map(({ share }) => share));
    expect(accepted).toBeGreaterThan(20);
    expect(accepted).toBeLessThan(380);
  }, 120_000);

  it('are greedy near temperature 0', async () => {
    const session = await target.open(exact);
    const draft = await drafter.open();
    const greedy = await runBurst(session, new Observer(draft, drafter.info), false, [prompt], { width: 4, tokens: 24, eos: new Set(), context: 2048, prefill: { path: 'causal', partition: 0 }, call: {} });
    for (const one of [draft, session]) one.close();
    const cold = await sampled(drafter, [5], { temperature: 1e-5 }, { tokens: 24 });
    expect(cold.rows[0]!.ids).toEqual(greedy.rows[0]!.ids);
    expect(cold.rounds.map(({ rows: [one] }) => one!.accepted)).toEqual(greedy.rounds.map(({ rows: [one] }) => one!.accepted));
  });

  it('are the same for the same seed and others for another', async () => {
    const [a, again, b] = [await sampled(drafter, [1], {}), await sampled(drafter, [1], {}), await sampled(drafter, [2], {})];
    expect(again.rows).toEqual(a.rows);
    expect(again.rounds.map(({ rows }) => rows)).toEqual(a.rounds.map(({ rows }) => rows));
    expect(b.rows[0]!.ids).not.toEqual(a.rows[0]!.ids);
  });

  it('have a stream of numbers a batch row', async () => {
    const options = { tokens: 12, draftSwitches: exact };
    const batch = await sampled(drafter, [7, 8, 7], {}, options);
    expect(batch.rows[0]!.ids).toEqual(batch.rows[2]!.ids);
    expect(batch.rows[1]!.ids).not.toEqual(batch.rows[0]!.ids);
    // Row by row as a burst of its own, as long as no budget narrows its blocks.
    const alone = await sampled(drafter, [8], {}, options);
    const whole = alone.rounds.filter(({ width }) => width === 4).length;
    expect(batch.rounds.slice(0, whole).map(({ rows }) => rows[1])).toEqual(alone.rounds.slice(0, whole).map(({ rows }) => rows[0]));
  });
});

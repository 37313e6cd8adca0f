// The burst loop on real sessions: edges, batches, prefill in pieces, drafters of the sample pair.
import { describe, expect, it } from 'vitest';
import { runBurst, type Burst, type BurstOptions, type BurstRound } from '../../../src/engine/speculative/burst';
import { classicDecode, type ClassicRow } from '../../../src/engine/speculative/classic';
import { Observer } from '../../../src/engine/speculative/observer';
import type { Drafter, Session, Switches } from '../../../src/engine/types';
import { oracle, planned } from './planned';
import { dflashPath, exact, mtpPath, promptsOf, stateOf, sum, target } from './support';

const prompts = (await promptsOf(4, 24)).map((prompt) => (prompt.type === 'ids' ? prompt.ids : []));
const [prompt = []] = prompts;
const length = prompt.length;
const none: ReadonlySet<number> = new Set();
const context = target.info.context;
const dflash = await target.drafter(dflashPath);
const mtp = await target.drafter(mtpPath);

async function classic(ids: readonly number[], options: Partial<Parameters<typeof classicDecode>[2]> = {}): Promise<ClassicRow> {
  const session = await target.open(exact);
  const step = await session.prefill(ids);
  step.close();
  const [row] = await classicDecode(session, step, { tokens: 48, eos: none, top: 2, context, ...options });
  session.close();
  return row!;
}

interface Burst1 extends Partial<BurstOptions> {
  readonly drafter?: Drafter;
  readonly session?: Session;
  readonly switches?: Switches;
  readonly draftSwitches?: Switches;
}

/** A burst over a session of its own, which is closed unless it was given. */
async function burst(of: readonly (readonly number[])[], { drafter = dflash, session: given, switches = exact, draftSwitches = {}, ...options }: Burst1 = {}): Promise<Burst> {
  const batch = of.length;
  const session = given ?? (await target.open(switches, { batch }));
  const draft = await drafter.open(draftSwitches, { batch });
  const all = { width: 4, tokens: 48, eos: none, context, prefill: { path: 'causal', partition: 0 } as const, call: {}, ...options };
  try {
    return await runBurst(session, new Observer(draft, drafter.info), drafter.info.family === 'mtp', of, all);
  } finally {
    draft.close();
    if (given === undefined) session.close();
  }
}

const text = await classic(prompt, { tokens: 96 });
/** Drafts the classic text, without a fault. */
const perfect = planned(oracle([text.ids], length));
const acceptsOf = ({ rounds }: Burst, row = 0): number[] => rounds.filter((round) => round.rows[row]!.live).map((round) => round.rows[row]!.accepted);

describe.each([
  ['DFlash', dflash],
  ['MTP', mtp],
] as const)('%s of the sample pair', (_, drafter) => {
  it.each([2, 3, 5, 8])('emits the ids of classic decode at width %i', async (width) => {
    const { rows, rounds } = await burst([prompt], { drafter, width });
    expect(rows[0]).toMatchObject({ ids: text.ids.slice(0, 48), end: 'budget' });
    expect(sum(rounds.map(({ rows: [row] }) => row!.accepted))).toBeGreaterThan(0);
    for (const round of rounds) expect(round.rows[0]!.drafts).toHaveLength(round.width - 1);
  });

  it('drafts the same after a prompt in pieces', async () => {
    const switches = { draftSwitches: exact };
    const whole = await burst([prompt], { drafter, ...switches });
    for (const partition of [1, 5, 23]) {
      const pieces = await burst([prompt], { drafter, ...switches, prefill: { path: 'causal', partition } });
      expect(pieces.rounds.map(({ rows }) => rows)).toEqual(whole.rounds.map(({ rows }) => rows));
    }
  });
});

describe('rounds', () => {
  it('begin with the last emitted id, keep accepted rows and the bonus, and rewind the others', async () => {
    const seen: number[] = [];
    const session = await target.open(exact);
    const wrong = ({ round, draft }: { round: number; draft: number }): boolean => draft === round % 4;
    const onRound = (): Promise<void> => {
      seen.push(session.position[0]!);
      return Promise.resolve();
    };
    const { rows, rounds } = await burst([prompt], { session, drafter: planned(oracle([text.ids], length, wrong)), onRound });
    session.close();
    expect(rows[0]!.ids).toEqual(text.ids.slice(0, 48));
    expect(rounds.slice(0, 8).map(({ rows: [row] }) => row!.accepted)).toEqual([0, 1, 2, 3, 0, 1, 2, 3]);
    let emitted = 1;
    for (const [i, { index, rows: [row], rewound, width }] of rounds.entries()) {
      expect([index, row!.bonus]).toEqual([i, text.ids[emitted - 1]]);
      expect(row!.emitted).toEqual(text.ids.slice(emitted, emitted + row!.emitted.length));
      emitted += row!.emitted.length;
      expect(rewound?.dropped ?? [0]).toEqual([width - 1 - row!.accepted]);
      if (i < rounds.length - 1) expect(seen[i]).toBe(length + emitted - 1);
    }
    expect(emitted).toBe(48);
  });
});

describe('a budget', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 47])('of %i ids is met exactly', async (tokens) => {
    const { rows, rounds } = await burst([prompt], { drafter: perfect, tokens });
    expect(rows[0]).toMatchObject({ ids: text.ids.slice(0, tokens), end: 'budget' });
    expect(rounds).toHaveLength(Math.ceil((tokens - 1) / 4));
    // The block shrinks with the budget, so at most one id is cut.
    const [last] = rounds.slice(-1).map(({ rows: [row] }) => row!);
    if (last !== undefined) expect(last.accepted + 1 - last.emitted.length).toBe((tokens - 1) % 4 === 0 ? 0 : 1);
  });
});

describe('the end of text', () => {
  it('as first bonus ends before any round', async () => {
    const { rows, rounds } = await burst([prompt], { drafter: perfect, eos: new Set([text.ids[0]!]) });
    expect(rows[0]).toMatchObject({ ids: [text.ids[0]], end: 'eos' });
    expect(rounds).toEqual([]);
  });

  it('inside accepted drafts, as bonus and as correction cuts what comes after', async () => {
    const first = text.ids.map((id, i) => ({ id, i })).filter(({ id, i }) => i > 0 && text.ids.indexOf(id) === i).slice(0, 12);
    expect(first.length).toBeGreaterThan(6);
    for (const { id, i } of first) {
      const eos = new Set([id]);
      const { rows, rounds } = await burst([prompt], { drafter: perfect, eos });
      expect(rows[0]).toMatchObject({ ids: text.ids.slice(0, i + 1), end: 'eos' });
      expect((await classic(prompt, { eos })).ids).toEqual(rows[0]!.ids);
      expect(rounds.at(-1)!.rows[0]!.emitted.at(-1)).toBe(id);
    }
  });

  it('of one batch row leaves the others alone', async () => {
    const pair = prompts.slice(0, 2);
    const texts = [text, await classic(pair[1]!)];
    const eos = new Set([texts[0]!.ids.find((id, i) => i > 3 && !texts[1]!.ids.slice(0, 48).includes(id))!]);
    const { rows, rounds } = await burst(pair, { eos });
    const ends = [await classic(pair[0]!, { eos }), await classic(pair[1]!, { eos })];
    expect(rows.map(({ ids, end }) => ({ ids, end }))).toEqual(ends.map(({ ids, end }) => ({ ids, end })));
    expect(rows.map(({ end }) => end)).toEqual(['eos', 'budget']);
    const junk = rounds.filter(({ rows: [row] }) => !row!.live);
    expect(junk.length).toBeGreaterThan(0);
    for (const { rows: [row] } of junk) expect(row).toMatchObject({ accepted: 0, emitted: [] });
  });
});

describe('the end of the context', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('%i positions after the prompt ends where classic decode ends', async (room) => {
    const end = { context: length + room };
    const expected = await classic(prompt, end);
    for (const drafter of [perfect, planned(oracle([text.ids], length, () => true))]) {
      const { rows } = await burst([prompt], { drafter, ...end });
      expect(rows[0]).toMatchObject({ ids: expected.ids, end: 'context' });
    }
    expect(expected).toMatchObject({ ids: text.ids.slice(0, room + 1), end: 'context' });
  });
});

it('a cancel between rounds leaves the session with what was committed', async () => {
  const controller = new AbortController();
  const session = await target.open(exact);
  const rounds: BurstRound[] = [];
  const onRound = (round: BurstRound): Promise<void> => {
    rounds.push(round);
    if (rounds.length === 3) controller.abort();
    return Promise.resolve();
  };
  await expect(burst([prompt], { session, call: { signal: controller.signal }, onRound })).rejects.toThrow(/cancelled/i);
  expect(rounds).toHaveLength(3);
  const committed = sum(rounds.map(({ rows: [row] }) => row!.accepted + 1));
  expect(session.position).toEqual([length + committed]);
  const chain = await target.open(exact);
  (await chain.prefill(prompt)).close();
  for (const id of text.ids.slice(0, committed)) (await chain.decode([id])).close();
  expect(await stateOf(session)).toEqual(await stateOf(chain));
  const next = await session.decode([text.ids[committed]!]);
  expect(next.top[0]![0]!.id).toBe(text.ids[committed + 1]);
  for (const one of [next, session, chain]) one.close();
});

describe.each([
  ['DFlash', dflash],
  ['MTP', mtp],
] as const)('a batch with %s', (_, drafter) => {
  it.each([2, 4, 7])('gives every row the ids, accepts and state of its own run at width %i', async (width) => {
    const options = { drafter, width, tokens: 32, draftSwitches: exact };
    const singles = await Promise.all(prompts.slice(0, 3).map(async (one) => traced([one], options)));
    const batch = await traced(prompts.slice(0, 3), options);
    const accepts = [0, 1, 2].map((row) => acceptsOf(batch.burst, row));
    expect(new Set(accepts.map((list) => list.join())).size).toBeGreaterThan(1);
    for (const [row, single] of singles.entries()) {
      expect(batch.burst.rows[row]).toEqual(single.burst.rows[0]);
      // Near its budget a row alone runs narrower blocks than a batch whose other rows go on.
      const same = single.burst.rounds.filter((round) => round.width === width).length;
      expect(same).toBeGreaterThan(3);
      const rowOf = (rounds: readonly BurstRound[], r: number): unknown => rounds.slice(0, same).map(({ rows }) => rows[r]);
      expect(rowOf(batch.burst.rounds, row)).toEqual(rowOf(single.burst.rounds, 0));
      expect(batch.states.slice(0, same).map((states) => states[row])).toEqual(single.states.slice(0, same).map((states) => states[0]));
    }
  });
});

/** A burst with the state of every row after every round. */
async function traced(of: readonly (readonly number[])[], options: Burst1): Promise<{ burst: Burst; states: Record<string, string>[][] }> {
  const session = await target.open(exact, { batch: of.length });
  const states: Record<string, string>[][] = [];
  const onRound = async (): Promise<void> => {
    const rows: Record<string, string>[] = [];
    for (const row of of.keys()) {
      const alone = await session.fork({ rows: [row] });
      rows.push(await stateOf(alone));
      alone.close();
    }
    states.push(rows);
  };
  const done = await burst(of, { ...options, session, onRound });
  session.close();
  return { burst: done, states };
}

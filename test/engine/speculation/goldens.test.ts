// Round loops of the reference over its small checkpoints: what is accepted, kept, emitted, and what stands in the caches at the end.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runBurst, type BurstRound } from '../../../src/engine/speculative/burst';
import { Observer } from '../../../src/engine/speculative/observer';
import type { Candidate, Drafter, Model, Session, Step, Tensor } from '../../../src/engine/types';
import { root } from '../product';
import { delegate } from './broken';
import { planned } from './planned';
import { engine } from './support';

interface GoldenRound {
  readonly anchor: number;
  readonly width: number;
  readonly drafts: number[];
  readonly target_argmax: number[];
  readonly accepted: number;
  readonly kept_rows: number;
  readonly emitted: number[];
  readonly tokens_in_state: number;
}

interface GoldenRun {
  readonly width: number;
  readonly emitted: number[];
  readonly accept_lens: number[];
  readonly rounds: GoldenRound[];
}

interface Golden {
  readonly prompt: number[];
  readonly runs: Readonly<Record<string, GoldenRun>>;
}

const folder = path.join(root, 'test/fixtures/goldens');
const goldenOf = (name: string): Golden => JSON.parse(readFileSync(path.join(folder, `ref/dflash.${name}.json`), 'utf8')) as Golden;

/** Logits of bf16 arithmetic in another order stand up to 0.12 apart (the reference's own floor); four times that decides nothing. */
const noise = 0.5;

/** The choice of the reference where it is as good as ours within the noise, else ours. */
function settled(top: readonly Candidate[], theirs: number | undefined): readonly Candidate[] {
  const [best] = top;
  const found = top.find(({ id }) => id === theirs);
  if (best === undefined || found === undefined || Number(best.logit) - Number(found.logit) > noise) return top;
  return [found, ...top.filter((one) => one !== found)];
}

const withTop = (step: Step, theirs: readonly (number | undefined)[]): Step => Object.create(step, { top: { value: step.top.map((top, row) => settled(top, theirs[row])) } }) as Step;

/** A session whose near-ties are settled as in the reference, so that both walk over one text. */
function settling(session: Session, { rounds, emitted }: GoldenRun): Session {
  let round = -1;
  return delegate(session, (inner) => ({
    prefill: async (ids, options) => withTop(await inner.prefill(ids, { ...options, top: 32 }), [emitted[0]]),
    verify: async (ids, options) => {
      round += 1;
      return withTop(await inner.verify(ids, { ...options, top: 32 }), rounds[round]!.target_argmax);
    },
  }));
}

interface Ran {
  readonly emitted: readonly number[];
  readonly rounds: readonly BurstRound[];
  /** Positions in the state after every round. */
  readonly positions: readonly number[];
  readonly session: Session;
}

async function ran(model: Model, drafter: Drafter, { prompt }: Golden, run: GoldenRun): Promise<Ran> {
  const session = settling(await model.open(), run);
  const draft = await drafter.open();
  const positions: number[] = [];
  const onRound = (): Promise<void> => {
    positions.push(...session.position);
    return Promise.resolve();
  };
  const options = { width: run.width, tokens: run.emitted.length, eos: new Set<number>(), context: model.info.context, prefill: { path: 'causal', partition: 0 } as const, call: {}, onRound };
  const { rows, rounds } = await runBurst(session, new Observer(draft, drafter.info), false, [prompt], options);
  draft.close();
  return { emitted: rows[0]!.ids, rounds, positions, session };
}

/** The largest relative distance between the reference in bf16 and in fp32. A row too many or too few is twenty times as far. */
const tolerance = 0.067;

describe.each(['qwen35-tiny-bf16', 'qwen35-tiny-4bit'])('%s', async (name) => {
  const golden = goldenOf(name);
  const model = await engine.load(path.join(folder, 'models', name));
  afterAll(() => model.close());
  const runs = Object.entries(golden.runs);

  it.each(runs.filter(([key]) => key.startsWith('oracle')))('%s: planned drafts', async (key, run) => {
    const plan = planned(({ round }) => run.rounds[round]!.drafts);
    const { emitted, rounds, positions, session } = await ran(model, plan, golden, run);
    expect(emitted).toEqual(run.emitted);
    expect(rounds.map(({ rows: [row], width }) => ({ width, anchor: row!.bonus, drafts: row!.drafts, accepted: row!.accepted, emitted: row!.emitted }))).toEqual(
      run.rounds.map(({ width, anchor, drafts, accepted, emitted: ids }) => ({ width, anchor, drafts, accepted, emitted: ids })),
    );
    expect(positions).toEqual(run.rounds.map(({ tokens_in_state }) => tokens_in_state));
    expect(rounds.map(({ rewound, width }) => width - (rewound?.dropped[0] ?? 0))).toEqual(run.rounds.map(({ kept_rows }) => kept_rows));
    await expectCaches(name, key, session);
    session.close();
  });

  it.each(runs.filter(([key]) => key.startsWith('dflash-tiny-full')))('%s: the drafter itself', async (_, run) => {
    const drafter = await model.drafter(path.join(folder, 'drafters/dflash-tiny-full'));
    const { emitted, rounds, positions, session } = await ran(model, drafter, golden, run);
    expect(emitted).toEqual(run.emitted);
    expect(rounds.map(({ rows: [row] }) => row!.accepted)).toEqual(run.accept_lens);
    expect(positions).toEqual(run.rounds.map(({ tokens_in_state }) => tokens_in_state));
    for (const one of [session, drafter]) one.close();
  });
});

/** The final caches, where the reference has them. */
async function expectCaches(name: string, key: string, session: Session): Promise<void> {
  const { tensors } = await engine.tensors(path.join(folder, `ref/dflash.${name}.safetensors`));
  const theirs = new Map(tensors.map((one) => [one.name, one.tensor]));
  const names = { k: 'k', v: 'v', conv_state: 'conv', recurrent_state: 'rec' } as const;
  const pairs: { key: string; a: Tensor; b: Tensor }[] = [];
  for (const { layer, tensors: own } of await session.state()) {
    for (const { name: tensor, tensor: a } of own) {
      const place = `${key}.final_cache.${layer}.${names[tensor as keyof typeof names]}`;
      const b = theirs.get(place);
      if (b !== undefined) pairs.push({ key: place, a, b });
    }
  }
  expect(pairs).toHaveLength(key.startsWith('oracle_cycle') ? 16 : 0);
  const diffs = await engine.diff(pairs);
  expect(pairs.map(({ a }) => a.shape)).toEqual(pairs.map(({ b }) => b.shape));
  expect(diffs.flatMap(({ relL2 }, i) => (Number(relL2) < tolerance ? [] : [`${pairs[i]!.key}: ${relL2}`]))).toEqual([]);
  for (const { tensor } of tensors) tensor.close();
}

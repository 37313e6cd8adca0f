// Entry of the child that holds the product's own engine, through the binding that the product uses. Arguments: the engine library; its instruction set, if one is chosen.
import process from 'node:process';
import { NativeEngine } from '../src/engine/native/nativeEngine';
import type { EngineInfo, Model, ModelInfo } from '../src/engine/types';
import { bisectCost, type BisectTimes } from './run/bisect';
import { captureCost, type CaptureTimes } from './run/capture';
import { diffSpeed, type DiffTimes } from './run/diff';
import { ExactRunner, exactSwitches, logitsAfter } from './run/exact';
import { measureLimits, type LimitRates } from './run/limits';
import { profilesOf, type Profile } from './run/profile';
import { serve, type CommonCalls, type Handlers } from './run/protocol';
import { collected, idleCpu, memoryNow } from './run/selfInfo';
import { runTurn, tokenAt } from './run/turn';

export interface Rounds {
  readonly threads: number;
  readonly rounds: number;
}

export interface MoireCalls extends CommonCalls {
  facts(): Promise<EngineInfo>;
  /** Bytes of the state that a sequence of so many tokens holds. */
  stateBytes(tokens: number): Promise<number>;
  switches(threads: number): Promise<Readonly<Record<string, string | number>>>;
  limits(threads: number): Promise<LimitRates>;
  capture(rounds: Rounds): Promise<CaptureTimes[]>;
  bisect(rounds: Rounds): Promise<BisectTimes>;
  diff(rounds: Rounds): Promise<DiffTimes>;
  profile(rounds: Rounds): Promise<Profile[]>;
}

let model: Model | null = null;

function loaded(): Model {
  if (model === null) throw new Error('no model is loaded');
  return model;
}

const idsOf = ({ vocab }: ModelInfo, tokens: number): number[] => Array.from({ length: tokens }, (_, i) => tokenAt(i + 1, vocab));

/** A sequence of `tokens` tokens and one decode, for what `use` wants of it. */
async function withSequence<T>(threads: number, tokens: number, use: () => T | Promise<T>): Promise<T> {
  const runner = new ExactRunner(loaded());
  await runner.begin(threads);
  try {
    await runner.prefill(idsOf(loaded().info, tokens));
    await runner.decode(1);
    return await use();
  } finally {
    runner.end();
  }
}

async function stateBytes(tokens: number): Promise<number> {
  const session = await loaded().open(exactSwitches(loaded().info, 1));
  (await session.prefill(idsOf(loaded().info, tokens), { logits: 'none' })).close();
  const tensors = (await session.state()).flatMap((layer) => layer.tensors.map(({ tensor }) => tensor));
  const bytes = tensors.reduce((sum, tensor) => sum + tensor.nbytes, 0);
  for (const tensor of tensors) tensor.close();
  session.close();
  return bytes;
}

async function switchesOf(threads: number): Promise<Readonly<Record<string, string | number>>> {
  const session = await loaded().open(exactSwitches(loaded().info, threads));
  session.close();
  return session.switches;
}

const handlersOf = (engine: NativeEngine): Handlers<MoireCalls> => ({
  facts: () => Promise.resolve(engine.info()),
  load: async (path) => {
    const before = memoryNow();
    model = await engine.load(path, { scan: false });
    return { weightBytes: model.info.weightBytes, vocab: model.info.vocab, before };
  },
  unload: () => {
    loaded().close();
    model = null;
    return Promise.resolve();
  },
  turn: (plan) => runTurn(new ExactRunner(loaded()), plan),
  logits: ({ tokens, threads }) => logitsAfter(loaded(), idsOf(loaded().info, tokens), threads),
  memory: async (threads) => {
    await collected();
    // A session that is closed gives back what was freed.
    await switchesOf(threads);
    return withSequence(threads, 64, () => memoryNow());
  },
  stateBytes,
  switches: switchesOf,
  idle: (threads) => withSequence(threads, 64, () => idleCpu()),
  limits: (threads) => measureLimits(engine, threads),
  capture: ({ threads, rounds }) => captureCost(loaded(), threads, rounds),
  bisect: ({ threads, rounds }) => bisectCost(engine, loaded(), threads, rounds),
  profile: ({ threads, rounds }) => profilesOf(loaded(), threads, rounds),
  diff: ({ rounds }) => diffSpeed(engine, rounds),
});

async function start(): Promise<void> {
  serve<MoireCalls>(handlersOf(await NativeEngine.load(process.argv[2])));
}

void start();

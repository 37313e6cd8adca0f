// Entry of the served bench: what a server adds to the engine, what requests gain together, and whether anything is left of ten thousand of them.
import path from 'node:path';
import process from 'node:process';
import { Command, Option } from 'commander';
import { NativeEngine } from '../src/engine/native/nativeEngine';
import type { Model, Switches } from '../src/engine/types';
import { ensureModel } from './models/generate';
import { full } from './run/plan';
import { tokenAt } from './run/turn';
import { median } from './results/stats';
import { bareLoop } from './served/bare';
import { Server, type Timed } from './served/server';
import { soak } from './served/soak';
import { withTokenizer } from './served/tokenizer';

interface Options {
  readonly rounds: string;
  readonly requests: string;
  readonly models: string;
  readonly root: string;
  readonly library: string;
}

const exact: Switches = { matmul: 'exact', attention: 'exact' };
const exactArguments = ['--matmul', 'exact', '--attention', 'exact'];
const promptTokens = 64;
const tokens = 64;
const together = 8;
const togetherRounds = 5;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ratio = (value: number): string => value.toFixed(3);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const rate = ({ firstMs, wholeMs, tokens: count }: Timed): number => ((count - 1) * 1000) / (wholeMs - firstMs);

/** Of the turns of one round each, since the machine is not the same from round to round: median and range. */
function paired(a: readonly number[], b: readonly number[]): string {
  const ratios = a.map((value, i) => value / (b[i] ?? NaN));
  return `${ratio(median(ratios))} (${ratio(Math.min(...ratios))} to ${ratio(Math.max(...ratios))})`;
}

/** A prompt that no other has. */
function prompts(vocab: number): () => number[] {
  let made = 0;
  return () => {
    made += 1;
    return Array.from({ length: promptTokens }, (_, i) => tokenAt(made * promptTokens + i, vocab));
  };
}

async function againstBareLoop(server: Server, model: Model, body: (prompt: readonly number[]) => object, next: () => number[], rounds: number): Promise<void> {
  const bare: Timed[] = [];
  const served: Timed[] = [];
  await server.complete(body(next()));
  await bareLoop(model, exact, next(), 8);
  for (let round = 0; round < rounds; round += 1) {
    const prompt = next();
    const arms = [async () => void bare.push(await bareLoop(model, exact, prompt, tokens)), async () => void served.push(await server.complete(body(prompt)))];
    for (const arm of round % 2 === 0 ? arms : arms.reverse()) await arm();
  }
  const first = (all: readonly Timed[]): number[] => all.map(({ firstMs }) => firstMs);
  const speed = (all: readonly Timed[]): number[] => all.map(rate);
  say(`time to first token: served ${ms(median(first(served)))}, bare loop ${ms(median(first(bare)))}, ratio ${paired(first(served), first(bare))}`);
  say(`tokens/s: served ${median(speed(served)).toFixed(1)}, bare loop ${median(speed(bare)).toFixed(1)}, ratio ${paired(speed(served), speed(bare))}`);
}

async function eightTogether(server: Server, body: (prompt: readonly number[]) => object, next: () => number[], rounds: number): Promise<void> {
  const gains: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const one = await server.complete(body(next()));
    const began = performance.now();
    const all = await Promise.all(Array.from({ length: together }, () => server.complete(body(next()))));
    const wall = performance.now() - began;
    gains.push(all.reduce((sum, { tokens: count }) => sum + count, 0) / wall / (one.tokens / one.wholeMs));
  }
  say(`throughput of ${together} requests together over one alone: ${gains.map((gain) => gain.toFixed(2)).join(', ')}, median ${median(gains).toFixed(2)}`);
}

async function dense(options: Options): Promise<void> {
  const [shape] = full.shapes;
  if (shape === undefined) throw new Error('there is no model to serve');
  const { mlx } = ensureModel(options.models, shape, (done, total) => done === total && say(`model ${shape.name} written`));
  const engine = await NativeEngine.load(options.library);
  const model = await engine.load(mlx, { scan: false });
  const server = await Server.start(options.root, withTokenizer(mlx, model.info.vocab), exactArguments);
  try {
    const next = prompts(model.info.vocab);
    const body = (prompt: readonly number[]): object => ({ model: path.basename(`${mlx}-served`), prompt, max_tokens: tokens, temperature: 0, ignore_eos: true, cache: 'off' });
    await againstBareLoop(server, model, body, next, Number(options.rounds));
    await eightTogether(server, body, next, Math.min(Number(options.rounds), togetherRounds));
  } finally {
    await server.close();
    model.close();
  }
}

async function sample(options: Options): Promise<void> {
  const model = path.join(options.root, 'samples/target-4bit');
  const server = await Server.start(options.root, model, ['--drafter', path.join(options.root, 'samples/drafter'), '--width', '4', ...exactArguments]);
  try {
    say(`start of the server on the sample, to the first answer: ${ms(server.startMs)}`);
    await server.settled();
    for (const line of await soak(server, Number(options.requests))) say(line);
    say(`engine process killed: answers again after ${ms(await server.killEngine({ model: 'target-4bit', prompt: 'x', max_tokens: 1, temperature: 0 }))}`);
  } finally {
    await server.close();
  }
}

const program = new Command('bench:served')
  .description('Times a served run against the bare engine loop, requests together against one alone, and sends ten thousand requests of which some break off')
  .option('--models <folder>', 'where the synthetic models are kept', path.resolve('.moire/bench/models'))
  .option('--rounds <n>', 'rounds of turns, 0 for the long run alone', '15')
  .option('--requests <n>', 'requests of the long run, 0 for the dense model alone', '10000')
  .addOption(new Option('--root <folder>').hideHelp().makeOptionMandatory())
  .addOption(new Option('--library <file>').hideHelp().makeOptionMandatory())
  .action(async (options: Options) => {
    if (Number(options.requests) > 0) await sample(options);
    if (Number(options.rounds) > 0) await dense(options);
  });
void program.parseAsync(process.argv).catch((error: unknown) => {
  process.stderr.write(`bench:served: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

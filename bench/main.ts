// Entry of the bench: options, models, a run, its table and its document.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import ora from 'ora';
import type { LlamaCalls } from './llamaChild';
import { ensureModel, type ModelFiles } from './models/generate';
import type { GgufFormat } from './models/gguf';
import type { Shape } from './models/shape';
import type { MoireCalls } from './moireChild';
import { markdownOf } from './results/markdown';
import { reportLines } from './results/print';
import { Raw } from './results/raw';
import { Child } from './run/child';
import { measure } from './run/measure';
import { full, quick, type Effort } from './run/plan';

interface Options {
  readonly quick?: boolean;
  readonly models: string;
  readonly json?: string;
  readonly only?: string;
  readonly rounds?: number;
  readonly llama: boolean;
  readonly isa?: Isa;
  readonly results?: boolean;
  readonly from?: string;
  /** Set by the script that starts this: the folders it knows. */
  readonly root: string;
  readonly library: string;
}

/** By instruction set of the engine, the kernels of llama.cpp that are made for it. */
const variants = { scalar: 'x64', avx2: 'haswell', avx512: 'icelake', amx: 'sapphirerapids' } as const;
type Isa = keyof typeof variants;

const llamaPackage = '@node-llama-cpp/linux-x64';
const most = { rounds: 100 };

function roundsOf(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > most.rounds) throw new InvalidArgumentError(`It has to be a whole number from 1 to ${most.rounds}.`);
  return rounds;
}

function shapesOf({ shapes }: Effort, only: string | undefined): readonly Shape[] {
  if (only === undefined) return shapes;
  const chosen = full.shapes.filter(({ name }) => name === only);
  if (chosen.length === 0) throw new Error(`There is no model "${only}". The models are: ${full.shapes.map(({ name }) => name).join(', ')}.`);
  return chosen;
}

function effortOf(options: Options): Effort {
  const effort = options.quick === true ? quick : full;
  return { ...effort, rounds: options.rounds ?? effort.rounds, shapes: shapesOf(effort, options.only) };
}

function modelsFor(shapes: readonly Shape[], folder: string, say: (text: string) => void): ModelFiles[] {
  mkdirSync(folder, { recursive: true });
  return shapes.map((shape) => ensureModel(folder, shape, (done, total) => say(`writing the model ${shape.name}: tensor ${done} of ${total}`)));
}

/** Version of the package as it is installed, and where its libraries are. Null where it is not. */
function installedLlama(root: string): { folder: string; package: string } | null {
  const folder = path.join(root, 'bench/node_modules', llamaPackage);
  try {
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    return { folder: path.join(folder, 'bins/linux-x64'), package: `${llamaPackage}@${version}` };
  } catch {
    return null;
  }
}

function whyAlone({ llama }: Options, isInstalled: boolean): string {
  if (!llama) return '--no-llama was given';
  return isInstalled ? '' : `its package ${llamaPackage} is not installed (this is ${process.platform}-${process.arch})`;
}

async function run(options: Options, say: (text: string) => void): Promise<Raw> {
  const effort = effortOf(options);
  const models = modelsFor(effort.shapes, options.models, say);
  const installed = installedLlama(options.root);
  const missing = whyAlone(options, installed !== null);
  const script = (name: string): string => path.join(__dirname, name);
  const formats = missing === '' ? effort.formats : [];
  const { isa } = options;
  const moire = new Child<MoireCalls>('Moire', script('moireChild.js'), [options.library, ...(isa === undefined ? [] : [isa])]);
  const llamas = new Map(formats.map((format): [GgufFormat, Child<LlamaCalls>] => [format, new Child<LlamaCalls>('llama.cpp', script('llamaChild.js'), [installed?.folder ?? '', ...(isa === undefined ? [] : [variants[isa]])])]));
  try {
    return await measure({ effort, isQuick: options.quick === true, models, moire, llamas, llamaPackage: installed?.package ?? '', missing, onProgress: say });
  } finally {
    await Promise.all([moire, ...llamas.values()].map((child) => child.close()));
  }
}

function readRaw(file: string): Raw {
  const parsed = Raw.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new Error(`${file} is no document of the bench: /${parsed.error.issues[0]?.path.join('/') ?? ''} ${parsed.error.issues[0]?.message ?? ''}`);
}

function save(raw: Raw, options: Options): string {
  const file = path.resolve(options.json ?? path.join(options.root, 'bench/out', `${raw.date.replaceAll(':', '-')}.json`));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(raw, null, 1));
  return file;
}

function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function main(options: Options): Promise<void> {
  if (options.from !== undefined) {
    print(reportLines(readRaw(options.from)));
    return;
  }
  const spinner = ora({ stream: process.stderr, discardStdin: false, isEnabled: process.stderr.isTTY }).start('starting');
  let last = '';
  const say = (text: string): void => {
    spinner.text = text;
    if (!process.stderr.isTTY && text !== last) process.stderr.write(`${text}\n`);
    last = text;
  };
  try {
    const raw = await run(options, say);
    spinner.stop();
    print([...reportLines(raw), '', `Raw times: ${save(raw, options)}`]);
    if (options.results === true) writeFileSync(path.join(options.root, 'bench/RESULTS.md'), markdownOf(raw));
  } finally {
    spinner.stop();
  }
}

const program = new Command('bench')
  .description("Times the exact engine and llama.cpp side by side, and holds both against the machine's own limits")
  .option('--quick', 'fewer rounds, the dense model alone: under 90 seconds once its files exist')
  .option('--models <folder>', 'where the synthetic models are kept, about 2.2 GB', path.resolve('.moire/bench/models'))
  .option('--json <file>', 'where the raw times go, bench/out/<date>.json if not given')
  .option('--only <model>', 'one model: dense or hybrid')
  .option('--rounds <n>', 'rounds of turns', roundsOf)
  .option('--no-llama', 'Moire alone')
  .addOption(new Option('--isa <set>', 'instruction set of both engines, instead of the best that this CPU has').choices(Object.keys(variants)))
  .option('--results', 'also write bench/RESULTS.md from this run')
  .option('--from <file>', 'print the tables of an earlier run and measure nothing')
  .addOption(new Option('--root <folder>').hideHelp().makeOptionMandatory())
  .addOption(new Option('--library <file>').hideHelp().makeOptionMandatory())
  .action(async (options: Options) => {
    try {
      await main(options);
    } catch (error) {
      process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
  });
void program.parseAsync(process.argv);

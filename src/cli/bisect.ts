// moire bisect
import { Command, InvalidArgumentError, Option } from 'commander';
import { Experiment, type Input } from '../shared/experiment';
import { firstIssue } from '../shared/issues';
import { badInput } from '../engine/problem';
import { bisectLines } from './bisectTable';
import { libraryOption, outOption, pathOf } from './options';
import { runReport, type ReportOptions } from './runReport';
import { runVerb } from './verb';

const examples = `
Examples:
  $ moire bisect samples/target-4bit
  $ moire bisect samples/target-4bit --width 2,4,8,16 --matmul exact --out exact.moire.json
  $ moire bisect ~/models/qwen3.5-4b-4bit --prompt "export function" --walk 256
  $ moire bisect ~/models/qwen3.5-4b-4bit --ids 1,2,3 --rope block --json | jq .verdict

Exit codes: 0 equal; 1 drift, tie or defect; 2 usage or bad input; 3 declined, void or incomplete.`;

interface Options extends ReportOptions {
  readonly width: number[];
  readonly prompt?: string;
  readonly ids?: number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  readonly matmul?: string;
  readonly attention?: string;
  readonly prefillAttention?: string;
  readonly delta?: string;
  readonly rope?: string;
  readonly activations?: string;
  readonly isa?: string;
  readonly threads?: number;
}

function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text.trim())) throw new InvalidArgumentError('It has to be a whole number of at most 15 digits.');
  return Number(text);
}

/** "2,4,8", "2 4 8" or "[2, 4, 8]" */
function wholes(text: string): number[] {
  const parts = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new InvalidArgumentError('It has to be a list of whole numbers, such as 2,4,8.');
  return parts.map(whole);
}

function inputOf({ prompt, ids, draws, promptLength }: Options): Input {
  if (prompt !== undefined) return { type: 'text', text: prompt };
  if (ids !== undefined) return { type: 'ids', ids };
  return { type: 'draws', draws, promptLength };
}

const switchNames = ['matmul', 'attention', 'prefillAttention', 'delta', 'rope', 'activations', 'isa', 'threads'] as const;

function switchesOf(options: Options): Record<string, string | number> {
  return Object.fromEntries(switchNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])));
}

/** Throws a Problem that names the option. */
function experimentOf(model: string, options: Options): Experiment {
  const experiment = { kind: 'bisect', model, widths: [...new Set(options.width)], input: inputOf(options), walk: options.walk, switches: switchesOf(options) };
  const parsed = Experiment.safeParse(experiment);
  if (parsed.success) return parsed.data;
  const { message } = firstIssue(parsed.error);
  throw badInput(`This cannot be run: ${message}`, '', 'See moire bisect --help');
}

export function bisectCommand(): Command {
  return new Command('bisect')
    .description('compare a verify block of each width with single decode steps: every position, every layer, every tap, and the state afterwards')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('-w, --width <list>', 'block widths').argParser(wholes).default([2, 4, 8, 16], '2,4,8,16'))
    .addOption(new Option('-p, --prompt <text>', 'prompt; the block is its own greedy continuation').conflicts(['ids', 'draws', 'promptLength']))
    .addOption(new Option('--ids <list>', 'token ids of the prompt').argParser(wholes).conflicts(['draws', 'promptLength']))
    .addOption(new Option('--draws <n>', 'prompts and blocks of synthetic ids').argParser(whole).default(3))
    .addOption(new Option('--prompt-length <n>', 'tokens of a synthetic prompt').argParser(whole).default(64))
    .addOption(new Option('--walk <n>', 'tokens of the long walk after a prompt, 0 for none').argParser(whole).default(128))
    .option('--matmul <family>', 'auto, qmv, qmm or exact')
    .option('--attention <family>', 'per_position, batched or exact')
    .option('--prefill-attention <family>', 'auto, batched, per_position or exact')
    .option('--delta <family>', 'recurrent or chunked')
    .option('--rope <family>', 'row or block')
    .option('--activations <dtype>', 'checkpoint or f32')
    .option('--isa <name>', 'auto, scalar, avx2, ...')
    .addOption(new Option('--threads <n>', 'threads of the engine').argParser(whole))
    .addOption(libraryOption())
    .addOption(outOption())
    .option('--json', 'print the report alone')
    .addHelpText('after', examples)
    .action((model: string, options: Options) => runVerb((verb) => runReport(verb, experimentOf(model, options), options, bisectLines)));
}

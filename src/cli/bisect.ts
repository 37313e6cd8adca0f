// moire bisect
import { Command, Option } from 'commander';
import { type Experiment, type Input, ranges } from '../shared/experiment';
import { presetSettings as preset } from '../shared/presets';
import { bisectLines } from './bisectTable';
import { checkedExperiment } from './experiment';
import { pathOf, rangeOption, reportOptions, wholes } from './options';
import { runReport, type ReportOptions } from './runReport';
import { switchesOf, switchOptions, type SwitchOptions } from './switches';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire bisect samples/target-4bit
  $ moire bisect samples/target-4bit --width 2,4,8,16 --matmul exact --out exact.moire.json
  $ moire bisect ~/models/qwen3.5-4b-4bit --prompt "export function" --walk 256
  $ moire bisect ~/models/qwen3.5-4b-4bit --ids 1,2,3 --rope block --json | jq .verdict

Exit codes: 0 equal; 1 drift, tie or defect; 2 usage or bad input; 3 declined, void or incomplete.`;

interface Options extends ReportOptions, SwitchOptions {
  readonly width: number[];
  readonly prompt?: string;
  readonly ids?: number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
}

function inputOf({ prompt, ids, draws, promptLength }: Options): Input {
  if (prompt !== undefined) return { type: 'text', text: prompt };
  if (ids !== undefined) return { type: 'ids', ids };
  return { type: 'draws', draws, promptLength };
}

const experimentOf = (model: string, options: Options): Experiment =>
  checkedExperiment({ kind: 'bisect', model, widths: [...new Set(options.width)], input: inputOf(options), walk: options.walk, switches: switchesOf(options) });

export function bisectCommand(): Command {
  const command = new Command('bisect')
    .description('compare a verify block of each width with single decode steps: every position, every layer, every tap, and the state afterwards')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('-w, --width <list>', 'block widths').argParser(wholes).default(preset.widths, preset.widths.join()))
    .addOption(new Option('-p, --prompt <text>', 'prompt; the block is its own greedy continuation').conflicts(['ids', 'draws', 'promptLength']))
    .addOption(new Option('--ids <list>', 'token ids of the prompt').argParser(wholes).conflicts(['draws', 'promptLength']))
    .addOption(rangeOption('--draws <n>', 'prompts and blocks of synthetic ids', ranges.draws).default(preset.draws))
    .addOption(rangeOption('--prompt-length <n>', 'tokens of a synthetic prompt', ranges.promptLength).default(preset.promptLength))
    .addOption(rangeOption('--walk <n>', 'tokens of the long walk after a prompt, 0 for none', ranges.walk).default(preset.walk))
    .addHelpText('after', examples);
  return reportOptions(switchOptions(command)).action((model: string, options: Options) => runHostVerb((verb) => runReport(verb, experimentOf(model, options), options, bisectLines)));
}

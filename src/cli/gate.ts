// moire gate
import { Command, Option } from 'commander';
import { ranges } from '../shared/experiment';
import { presetSettings as preset } from '../shared/presets';
import { accountLines } from './accountLines';
import { drafterOption } from './drafter';
import { checkedExperiment } from './experiment';
import { pathOf, rangeOption, reportOptions, whole, wholes } from './options';
import { runReport, type ReportOptions } from './runReport';
import { burstSwitchOptions, switchesOf, type SwitchOptions } from './switches';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire gate samples/target-4bit --width 2,4,8,16
  $ moire gate samples/target-4bit --drafter samples/drafter --width 16 --override
  $ moire gate samples/target-4bit --width 2,4 --batch 4
  $ moire gate ~/models/qwen3.5-4b-4bit --prompt-length 160 --walk 128 --out gate.moire.json

Exit codes: 0 every width engages; 1 a width was overridden; 2 usage or bad input; 3 a width was declined, or incomplete.`;

interface Options extends ReportOptions, SwitchOptions {
  readonly drafter?: string;
  readonly width: number[];
  readonly draws: number;
  readonly promptLength: number;
  readonly walk: number;
  readonly batch: number;
  readonly override?: true;
}

export function gateCommand(): Command {
  const command = new Command('gate')
    .description('decide for each width whether a verify block is exact enough to be served: short draws, a long walk, and a walk with rewinds')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('-w, --width <list>', 'block widths').argParser(wholes).default(preset.widths, preset.widths.join()))
    .addOption(drafterOption('folder of a drafter whose width and captured layers count'))
    .addOption(rangeOption('--draws <n>', 'prompts and blocks of synthetic ids', ranges.draws).default(preset.draws))
    .addOption(rangeOption('--prompt-length <n>', 'tokens of a synthetic prompt', ranges.promptLength).default(preset.promptLength))
    .addOption(rangeOption('--walk <n>', 'tokens of the long walk, 0 for none', ranges.walk).default(preset.walk))
    .addOption(new Option('-b, --batch <n>', 'rows that run together, each with ids of its own').argParser(whole).default(1))
    .option('--override', 'engage a width although its probe fails: greedy output is then not promised to be that of classic decode')
    .addHelpText('after', examples);
  return reportOptions(burstSwitchOptions(command)).action((model: string, options: Options) => {
    const { drafter = null, width, draws, promptLength, walk, batch, override = false } = options;
    return runHostVerb((verb) => runReport(verb, checkedExperiment({ kind: 'gate', model, drafter, widths: width, draws, promptLength, walk, batch, switches: switchesOf(options), override }), options, accountLines));
  });
}

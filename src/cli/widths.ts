// moire widths
import { Command, Option } from 'commander';
import { presets, presetSettings } from '../shared/presets';
import { accountLines } from './accountLines';
import { drafterOption } from './drafter';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, whole, wholes } from './options';
import { promptsOf, promptsOptions, type PromptsOptions } from './prompts';
import { runReport, type ReportOptions } from './runReport';
import { burstSwitchOptions, switchesOf, type SwitchOptions } from './switches';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire widths samples/target-4bit --drafter samples/drafter
  $ moire widths ~/models/qwen3.5-4b-4bit -d ~/models/qwen3.5-4b-dflash --width 2,3,4,8,16 --repeats 5 --out widths.moire.json

Exit codes: 0 every width exact; 1 a width passed by the gate has other text; 2 usage or bad input; 3 a width declined, or incomplete.`;

const preset = presets.widths('', presetSettings);

interface Options extends ReportOptions, PromptsOptions, SwitchOptions {
  readonly drafter?: string;
  readonly width: number[];
  readonly tokens: number;
  readonly repeats: number;
  readonly eos?: true;
}

export function widthsCommand(): Command {
  const command = new Command('widths')
    .description('sweep block widths: throughput with ranges, acceptance, time by phase, exactness; classic decode brackets every repeat')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(drafterOption())
    .addOption(new Option('-w, --width <list>', 'block widths').argParser(wholes).default(preset.widths, preset.widths.join()))
    .addOption(new Option('-n, --tokens <n>', 'tokens of each answer').argParser(whole).default(preset.tokens))
    .addOption(new Option('-r, --repeats <n>', 'times that every arm runs').argParser(whole).default(preset.repeats))
    .option('--eos', 'end at the end of text; without, every answer has the same length')
    .addHelpText('after', examples);
  return reportOptions(burstSwitchOptions(promptsOptions(command))).action((model: string, options: Options) =>
    runHostVerb(async (verb) => {
      const { drafter = model, width, tokens, repeats, eos = false } = options;
      const prompts = await promptsOf(options);
      return runReport(verb, checkedExperiment({ kind: 'widths', model, drafter, prompts, widths: width, tokens, repeats, ignoreEos: !eos, switches: switchesOf(options) }), options, accountLines);
    }),
  );
}

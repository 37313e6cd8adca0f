// moire parity
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
  $ moire parity samples/target-4bit --drafter samples/drafter --width 2,4,8
  $ moire parity samples/target-4bit --width 4 --prompt "export function" --tokens 128 --capture rounds.moire-capture.jsonl
  $ moire parity samples/target-4bit --drafter samples/drafter --prompts prompts.jsonl --batch 4 --audit --matmul exact --attention exact

Exit codes: 0 equal; 1 drift, tie or defect; 2 usage or bad input; 3 declined, void or incomplete.`;

const preset = presets.parity('', presetSettings);

interface Options extends ReportOptions, PromptsOptions, SwitchOptions {
  readonly drafter?: string;
  readonly width: number[];
  readonly tokens: number;
  readonly batch: number;
  readonly override?: true;
  readonly ignoreEos?: true;
  readonly audit?: true;
}

export function parityCommand(): Command {
  const command = new Command('parity')
    .description('compare the tokens of classic greedy decode with those of bursts, prompts x widths')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(drafterOption())
    .addOption(new Option('-w, --width <list>', 'block widths').argParser(wholes).default(preset.widths, preset.widths.join()))
    .addOption(new Option('-n, --tokens <n>', 'tokens of each answer').argParser(whole).default(preset.tokens))
    .addOption(new Option('-b, --batch <n>', 'prompts that run together, cut to one length').argParser(whole).default(preset.batch))
    .option('--override', 'run a width although the gate declines it')
    .option('--ignore-eos', 'go on past the end of text')
    .addOption(new Option('--capture <file>', 'save the rounds of every burst, to be read by moire logs and replayed: JSON lines, or mlxcel text lines for a name that ends in .log; until the run is complete they stand in <file>.partial').argParser(pathOf))
    .option('--audit', 'compare the whole state with single steps after every round')
    .addHelpText('after', examples);
  return reportOptions(burstSwitchOptions(promptsOptions(command))).action((model: string, options: Options) =>
    runHostVerb(async (verb) => {
      const { drafter = model, width, tokens, batch, override, ignoreEos = false, audit = false } = options;
      const prompts = await promptsOf(options);
      const experiment = checkedExperiment({ kind: 'parity', model, drafter, prompts, widths: width, tokens, batch, gate: override === true ? 'override' : 'obey', ignoreEos, audit, switches: switchesOf(options) });
      return runReport(verb, experiment, options, accountLines);
    }),
  );
}

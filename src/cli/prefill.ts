// moire prefill
import { Command, Option } from 'commander';
import { presets, presetSettings } from '../shared/presets';
import { accountLines } from './accountLines';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, wholes } from './options';
import { promptOf, promptOptions, type PromptOptions } from './prompt';
import { runReport, type ReportOptions } from './runReport';
import { burstSwitchOptions, switchesOf, type SwitchOptions } from './switches';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire prefill samples/target-4bit
  $ moire prefill samples/target-4bit --burst-prefill verify --out prefill.moire.json
  $ moire prefill samples/target-4bit --partition 0,1,16,64 --matmul exact --attention exact

Exit codes: 0 equal; 1 drift, tie or defect; 2 usage or bad input; 3 void or incomplete.`;

const preset = presets.prefill('', presetSettings);

interface Options extends ReportOptions, PromptOptions, SwitchOptions {
  readonly partition: number[];
}

export function prefillCommand(): Command {
  const command = new Command('prefill')
    .description("compare the prefill of classic decode with the burst's, before either advances: last logits, every cache, every tap")
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('--partition <list>', 'tokens of a forward, 0 for the whole prompt at once; each is also compared with the first').argParser(wholes).default(preset.partitions, preset.partitions.join()))
    .addHelpText('after', examples);
  return reportOptions(burstSwitchOptions(promptOptions(command))).action((model: string, options: Options) =>
    runHostVerb(async (verb) => runReport(verb, checkedExperiment({ kind: 'prefill', model, prompt: await promptOf(options), partitions: options.partition, switches: switchesOf(options) }), options, accountLines)),
  );
}

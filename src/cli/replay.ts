// moire replay
import { Command, Option } from 'commander';
import { fills, forms } from '../shared/experiment';
import { presets, presetSettings } from '../shared/presets';
import { accountLines } from './accountLines';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, words } from './options';
import { runReport, type ReportOptions } from './runReport';
import { sequenceOf, sequenceOptions, type SequenceOptions } from './sequence';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire replay samples/target-4bit --accepts 1,2,3 --width 4 --tokens 200
  $ moire replay ~/models/qwen3.5-4b-4bit --log served.log --request 2 --ids "$(cat prompt.ids)"
  $ moire replay samples/target-4bit --accepts 4,1 --fill wrong,random --form block,kept,chain --out replay.moire.json
  $ moire replay samples/target-4bit --accepts 4,4,1 --matmul exact --attention exact --json | jq .replay.rounds

Exit codes: 0 equal; 1 drift, tie or defect; 2 usage or bad input; 3 void or incomplete.`;

const preset = presets.replay('', presetSettings);

interface Options extends ReportOptions, SequenceOptions {
  readonly fill: string[];
  readonly form: string[];
}

export function replayCommand(): Command {
  const command = new Command('replay')
    .description('drive the accept sequence of a served run over a transcript, rewinds included, and compare every kept row with single steps')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('--fill <list>', `what stands in rejected rows: ${fills.join(', ')}`).argParser(words).default(preset.fills, preset.fills.join()))
    .addOption(new Option('--form <list>', `how rounds are run: ${forms.join(', ')}`).argParser(words).default(preset.forms, preset.forms.join()))
    .addHelpText('after', examples);
  return reportOptions(sequenceOptions(command)).action((model: string, options: Options) =>
    runHostVerb(async (verb) => runReport(verb, checkedExperiment({ kind: 'replay', ...(await sequenceOf(model, options)), fills: options.fill, forms: options.form }), options, accountLines)),
  );
}

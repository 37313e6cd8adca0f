// moire rewind
import { Command, Option } from 'commander';
import { presets, presetSettings } from '../shared/presets';
import { accountLines } from './accountLines';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, whole } from './options';
import { runReport, type ReportOptions } from './runReport';
import { sequenceOf, sequenceOptions, type SequenceOptions } from './sequence';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire rewind samples/target-4bit --accepts 1,2,3,4
  $ moire rewind samples/target-4bit --accepts 1,4,2,4,3 --batch 4 --matmul exact --attention exact
  $ moire rewind ~/models/qwen3.5-4b-4bit --log served.log --request 2 --out rewind.moire.json

Exit codes: 0 equal; 1 drift or defect; 2 usage or bad input; 3 void or incomplete.`;

const preset = presets.rewind('', presetSettings);

interface Options extends ReportOptions, SequenceOptions {
  readonly batch: number;
}

export function rewindCommand(): Command {
  const command = new Command('rewind')
    .description('audit the whole state after every rewind against sessions that never saw the rejected rows')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('-b, --batch <n>', 'batch rows that keep different counts').argParser(whole).default(preset.batch))
    .addHelpText('after', examples);
  return reportOptions(sequenceOptions(command)).action((model: string, options: Options) =>
    runHostVerb(async (verb) => runReport(verb, checkedExperiment({ kind: 'rewind', ...(await sequenceOf(model, options)), batch: options.batch }), options, accountLines)),
  );
}

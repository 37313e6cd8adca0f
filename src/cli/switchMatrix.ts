// moire switches
import { Command, InvalidArgumentError, Option } from 'commander';
import type { MatrixBase, SwitchesExperiment } from '../shared/experiment';
import { matrixBase } from '../shared/presets';
import { matrixDefaults as base } from '../shared/presets';
import { badInput } from '../engine/problem';
import { accountLines } from './accountLines';
import { drafterOption } from './drafter';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, whole, wholes } from './options';
import { promptOf, promptOptions, type PromptOptions } from './prompt';
import { runReport, type ReportOptions } from './runReport';
import { burstSwitchOptions, switchesOf, type SwitchOptions } from './switches';
import { runHostVerb } from './hostVerb';

const probes = ['gate', 'prefill', 'replay', 'rewind', 'parity'] as const;

const examples = `
Examples:
  $ moire switches samples/target-4bit --switch matmul=auto,exact --switch attention=per_position,exact
  $ moire switches samples/target-4bit --probe prefill --switch burst.prefill=causal,verify --switch rope=row,block
  $ moire switches samples/target-4bit --probe gate --width 8 --switch matmul=auto,qmv,qmm,exact --switch threads=1,2

Exit codes: 0 every combination equal; 1 drift, tie or defect; 2 usage or bad input; 3 declined, every control void, or incomplete.`;

interface Options extends ReportOptions, PromptOptions, SwitchOptions {
  readonly probe: string;
  readonly switch: SwitchesExperiment['matrix'];
  readonly width: number;
  readonly accepts: number[];
  readonly tokens: number;
  readonly drafter?: string;
}

/** "matmul=auto,exact" */
function axis(text: string, before: SwitchesExperiment['matrix'] = []): SwitchesExperiment['matrix'] {
  const [name = '', list = ''] = text.split('=', 2);
  const values = list.split(',').filter((value) => value !== '');
  if (name === '' || values.length === 0) throw new InvalidArgumentError('It has to be NAME=VALUE,VALUE such as matmul=auto,exact.');
  return [...before, { name, values: values.map((value) => (/^\d{1,15}$/.test(value) ? Number(value) : value)) }];
}

/** The experiment under the matrix: a small one of its kind, with what the options say. */
async function baseOf(model: string, options: Options): Promise<MatrixBase> {
  const probe = probes.find((one) => one === options.probe);
  if (probe === undefined) throw badInput(`There is no probe "${options.probe}" for a matrix`, '', `Use --probe with one of ${probes.join(', ')}`);
  const { width, tokens, accepts, drafter = model } = options;
  const prompt = await promptOf(options);
  const base = { ...matrixBase(probe, model, width), switches: switchesOf(options) };
  switch (base.kind) {
    case 'gate':
      if (prompt.type !== 'default') throw badInput('The gate makes its own synthetic prompts, so it takes none', '', 'Leave the prompt out, or choose another probe with --probe');
      return base;
    case 'prefill':
      return { ...base, prompt };
    case 'parity':
      return { ...base, drafter, prompts: [prompt], tokens };
    default:
      return { ...base, prompt, tokens, accepts: { type: 'kept', kept: accepts } };
  }
}

export function switchesCommand(): Command {
  const command = new Command('switches')
    .description('run one probe under every combination of some switches, and prove for each switch that it is live or void')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(new Option('-s, --switch <name=list>', 'a switch and its values; give it several times').argParser(axis).makeOptionMandatory())
    .addOption(new Option('--probe <name>', `what is run: ${probes.join(', ')}`).default('gate'))
    .addOption(new Option('-w, --width <n>', 'block width of gate, replay, rewind and parity').argParser(whole).default(base.width))
    .addOption(new Option('-a, --accepts <list>', 'kept rows of each round of replay and rewind').argParser(wholes).default(base.kept, base.kept.join()))
    .addOption(new Option('-n, --tokens <n>', 'tokens of replay, rewind and parity').argParser(whole).default(base.tokens))
    .addOption(drafterOption('drafter of parity; without, the MTP head in the model itself'))
    .addHelpText('after', examples);
  return reportOptions(burstSwitchOptions(promptOptions(command))).action((model: string, options: Options) =>
    runHostVerb(async (verb) => runReport(verb, checkedExperiment({ kind: 'switches', model, matrix: options.switch, base: await baseOf(model, options) }), options, accountLines)),
  );
}

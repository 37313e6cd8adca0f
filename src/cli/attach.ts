// moire attach
import process from 'node:process';
import { Argument, InvalidArgumentError, Option, Command } from 'commander';
import { badInput } from '../engine/problem';
import { endpoints, servedKinds, type Experiment, type ServedKind } from '../shared/experiment';
import { serverLine } from '../shared/account/answers';
import { formatTable } from '../shared/format';
import { addressFault, originOf } from '../shared/serverAddress';
import { servedPreset, servedPresets } from '../shared/servedPresets';
import type { ServerProfile } from '../shared/serverProfile';
import { accountLines } from './accountLines';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, whole } from './options';
import { printableDocument } from './printable';
import { textOf } from './prompt';
import { runReport, type ReportOptions } from './runReport';
import { switchesOf, switchOptions, type SwitchOptions } from './switches';
import { print, printJson, styled } from './terminal';
import { runHostVerb, type HostVerb } from './hostVerb';
import type { ExitCode } from './verb';

const examples = `
Examples:
  $ moire attach http://127.0.0.1:8080
  $ moire attach http://127.0.0.1:8080 cache --tokens 32
  $ moire attach http://127.0.0.1:8000 concurrency --together 16 --out concurrency.moire.json
  $ moire attach http://127.0.0.1:8080 servers --other http://127.0.0.1:8000
  $ moire attach http://127.0.0.1:8080 servers --local ~/models/qwen3-4b-4bit --matmul exact
  $ MOIRE_TOKEN=... moire attach https://gpu.example rescore --model qwen3-32b

Without a probe: what the server is and can, shown by a handful of tiny requests. A token goes to its server alone and into no report.

Exit codes: 0 equal, or the server was described; 1 drift, tie or defect; 2 usage or bad input; 3 declined, void or incomplete.`;

interface Options extends ReportOptions, SwitchOptions {
  readonly model: string;
  readonly token?: string;
  readonly chat?: true;
  readonly prompt?: string[];
  readonly promptFile?: string;
  readonly tokens: number;
  readonly times: number;
  readonly together: number;
  readonly temperature: number;
  readonly seed: number;
  readonly other?: string;
  readonly otherModel: string;
  readonly otherToken?: string;
  readonly local?: string;
}

function address(text: string): string {
  const fault = addressFault(text);
  if (fault !== '') throw new InvalidArgumentError(`It cannot be used: ${fault}.`);
  return text;
}

function decimal(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,6})?$/.test(text.trim())) throw new InvalidArgumentError('It has to be a number such as 0.7.');
  return Number(text);
}

export function attachCommand(): Command {
  const command = new Command('attach')
    .description('attach to an OpenAI-compatible server: what it is and can, and the probes that need only text and log probabilities')
    .addArgument(new Argument('<url>', 'address of the server, such as http://127.0.0.1:8080').argParser(address))
    .addArgument(new Argument('[probe]', 'what to ask; without, the server is described').choices(servedKinds))
    .option('--model <name>', 'model of the server; without, the first that it names', '')
    .option('--token <text>', 'bearer token; better in the environment variable MOIRE_TOKEN, which other users of the machine do not see')
    .option('--chat', 'send prompts as chat messages instead of completions')
    .addOption(new Option('-p, --prompt <text...>', 'prompts; without, built-in beginnings of code').conflicts('promptFile'))
    .addOption(new Option('--prompt-file <file>', 'one prompt from a text file, every byte of it').argParser(pathOf))
    .addOption(new Option('-n, --tokens <n>', 'tokens of each answer').argParser(whole).default(servedPreset.tokens))
    .addOption(new Option('--times <n>', 'repeat: times that a request is sent').argParser(whole).default(servedPreset.times))
    .addOption(new Option('--temperature <t>', 'repeat: above 0, tokens are drawn').argParser(decimal).default(servedPreset.temperature))
    .addOption(new Option('--seed <n>', 'repeat: of drawn tokens').argParser(whole).default(servedPreset.seed))
    .addOption(new Option('--together <n>', 'concurrency: requests at once').argParser(whole).default(servedPreset.together))
    .addOption(new Option('--other <url>', 'servers: the server of arm B').argParser(address).conflicts('local'))
    .option('--other-model <name>', 'servers: its model', '')
    .option('--other-token <text>', 'servers: its token, or MOIRE_OTHER_TOKEN')
    .addOption(new Option('--local <folder>', 'servers: a checkpoint that the built-in engine runs as arm B, under the switches below').argParser(pathOf))
    .addHelpText('after', examples);
  return reportOptions(switchOptions(command)).action((url: string, kind: ServedKind | undefined, options: Options) => runHostVerb((verb) => run(verb, url, kind, options)));
}

/** By origin, so that neither server hears of the other's. */
function bearerTokensOf(url: string, { token, other, otherToken }: Options): Record<string, string> {
  const own = token ?? process.env['MOIRE_TOKEN'];
  const others = otherToken ?? process.env['MOIRE_OTHER_TOKEN'];
  return {
    ...(other === undefined || others === undefined ? {} : { [originOf(other)]: others }),
    ...(own === undefined ? {} : { [originOf(url)]: own }),
  };
}

async function run(verb: HostVerb, url: string, kind: ServedKind | undefined, options: Options): Promise<ExitCode> {
  const bearerTokens = bearerTokensOf(url, options);
  if (kind !== undefined) return runReport(verb, await experimentOf(kind, url, options), { ...options, bearerTokens }, accountLines);
  verb.progress.show({ text: 'attaching to the server', done: 0, total: 0 });
  const profile = await verb.host.attach({ url, model: options.model, token: bearerTokens[originOf(url)] ?? '' }, { signal: verb.signal });
  verb.progress.stop();
  if (options.json === true) printJson(profile);
  else print(profileLines(printableDocument(profile)));
  return 0;
}

async function experimentOf(kind: ServedKind, url: string, options: Options): Promise<Experiment> {
  const { model, chat, prompt, promptFile, tokens, times, temperature, seed, together } = options;
  const preset = servedPresets[kind]({ url, model });
  const prompts = promptFile !== undefined ? [await textOf(promptFile)] : (prompt ?? preset.prompts);
  const own = { repeat: { times, temperature, seed }, cache: {}, concurrency: { together }, servers: { other: kind === 'servers' ? otherOf(options) : null }, rescore: {} }[kind];
  return checkedExperiment({ ...preset, ...(kind === 'rescore' ? {} : { endpoint: endpoints[chat === true ? 1 : 0] }), prompts, tokens, ...own });
}

function otherOf({ other, otherModel, local, ...options }: Options): Record<string, unknown> {
  if (other !== undefined) return { type: 'server', url: other, model: otherModel };
  if (local !== undefined) return { type: 'model', folder: local, switches: switchesOf(options) };
  throw badInput('Server parity needs an arm B', '', 'Give --other with the address of a server, or --local with the folder of a checkpoint');
}

const marks = { yes: 'yes', no: 'no', unknown: '?' } as const;

function profileLines({ models, capabilities, notes, ...profile }: ServerProfile): string[] {
  const rows = capabilities.map(({ name, state, detail }) => [name, marks[state], detail]);
  const others = models.filter((name) => name !== profile.model);
  return [
    serverLine({ models, capabilities, notes, ...profile }),
    '',
    ...formatTable(rows).map((line) => `  ${line}`),
    ...(notes.length === 0 ? [] : ['', ...notes]),
    ...(others.length === 0 ? [] : ['', styled('dim', `Other models: ${others.slice(0, 20).join(', ')}${others.length > 20 ? ', ...' : ''}`)]),
    '',
    styled('dim', `Probes: ${servedKinds.join(', ')}`),
  ];
}

// `moire`: the same probes without an editor. Verbs stand in their own files.
import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { printableLines } from './printable';
import { surviveBrokenOutput } from './terminal';
import { version } from './version';

const examples = `
Examples:
  $ moire bisect samples/target-4bit --width 2,4,8,16
  $ moire doctor samples/target-4bit
  $ moire logs server.log

moire <command> --help says more.`;

/** By name, in the order of the help. A verb's modules are loaded when it is asked for, since a served run is to answer within a second. */
const verbs: Readonly<Record<string, () => Promise<Command>>> = {
  bisect: async () => (await import('./bisect')).bisectCommand(),
  prefill: async () => (await import('./prefill')).prefillCommand(),
  gate: async () => (await import('./gate')).gateCommand(),
  parity: async () => (await import('./parity')).parityCommand(),
  replay: async () => (await import('./replay')).replayCommand(),
  rewind: async () => (await import('./rewind')).rewindCommand(),
  widths: async () => (await import('./widths')).widthsCommand(),
  switches: async () => (await import('./switchMatrix')).switchesCommand(),
  serve: async () => (await import('./serve')).serveCommand(),
  attach: async () => (await import('./attach')).attachCommand(),
  logs: async () => (await import('./logs')).logsCommand(),
  record: async () => (await import('./record')).recordCommand(),
  compare: async () => (await import('./compare')).compareCommand(),
  diff: async () => (await import('./diff')).diffCommand(),
  ids: async () => (await import('./ids')).idsCommand(),
  inspect: async () => (await import('./inspect')).inspectCommand(),
  doctor: async () => (await import('./doctor')).doctorCommand(),
};

/** The verb that is asked for; all of them for help and for what is none. */
function asked(name: string | undefined): Promise<Command[]> {
  const verb = name !== undefined && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  return Promise.all((verb === undefined ? Object.values(verbs) : [verb]).map((make) => make()));
}

/** Usage errors are 2 and lead to the help; help and version are answers. `words`: what the help is asked of. */
function strict(command: Command, words: string): Command {
  return command.exitOverride().showSuggestionAfterError(true).showHelpAfterError(`See ${words} --help.`).configureOutput({ outputError: (text, write) => write(printableLines(text.replace(/^error: /, 'moire: '))) });
}

async function main(): Promise<void> {
  const program = strict(new Command('moire'), 'moire').description('Shows where two runs of one model part, down to the first byte').version(version, '-v, --version').addHelpText('after', examples);
  for (const command of await asked(process.argv[2])) program.addCommand(strict(command, `moire ${command.name()}`));
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

surviveBrokenOutput();
void main();

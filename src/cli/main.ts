// `moire`: the same probes without an editor. Verbs stand in their own files.
import process from 'node:process';
import { Command, CommanderError } from 'commander';
import { attachCommand } from './attach';
import { bisectCommand } from './bisect';
import { diffCommand } from './diff';
import { doctorCommand } from './doctor';
import { gateCommand } from './gate';
import { inspectCommand } from './inspect';
import { logsCommand } from './logs';
import { parityCommand } from './parity';
import { prefillCommand } from './prefill';
import { printableLines } from './printable';
import { recordCommand } from './record';
import { replayCommand } from './replay';
import { rewindCommand } from './rewind';
import { switchesCommand } from './switchMatrix';
import { serveCommand } from './serve';
import { surviveBrokenOutput } from './terminal';
import { version } from './version';
import { widthsCommand } from './widths';

const examples = `
Examples:
  $ moire bisect samples/target-4bit --width 2,4,8,16
  $ moire doctor samples/target-4bit
  $ moire logs server.log

moire <command> --help says more.`;

/** Usage errors are 2; help and version are answers. */
function strict(command: Command): Command {
  return command.exitOverride().showSuggestionAfterError(true).configureOutput({ outputError: (text, write) => write(printableLines(text.replace(/^error: /, 'moire: '))) });
}

async function main(): Promise<void> {
  const program = strict(new Command('moire')).description('Shows where two runs of one model part, down to the first byte').version(version, '-v, --version').addHelpText('after', examples);
  const probes = [bisectCommand(), prefillCommand(), gateCommand(), parityCommand(), replayCommand(), rewindCommand(), widthsCommand(), switchesCommand()];
  const others = [serveCommand(), attachCommand(), logsCommand(), recordCommand(), diffCommand(), inspectCommand(), doctorCommand()];
  for (const command of [...probes, ...others]) program.addCommand(strict(command));
  try {
    await program.parseAsync(process.argv);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

surviveBrokenOutput();
void main();

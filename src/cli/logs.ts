// moire logs
import process from 'node:process';
import { Command, Option } from 'commander';
import { firstViolation, requestNamed, type Capture } from '../shared/capture';
import { importCapture } from '../engine/acceptLogs/importCapture';
import { badInput } from '../engine/problem';
import { logLines } from './logsTable';
import { pathOf, requestName } from './options';
import { printableDocument } from './printable';
import { print } from './terminal';
import { runVerb } from './verb';

const examples = `
Examples:
  $ moire logs server.log
  $ moire logs server.log --request 1
  $ moire logs server.log --request seq-2
  $ moire logs capture.moire-capture.jsonl --json | jq '.requests[].accepted'

Reads logs, metrics and replies of the engines that speculate and finds the format by itself. For a log that can be replayed
byte for byte, let mlxcel print its rounds:
  RUST_LOG=info,mlxcel_core::drafter::dflash::round_loop=debug,mlxcel::server::batch::dflash_target=debug

Exit codes: 0 every identity holds; 1 one is violated; 2 usage or bad input; 3 interrupted.`;

interface Options {
  readonly json?: true;
  readonly request?: string;
}

/** The ordinal of the request that is named by its number in the table or by its id. Throws a Problem. */
function chosen({ requests }: Capture, name: string | undefined, file: string): number | null {
  if (name === undefined) return null;
  const found = requestNamed(requests, name);
  if (found !== undefined) return found.ordinal;
  throw badInput(`There is no request ${name} in this log`, file, requests.length === 0 ? 'It holds no requests' : `Give a number from 0 to ${requests.length - 1}, or one of its request ids`);
}

export function logsCommand(): Command {
  return new Command('logs')
    .description('import an acceptance log of speculative decoding and check its round algebra')
    .argument('<file>', 'a log, metrics or a reply of an engine', pathOf)
    .addOption(new Option('-r, --request <n>', 'print the accept list of this request: its number in the table, or its id').argParser(requestName))
    .option('--json', 'print the capture alone')
    .addHelpText('after', examples)
    .action((file: string, options: Options) =>
      runVerb(async ({ signal, progress, settled }) => {
        const capture = await importCapture(file, { signal, onProgress: (now) => progress.show(now) });
        settled();
        const request = chosen(capture, options.request, file);
        if (options.json === true) process.stdout.write(`${JSON.stringify(capture)}\n`);
        else print(logLines(printableDocument(capture), request));
        return firstViolation(capture) === null ? 0 : 1;
      }),
    );
}

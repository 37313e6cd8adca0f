// moire record
import process from 'node:process';
import { Command } from 'commander';
import { recordOf } from '../shared/record';
import { loadReport } from '../engine/reportStore';
import { pathOf } from './options';
import { printableDocument, printableLines } from './printable';
import { runReader } from './verb';

const examples = `
Examples:
  $ moire record replay.moire.json > record.md
  $ moire record gate.moire.json --prediction "widths 2 and 4 equal, 8 declined: qmm begins at 8 rows"

Exit codes: 0 printed; 2 usage or bad input.`;

export function recordCommand(): Command {
  return new Command('record')
    .description('print a report as a Markdown record: question, host, method, prediction against result, tables, controls, what was not covered')
    .argument('<report>', 'a *.moire.json file', pathOf)
    .option('--prediction <text>', 'what was expected before the run; without, what the switches promise')
    .addHelpText('after', examples)
    .action((file: string, { prediction = '' }: { prediction?: string }) =>
      runReader(async () => {
        process.stdout.write(printableLines(recordOf(printableDocument(await loadReport(file)), { prediction })));
        return 0;
      }),
    );
}

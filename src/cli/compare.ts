// moire compare
import path from 'node:path';
import process from 'node:process';
import { Command } from 'commander';
import { loadReport } from '../engine/reportStore';
import { comparisonOf, sameResults } from '../webview/model/compare/comparison';
import { comparisonRecord } from '../webview/model/compare/record';
import { comparisonAccount, outcomeInWords } from '../webview/model/compare/words';
import { sectionLines } from './accountLines';
import { pathOf } from './options';
import { printableDocument, printableLines } from './printable';
import { print } from './terminal';
import { runReader } from './verb';

const examples = `
Examples:
  $ moire compare before.moire.json after.moire.json
  $ moire compare before.moire.json after.moire.json --markdown > fix.md

Exit codes: 0 both found the same; 1 they differ; 2 usage or bad input.`;

export function compareCommand(): Command {
  return new Command('compare')
    .description('compare two reports, such as before and after a fix: verdicts, what differs in how they came to be, and which cells are fixed, new or changed')
    .argument('<a>', 'a *.moire.json file', pathOf)
    .argument('<b>', 'another one', pathOf)
    .option('--markdown', 'print a Markdown record')
    .addHelpText('after', examples)
    .action((a: string, b: string, { markdown }: { markdown?: true }) =>
      runReader(async () => {
        const comparison = comparisonOf(printableDocument(await loadReport(a)), printableDocument(await loadReport(b)));
        const names = printableDocument({ a: path.basename(a), b: path.basename(b) });
        if (markdown === true) process.stdout.write(printableLines(comparisonRecord(comparison, names)));
        else {
          const { question, sections } = comparisonAccount(comparison, names);
          print([question, ...sections.flatMap(sectionLines), '', outcomeInWords(comparison)]);
        }
        return sameResults(comparison) ? 0 : 1;
      }),
    );
}

// moire ids
import { Command, Option } from 'commander';
import { accountLines } from './accountLines';
import { checkedExperiment } from './experiment';
import { pathOf, reportOptions, requestName } from './options';
import { runReport, type ReportOptions } from './runReport';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire ids before.json after.json
  $ moire ids mine.txt served.moire-capture.jsonl --request-b 2 --out ids.moire.json
  $ moire ids a.json b.json --model samples/target-4bit

A file holds a JSON list of token ids, whole numbers between spaces, commas or line breaks, a JSON object with "ids" or "tokens",
or a log of speculative decoding that tells the ids of its rounds (see moire logs).

Lists that part are void: ids tell no margin, so whether it is a tie or a defect is not known. moire replay, or moire attach where
the server tells log probabilities, can tell.

Exit codes: 0 equal; 2 usage or bad input; 3 the lists part, or incomplete.`;

interface Options extends ReportOptions {
  readonly model?: string;
  readonly requestA?: string;
  readonly requestB?: string;
}

const requestOption = (side: 'a' | 'b'): Option => new Option(`--request-${side} <n>`, `request of a log ${side.toUpperCase()}: its number, or its id; without it the one with the most ids`).argParser(requestName);

export function idsCommand(): Command {
  const command = new Command('ids')
    .description('compare two lists of token ids, without an engine')
    .argument('<a>', 'a file of token ids', pathOf)
    .argument('<b>', 'another one', pathOf)
    .addOption(new Option('-m, --model <folder>', 'folder of a checkpoint whose tokenizer tells the texts').argParser(pathOf))
    .addOption(requestOption('a'))
    .addOption(requestOption('b'))
    .addHelpText('after', examples);
  return reportOptions(command).action((a: string, b: string, options: Options) =>
    runHostVerb((verb) => runReport(verb, checkedExperiment({ kind: 'ids', a: { file: a, request: options.requestA ?? null }, b: { file: b, request: options.requestB ?? null }, model: options.model ?? null }), options, accountLines)),
  );
}

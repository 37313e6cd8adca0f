// moire inspect
import { Command } from 'commander';
import { formatBytes, formatCount, formatTable } from '../shared/format';
import { quantisationText } from '../engine/provenance';
import type { ModelInfo, SwitchInfo, TensorEntry } from '../engine/types';
import { libraryOption, pathOf } from './options';
import { printableDocument } from './printable';
import { print, printJson, styled } from './terminal';
import { runHostVerb } from './hostVerb';

const examples = `
Examples:
  $ moire inspect samples/target-4bit
  $ moire inspect samples/target-4bit --tensors
  $ moire inspect samples/target-4bit --json | jq '.model.switches[].name'`;

interface Options {
  readonly library?: string;
  readonly tensors?: true;
  readonly json?: true;
}

/** "0-2 gated_delta, 3 attention, 4-6 gated_delta, ..." */
function layersText({ layers }: ModelInfo): string {
  const groups: { from: number; to: number; kind: string }[] = [];
  for (const { index, kind } of layers) {
    const last = groups.at(-1);
    if (last?.kind === kind) last.to = index;
    else groups.push({ from: index, to: index, kind });
  }
  return groups.map(({ from, to, kind }) => `${from === to ? from : `${from}-${to}`} ${kind}`).join(', ');
}

function switchText({ values, min, max, default: preset }: SwitchInfo): string {
  return `${values === null ? `${min ?? 1} to ${max ?? 'any'}` : values.join(' | ')}  (default ${preset})`;
}

function facts(info: ModelInfo): string[][] {
  return [
    ['folder', info.path],
    ['architecture', `${info.architecture} (model type ${info.modelType})`],
    ['layers', `${info.layers.length}: ${layersText(info)}`],
    ['sizes', `hidden ${info.hidden}, MLP ${info.intermediate}, vocabulary ${formatCount(info.vocab)}, context ${formatCount(info.context)}`],
    ['attention', `${info.heads} query heads, ${info.kvHeads} key/value heads of ${info.headDim}`],
    ['dtype', `${info.dtype}, quantisation ${quantisationText(info)}${info.tied ? ', embeddings tied to the head' : ''}`],
    ['weights', `${formatCount(info.parameters)} parameters, ${formatBytes(info.weightBytes)} read by a forward, fingerprint ${info.fingerprint}`],
    ['tokenizer', `${info.tokenizer ? 'yes' : 'no'}; chat template ${info.chatTemplate ? 'yes' : 'no'}; end of text ${info.eos.join(', ') || 'none'}`],
    ...info.warnings.map((warning) => ['note', warning]),
  ];
}

function lines(info: ModelInfo, tensors: readonly TensorEntry[], withTensors: boolean): string[] {
  const list = formatTable(tensors.map(({ name, dtype, shape, bytes, file }) => [name, dtype, `[${shape.join(', ')}]`, formatBytes(bytes), file]), new Set([3]));
  return [
    ...formatTable(facts(info)),
    '',
    styled('bold', 'switches'),
    ...formatTable(info.switches.map((one) => [`  ${one.name}`, switchText(one)])),
    '',
    `${formatCount(tensors.length)} tensors${withTensors ? ':' : ' (--tensors lists them)'}, ${info.taps.length} taps`,
    ...(withTensors ? list.map((line) => `  ${line}`) : []),
  ];
}

export function inspectCommand(): Command {
  return new Command('inspect')
    .description('what a model folder holds, from its headers alone')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(libraryOption())
    .option('--tensors', 'list every tensor')
    .option('--json', 'print {model, tensors} as JSON')
    .addHelpText('after', examples)
    .action((folder: string, options: Options) =>
      runHostVerb(async ({ host, signal, settled }) => {
        const engine = await host.engine(options.library ?? '');
        const { model, tensors } = await engine.inspect(folder, { signal });
        settled();
        if (options.json === true) printJson({ model, tensors });
        else print(lines(printableDocument(model), printableDocument(tensors), options.tensors === true));
        return 0;
      }),
    );
}

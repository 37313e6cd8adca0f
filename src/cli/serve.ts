// moire serve
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import process from 'node:process';
import { Command, InvalidArgumentError, Option } from 'commander';
import { badInput } from '../engine/problem';
import { ServeOptions } from '../engine/serving/options';
import type { ServedFacts } from '../server/completer';
import { ServedRun, type Gate } from '../server/servedRun';
import { firstIssue } from '../shared/issues';
import { presetServing, servedKernels } from '../shared/presets';
import { drafterOption } from './drafter';
import { libraryOption, pathOf, whole } from './options';
import { printableLines } from './printable';
import { switchesOf, switchOptions, type SwitchOptions } from './switches';
import { runVerb, type Verb } from './verb';

const examples = `
Examples:
  $ moire serve samples/target-4bit --drafter samples/drafter
  $ moire serve ~/models/qwen3.5-4b-4bit --port 8080 --parallel 4 --capture run.jsonl
  $ curl http://127.0.0.1:8080/v1/completions -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" -d '{"model": "target-4bit", "prompt": "const a =", "max_tokens": 16}'

It answers like an OpenAI server: /v1/models, /v1/completions, /v1/chat/completions, /tokenize, /detokenize, /health, /metrics. Ctrl+C ends it.
Kernels are the exact ones, under which no answer depends on who else is served or on what is cached; --matmul and --attention choose others.`;

interface Options extends SwitchOptions {
  readonly library?: string;
  readonly drafter?: string;
  readonly width?: number;
  readonly port: number;
  readonly host: string;
  readonly allowHost: string[];
  /** False: none. */
  readonly token: string | false | undefined;
  readonly parallel: number;
  readonly piece: number;
  readonly cacheEntries: number;
  readonly cacheTokens: number;
  readonly override?: true;
  readonly capture?: string;
}

export function serveCommand(): Command {
  const command = new Command('serve')
    .description('serve a model on this machine, with speculation behind the exactness gate')
    .argument('<model>', 'folder of an MLX-format checkpoint', pathOf)
    .addOption(drafterOption('folder of a DFlash or MTP drafter (for an MTP head, the model itself); without, no speculation'))
    .addOption(new Option('-w, --width <n>', 'rows of a block; without, what the drafter declares').argParser(whole))
    .addOption(new Option('-p, --port <n>', 'port, 0 for any free one').argParser(portOf).default(8686))
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .addOption(new Option('--allow-host <name...>', 'host names besides those of this machine').default([], 'none'))
    .addOption(new Option('--token <text>', 'bearer token; without, a new one is made and shown').argParser(tokenOf))
    .option('--no-token', 'let anybody in who reaches the port')
    .addOption(new Option('--parallel <n>', 'requests that run together').argParser(whole).default(presetServing.parallel))
    .addOption(new Option('--piece <n>', 'tokens of a prompt in one forward').argParser(whole).default(presetServing.pieceTokens))
    .addOption(new Option('--cache-entries <n>', 'prefixes of earlier prompts that are kept').argParser(whole).default(presetServing.cacheEntries))
    .addOption(new Option('--cache-tokens <n>', 'tokens of all of them together').argParser(whole).default(presetServing.cacheTokens))
    .addOption(new Option('--capture <file>', 'write every round of speculation to a new file, for moire logs and moire replay').argParser(pathOf))
    .addOption(libraryOption())
    .option('--override', 'speculate although the gate declines: greedy answers are then not promised to be those of single steps')
    .addHelpText('after', examples);
  return switchOptions(command).action((model: string, options: Options) => runVerb((verb) => serve(model, options, verb)));
}

function portOf(text: string): number {
  const port = whole(text);
  if (port > 65_535) throw new InvalidArgumentError('Ports go up to 65535.');
  return port;
}

/** What a header can carry. An empty one would let everybody in without saying so. */
function tokenOf(text: string): string {
  if (!/^[\x21-\x7e]+$/.test(text)) throw new InvalidArgumentError('It has to be of letters, digits and signs of ASCII, without spaces; --no-token lets anybody in.');
  return text;
}

function optionsOf(model: string, options: Options): ServeOptions {
  const { drafter, width, parallel, piece, cacheEntries, cacheTokens, override, capture } = options;
  const checked = ServeOptions.safeParse({ model, drafter: drafter ?? null, width: width ?? null, switches: { ...servedKernels, ...switchesOf(options) }, parallel, pieceTokens: piece, cacheEntries, cacheTokens, override: override === true, capture: capture ?? null });
  if (checked.success) return checked.data;
  const { place, message } = firstIssue(checked.error);
  throw badInput(`The options are not valid: ${message}`, place, 'See moire serve --help');
}

async function serve(model: string, options: Options, { signal, progress }: Verb): Promise<0> {
  const say = (line: string): void => void process.stdout.write(printableLines(`${line}\n`));
  const log = { info: () => undefined, warn: (line: string) => void process.stderr.write(printableLines(`${line}\n`)) };
  progress.stop();
  const token = options.token === false ? null : (options.token ?? randomBytes(24).toString('base64url'));
  const engine = { modulePath: path.join(__dirname, 'engineProcess.js'), library: options.library ?? '', options: optionsOf(model, options), log };
  const run = await ServedRun.start({ engine, token, hosts: options.allowHost, host: options.host, port: options.port });
  try {
    say(`Serving ${run.facts.id} at ${run.url}`);
    if (token !== null && options.token === undefined) say(`Token: ${token}`);
    for (const note of run.facts.notes) say(note);
    void run.gate().then((gate) => gateLines(run.facts, gate ?? []).forEach(say));
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } finally {
    await run.close();
  }
  return 0;
}

function gateLines({ speculation }: ServedFacts, gate: Gate): string[] {
  if (speculation === null) return ['Speculation: off, there is no drafter'];
  const on = gate.filter(({ engaged }) => engaged).at(-1);
  const off = gate.find(({ engaged }) => !engaged);
  const requests = (count: number): string => `${count} ${count === 1 ? 'request' : 'requests'}`;
  return [
    ...(on === undefined ? [] : [`Speculation: on, ${speculation.family} drafter, width ${speculation.width} (${speculation.widthFrom}), for up to ${requests(on.batch)} together: ${on.reason}`]),
    ...(off === undefined ? [] : [`Speculation: off for ${requests(off.batch)} together: ${off.reason}`]),
  ];
}

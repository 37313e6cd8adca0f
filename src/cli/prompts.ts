// Options of verbs that run many prompts.
import { Option, type Command } from 'commander';
import { type Prompt, type Range, ranges, rangeSentence } from '../shared/experiment';
import { formatCount } from '../shared/format';
import { presetSettings, promptsWith } from '../shared/presets';
import { badInput } from '../engine/problem';
import { pathOf, rangeOption, wholes } from './options';
import { textOf } from './prompt';

export interface PromptsOptions {
  readonly prompt?: string[];
  readonly promptFile?: string;
  readonly prompts?: string;
  readonly ids?: number[];
  readonly draws: number;
}

/** None: the built-in text alone. */
const draws: Range = { ...ranges.draws, min: 0 };

/** What was given; else the built-in text and synthetic ids. Throws a Problem that names the file and the line. */
export async function promptsOf({ prompt, promptFile, prompts, ids, draws: count }: PromptsOptions): Promise<Prompt[]> {
  if (prompts !== undefined) return fromFile(prompts);
  if (promptFile !== undefined) return [{ type: 'text', text: await textOf(promptFile) }];
  if (prompt !== undefined) return prompt.map((text): Prompt => ({ type: 'text', text }));
  if (ids !== undefined) return [{ type: 'ids', ids }];
  if (count > draws.max) throw badInput(`This cannot be run: ${rangeSentence(draws)}`, '', 'Give fewer, or prompts of your own');
  return promptsWith(count);
}

/** One prompt a line: a JSON string, a JSON list of ids, or an object with "prompt" (text) or "ids". */
async function fromFile(file: string): Promise<Prompt[]> {
  const text = await textOf(file);
  const lines = text.split(/\r?\n/).flatMap((line, i) => (line.trim() === '' ? [] : [{ line, number: i + 1 }]));
  if (lines.length === 0) throw badInput('This file holds no prompt', file, 'Write one a line: a JSON string, or a JSON list of token ids');
  return lines.map(({ line, number }) => promptOfLine(line, `${file}, line ${formatCount(number)}`));
}

function promptOfLine(line: string, place: string): Prompt {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw badInput('A line of the prompts is not JSON', place, 'Write a JSON string such as "export function", or a list of token ids such as [1, 2, 3]');
  }
  const object = typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { prompt?: unknown; ids?: unknown }) : null;
  const text = object === null ? value : object.prompt;
  const ids = object === null ? value : object.ids;
  if (typeof text === 'string') return { type: 'text', text };
  if (Array.isArray(ids) && ids.every((id): id is number => typeof id === 'number')) return { type: 'ids', ids };
  throw badInput('A line of the prompts is neither text nor a list of token ids', place, 'Write a JSON string, a JSON list of ids, or an object with "prompt" or "ids"');
}

export function promptsOptions(command: Command): Command {
  return command
    .addOption(new Option('-p, --prompt <text...>', 'prompts').conflicts(['prompts', 'promptFile', 'ids']))
    .addOption(new Option('--prompts <file>', 'prompts, one a line: a JSON string or a JSON list of token ids').argParser(pathOf).conflicts(['promptFile', 'ids']))
    .addOption(new Option('--prompt-file <file>', 'one prompt from a text file, every byte of it').argParser(pathOf).conflicts('ids'))
    .addOption(new Option('--ids <list>', 'token ids of one prompt').argParser(wholes))
    .addOption(rangeOption('--draws <n>', 'synthetic prompts beside the built-in text, when no prompt is given', draws).default(presetSettings.draws));
}

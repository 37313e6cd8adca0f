// Options of verbs that walk over one prompt.
import { readFile, stat } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { limits, type Prompt } from '../shared/experiment';
import { badInput } from '../engine/problem';
import { reasonOf } from '../engine/reportStore';
import { pathOf, wholes } from './options';

export interface PromptOptions {
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly ids?: number[];
}

export async function promptOf({ prompt, promptFile, ids }: PromptOptions): Promise<Prompt> {
  if (promptFile !== undefined) return { type: 'text', text: await textOf(promptFile) };
  if (prompt !== undefined) return { type: 'text', text: prompt };
  return ids === undefined ? { type: 'default' } : { type: 'ids', ids };
}

/** Every byte of a text file, a last line break included: a shell would drop it, and the prompt would be one token short. Throws a Problem. */
export async function textOf(file: string): Promise<string> {
  try {
    const facts = await stat(file);
    if (!facts.isFile()) throw badInput('This is not a file', file, 'Give a text file');
    if (facts.size > 4 * limits.promptChars) throw badInput('This file is too large for a prompt', file, `Give at most ${limits.promptChars} characters`);
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(file));
  } catch (error) {
    if (error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') throw badInput('This file is not UTF-8, so its bytes are no text', file, 'Save it as UTF-8, or give token ids');
    if (error instanceof Error && 'code' in error) throw badInput(`The prompt cannot be read: ${error.code === 'ENOENT' ? 'it does not exist' : reasonOf(error)}`, file, 'Check the path');
    throw error;
  }
}

export function promptOptions(command: Command): Command {
  return command
    .addOption(new Option('-p, --prompt <text>', 'prompt; a built-in piece of code without one').conflicts(['promptFile', 'ids']))
    .addOption(new Option('--prompt-file <file>', 'prompt from a text file, every byte of it').argParser(pathOf).conflicts('ids'))
    .addOption(new Option('--ids <list>', 'token ids of the prompt').argParser(wholes));
}

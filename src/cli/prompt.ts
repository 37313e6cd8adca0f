// Options of verbs that walk over one prompt.
import { Option, type Command } from 'commander';
import type { Prompt } from '../shared/experiment';
import { wholes } from './options';

export interface PromptOptions {
  readonly prompt?: string;
  readonly ids?: number[];
}

export function promptOf({ prompt, ids }: PromptOptions): Prompt {
  if (prompt !== undefined) return { type: 'text', text: prompt };
  return ids === undefined ? { type: 'default' } : { type: 'ids', ids };
}

export function promptOptions(command: Command): Command {
  return command
    .addOption(new Option('-p, --prompt <text>', 'prompt; a built-in piece of code without one').conflicts('ids'))
    .addOption(new Option('--ids <list>', 'token ids of the prompt').argParser(wholes));
}

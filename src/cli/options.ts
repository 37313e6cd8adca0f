// Options and arguments that several verbs have.
import path from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Range } from '../shared/experiment';

/** The absolute path of an argument. */
export function pathOf(text: string): string {
  if (text === '') throw new InvalidArgumentError('It is empty; give a path.');
  // Node reads arguments as UTF-8 and puts this character where they are not, so that the path would be another one.
  if (text.includes('\ufffd')) throw new InvalidArgumentError('It is not UTF-8; give the file or folder a name that is.');
  return path.resolve(text);
}

export function libraryOption(): Option {
  return new Option('--library <path>', 'engine library to load instead of the built-in one').argParser(pathOf);
}

export function outOption(): Option {
  return new Option('-o, --out <file>', 'save the report (*.moire.json)').argParser(pathOf);
}

export function whole(text: string): number {
  if (!/^\d{1,15}$/.test(text.trim())) throw new InvalidArgumentError('It has to be a whole number of at most 15 digits.');
  return Number(text);
}

/** An option for a number of an experiment, whose help says what it may be. Out of that it is the experiment's schema that says so. */
export function rangeOption(flags: string, description: string, range: Range): Option {
  return new Option(flags, `${description}, ${range.min} to ${range.max}`).argParser(whole);
}

/** "2,4,8", "2 4 8" or "[2, 4, 8]" */
export function wholes(text: string): number[] {
  const parts = text.replace(/^\s*\[|\]\s*$/g, '').split(/[\s,]+/).filter((part) => part !== '');
  if (parts.length === 0) throw new InvalidArgumentError('It has to be a list of whole numbers, such as 2,4,8.');
  return parts.map(whole);
}

/** A request of a log, by number or id. */
export function requestName(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It is empty; give a number of the table or a request id.');
  return text.trim();
}

/** "wrong,random" */
export function words(text: string): string[] {
  return [...new Set(text.split(/[\s,]+/).filter((part) => part !== ''))];
}

/** What every verb has that makes a report. */
export function reportOptions(command: Command): Command {
  return command.addOption(libraryOption()).addOption(outOption()).option('--json', 'print the report alone');
}

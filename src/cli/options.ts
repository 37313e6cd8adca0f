// Options and arguments that several verbs have.
import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';

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

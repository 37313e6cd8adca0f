// Options that several verbs have.
import { Option } from 'commander';

export function libraryOption(): Option {
  return new Option('--library <path>', 'engine library to load instead of the built-in one');
}

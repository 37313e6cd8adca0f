// The drafter of a verb: a folder, or the MTP head in the model itself.
import { Option } from 'commander';
import { pathOf } from './options';

export function drafterOption(description = 'folder of a DFlash or MTP drafter; without, the MTP head in the model itself'): Option {
  return new Option('-d, --drafter <folder>', description).argParser(pathOf);
}

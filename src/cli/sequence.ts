// Options of verbs that drive an accept sequence: replay and rewind.
import { Option, type Command } from 'commander';
import type { Accepts } from '../shared/experiment';
import { sequencePreset } from '../shared/presets';
import { badInput } from '../engine/problem';
import { pathOf, requestName, whole, wholes } from './options';
import { promptOf, promptOptions, type PromptOptions } from './prompt';
import { burstSwitchOptions, switchesOf, type SwitchOptions } from './switches';

export interface SequenceOptions extends PromptOptions, SwitchOptions {
  readonly log?: string;
  readonly request?: string;
  readonly accepts?: number[];
  readonly accepted?: number[];
  readonly width: number;
  readonly tokens: number;
  readonly reference?: number[];
}

/** Kept rows from --accepts, accepted drafts from --accepted, or a log; without any the committed pattern of the field, 1,2,3. */
function acceptsOf({ log, request, accepts, accepted }: SequenceOptions): Accepts {
  if (log !== undefined) return { type: 'log', file: log, request: request ?? null };
  if (accepted !== undefined) return { type: 'kept', kept: accepted.map((drafts) => drafts + 1) };
  return { type: 'kept', kept: accepts ?? [...sequencePreset.accepts.kept] };
}

export async function sequenceOf(model: string, options: SequenceOptions): Promise<Readonly<Record<string, unknown>>> {
  if (options.request !== undefined && options.log === undefined) throw badInput('--request names a burst of a log, and no log was given', '', 'Give --log FILE as well');
  return { model, width: options.width, tokens: options.tokens, prompt: await promptOf(options), accepts: acceptsOf(options), reference: options.reference ?? null, switches: switchesOf(options) };
}

export function sequenceOptions(command: Command): Command {
  command
    .addOption(new Option('-l, --log <file>', 'accept log of a served run; moire logs lists what is in it').argParser(pathOf).conflicts(['accepts', 'accepted']))
    .addOption(new Option('--request <n>', 'a burst as moire logs lists it, by number or id; without, its longest').argParser(requestName))
    .addOption(new Option('-a, --accepts <list>', `kept rows of each round, accepted drafts plus one; cycled (default: ${sequencePreset.accepts.kept.join()})`).argParser(wholes).conflicts('accepted'))
    .addOption(new Option('--accepted <list>', 'accepted drafts of each round, as most logs have them; cycled').argParser(wholes))
    .addOption(new Option('-w, --width <n>', 'rows of a block; a log that says its own widths overrides it').argParser(whole).default(sequencePreset.width))
    .addOption(new Option('-n, --tokens <n>', 'reference tokens to walk over; a log is walked to its end').argParser(whole).default(sequencePreset.tokens))
    .addOption(new Option('--reference <list>', 'token ids after the prompt; without, the model writes them itself').argParser(wholes));
  return burstSwitchOptions(promptOptions(command));
}

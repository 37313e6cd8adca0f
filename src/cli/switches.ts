// Options for the switches of the engine and of the burst.
import type { Command } from 'commander';
import { ranges } from '../shared/experiment';
import { rangeOption } from './options';

export interface SwitchOptions {
  readonly matmul?: string;
  readonly attention?: string;
  readonly prefillAttention?: string;
  readonly delta?: string;
  readonly rope?: string;
  readonly activations?: string;
  readonly isa?: string;
  readonly threads?: number;
  readonly burstPrefill?: string;
}

const switchNames = ['matmul', 'attention', 'prefillAttention', 'delta', 'rope', 'activations', 'isa', 'threads'] as const;

export function switchesOf(options: SwitchOptions): Record<string, string | number> {
  const engine = switchNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]] as const]));
  return Object.fromEntries([...engine, ...(options.burstPrefill === undefined ? [] : [['burst.prefill', options.burstPrefill] as const])]);
}

/** Those of the engine. */
export function switchOptions(command: Command): Command {
  return command
    .option('--matmul <family>', 'auto, qmv, qmm or exact')
    .option('--attention <family>', 'per_position, batched or exact')
    .option('--prefill-attention <family>', 'auto, batched, per_position or exact')
    .option('--delta <family>', 'recurrent or chunked')
    .option('--rope <family>', 'row or block')
    .option('--activations <dtype>', 'checkpoint or f32')
    .option('--isa <name>', 'auto, scalar, avx2, ...')
    .addOption(rangeOption('--threads <n>', 'threads of the engine', ranges.threads));
}

/** Those of the engine and of the burst. */
export function burstSwitchOptions(command: Command): Command {
  return switchOptions(command).option('--burst-prefill <path>', 'causal, or verify: the prompt as if it were one verify block');
}

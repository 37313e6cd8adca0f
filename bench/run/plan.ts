// How much a run does.
import { dense, hybrid, type Shape } from '../models/shape';
import type { GgufFormat } from '../models/gguf';

export interface Effort {
  readonly rounds: number;
  readonly shapes: readonly Shape[];
  readonly formats: readonly GgufFormat[];
  readonly decodes: number;
  /** Blocks of each width in a turn. */
  readonly blocks: number;
  /** Prefill with one thread as well. */
  readonly prefillAlone: boolean;
  /** Decodes of the capture comparison, rounds of the bisect and of the diff. */
  readonly captures: number;
  readonly bisects: number;
  readonly diffs: number;
}

export const widths = [2, 4, 8, 16] as const;
export const context = 64;
export const prefill = 512;

export const full: Effort = { rounds: 5, shapes: [dense, hybrid], formats: ['q4_0', 'q4_1'], decodes: 16, blocks: 3, prefillAlone: true, captures: 24, bisects: 3, diffs: 9 };
export const quick: Effort = { rounds: 3, shapes: [dense], formats: ['q4_0'], decodes: 12, blocks: 2, prefillAlone: false, captures: 12, bisects: 1, diffs: 5 };

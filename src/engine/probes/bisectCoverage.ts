// What a bisect compared and, always, what it did not: an `equal` holds for the first list alone.
import type { BisectExperiment } from '../../shared/experiment';
import { formatCount, formatList, plural } from '../../shared/format';
import { instructionSets, instructionsInWords, type InstructionFacts } from '../../shared/instructionSets';
import type { BisectRun, Report } from '../../shared/report';
import type { ModelInfo, Switches } from '../types';

export interface CoverageFacts extends InstructionFacts {
  readonly experiment: BisectExperiment;
  readonly info: ModelInfo;
  readonly runs: readonly BisectRun[];
  readonly switches: Switches;
  readonly threads: number;
  readonly tensorsCompared: number;
  readonly missingTaps: readonly string[];
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

function inputsCompared({ experiment, runs }: CoverageFacts): string[] {
  const { input } = experiment;
  const count = (source: BisectRun['source']): number => unique(runs.filter((run) => run.source === source).map(({ draw }) => draw)).length;
  const draws = count('draw');
  const walk = runs.find(({ source }) => source === 'walk');
  const prompt = runs.find(({ source }) => source === 'text' || source === 'ids');
  return [
    ...(draws === 0 || input.type !== 'draws' ? [] : [`${plural(draws, 'draw')} of synthetic ids, each with a prompt of ${plural(input.promptLength, 'token')} and one block`]),
    ...(prompt === undefined ? [] : [`the prompt of ${plural(prompt.promptIds.length, 'token')} and one block of its own greedy continuation`]),
    ...(walk === undefined ? [] : [`a walk of ${plural(walk.blockIds.length, 'token')} after a prompt of ${formatCount(walk.promptIds.length)}, in blocks of the width with every row kept, against single steps`]),
  ];
}

function compared(facts: CoverageFacts): string[] {
  const { runs, info } = facts;
  const names = unique(runs.flatMap((run) => run.state.map(({ tensor }) => tensor)));
  const kinds = unique(runs.flatMap((run) => Object.values(run.tapsCompared).flat()));
  return [
    `widths ${formatList(unique(runs.map(({ width }) => width)))}: one verify block against single decodes, from one shared prefill`,
    ...inputsCompared(facts),
    `every block position x ${plural(info.layers.length, 'layer')} x every tap (${plural(kinds.length, 'name')}): ${plural(facts.tensorsCompared, 'tensor')}`,
    ...(names.length === 0 ? [] : [`the whole state afterwards: ${formatList(names)} of every layer, and the position`]),
    'logits of every row, greedy choice and margin, from an uncaptured pass; single steps twice for repeatability',
    `kernels that ran on ${instructionsInWords(facts)}, with ${plural(facts.threads, 'thread')}`,
  ];
}

function prompts({ experiment }: CoverageFacts): string {
  if (experiment.input.type === 'draws') return 'real text: synthetic ids are low in entropy, and another prompt can differ where these do not';
  return 'other prompts, and continuations that are not greedy';
}

function limitsReached(runs: readonly BisectRun[]): string[] {
  const capped = runs.reduce((sum, run) => ({ taps: sum.taps + (run.capped?.taps ?? 0), tiles: sum.tiles + (run.capped?.tiles ?? 0) }), { taps: 0, tiles: 0 });
  return [
    ...(capped.taps === 0 ? [] : [`${plural(capped.taps, 'differing tap is', 'differing taps are')} counted in the matrix but not listed, to keep the report small`]),
    ...(capped.tiles === 0 ? [] : [`${plural(capped.tiles, 'differing tap has', 'differing taps have')} no tile of elements, to keep the report small`]),
  ];
}

function notCovered(facts: CoverageFacts): string[] {
  const { experiment, runs, switches, threads } = facts;
  const chosen = Object.entries(switches).filter(([name]) => name !== 'threads' && name !== 'isa');
  return [
    `widths other than ${formatList(unique(runs.map(({ width }) => width)))}`,
    prompts(facts),
    ...(experiment.walk === 0 ? ['a longer walk: differences that need many tokens to show'] : [`more than ${plural(experiment.walk, 'token')} after the prompt`]),
    'the prefill path: both arms start from one prefill, so a difference between prefill and decode does not show',
    'rejected rows and rewind: every row of every block was kept',
    'more than one row in a batch',
    `other switches than ${chosen.map(([name, value]) => `${name}=${value}`).join(', ')}`,
    `other thread counts than ${threads}, and other instruction sets than ${formatList(instructionSets(facts))}`,
    'sampling above temperature 0',
    ...(facts.missingTaps.length === 0 ? [] : [`taps that the engine lists but did not give: ${facts.missingTaps.join(', ')}`]),
    ...runs.flatMap(({ label, planned, blockIds }) => (planned === undefined ? [] : [`${label}: the tokens after the first ${formatCount(blockIds.length)} of ${formatCount(planned)}, and the state after them`])),
    ...limitsReached(runs),
  ];
}

export function coverageOf(facts: CoverageFacts): Report['coverage'] {
  if (facts.runs.length === 0) return { compared: [], notCovered: ['everything: the run ended before its first comparison was done'] };
  return { compared: compared(facts), notCovered: notCovered(facts) };
}

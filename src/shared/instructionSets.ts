// Which instruction sets ran. An engine tells the one it may use at most; what a kernel was compiled for stands at the end of its name, and many have no form for the widest set.
import { formatList } from './format';

const known: ReadonlySet<string> = new Set(['scalar', 'neon', 'avx2', 'avx512', 'amx']);

export interface InstructionFacts {
  /** What the engine may use at most, "" where it does not tell. */
  readonly isa: string;
  readonly kernelsA: readonly string[];
  readonly kernelsB: readonly string[];
}

/** Those that kernels ran in; where no name tells, what the engine may use at most. */
export function instructionSets({ isa, kernelsA, kernelsB }: InstructionFacts): string[] {
  const ran = [...kernelsA, ...kernelsB].map((name) => name.slice(name.lastIndexOf('.') + 1)).filter((set) => known.has(set));
  if (ran.length === 0) return isa === '' ? [] : [isa];
  return [...known].filter((set) => ran.includes(set));
}

/** "avx2", or "avx2 (of at most amx)" where kernels ran in less than they might. */
export function instructionsInWords(facts: InstructionFacts): string {
  const ran = instructionSets(facts);
  return `${formatList(ran)}${facts.isa === '' || ran.includes(facts.isa) ? '' : ` (of at most ${facts.isa})`}`;
}

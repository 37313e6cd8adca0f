// The six verdicts and the exit codes of the CLI that follow from them. Without the validation library, so that the view can use it too.
export const verdictWords = ['equal', 'drift', 'tie', 'defect', 'declined', 'void'] as const;
export type VerdictWord = (typeof verdictWords)[number];

/** From mildest to gravest, for summing up a table of verdicts. */
const gravity: Record<VerdictWord, number> = { equal: 0, drift: 1, tie: 2, declined: 3, void: 4, defect: 5 };

/** For sorting, gravest first. */
export function moreGrave(a: VerdictWord, b: VerdictWord): number {
  return gravity[b] - gravity[a];
}

export function gravest(words: readonly VerdictWord[]): VerdictWord {
  return words.reduce<VerdictWord>((worst, word) => (gravity[word] > gravity[worst] ? word : worst), 'equal');
}

/** 0 equal; 1 drift, tie or defect; 3 declined, void or incomplete. (2 is for usage and bad input.) */
export function exitCode(word: VerdictWord, complete: boolean): 0 | 1 | 3 {
  if (!complete) return 3;
  switch (word) {
    case 'equal':
      return 0;
    case 'drift':
    case 'tie':
    case 'defect':
      return 1;
    case 'declined':
    case 'void':
      return 3;
  }
}

export const isVerdict = (text: string): text is VerdictWord => (verdictWords as readonly string[]).includes(text);

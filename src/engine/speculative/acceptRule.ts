// Which drafts of a round stand. Greedy: the longest common prefix with the target's own choices (speculative decoding at temperature 0).

/** Number of leading drafts that the target chose itself, 0 to drafts.length. `targets[j]`: the target's choice after row j of [bonus, ...drafts]. */
export function longestCommonPrefix(drafts: readonly number[], targets: readonly number[]): number {
  const first = drafts.findIndex((draft, j) => draft !== targets[j]);
  return first < 0 ? drafts.length : first;
}

/** How a greedy round ends; exchanged only by tests that break it on purpose. */
export interface AcceptRule {
  readonly accepted: (drafts: readonly number[], targets: readonly number[]) => number;
  /** The next bonus: the target's choice after the last accepted draft. */
  readonly bonus: (targets: readonly number[], accepted: number) => number;
}

export const greedyRule: AcceptRule = {
  accepted: longestCommonPrefix,
  bonus: (targets, accepted) => {
    const id = targets[accepted];
    if (id === undefined) throw new Error(`the target gave ${targets.length} choices where row ${accepted} was needed`);
    return id;
  },
};

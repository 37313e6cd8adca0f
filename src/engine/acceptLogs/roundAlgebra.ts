// The algebra of rounds whose ids are known: lengths, longest common prefix, new tokens, the chain of bonus tokens.
import type { CapturedRound } from '../../shared/capture';
import type { Violation } from './countAlgebra';

/** Accepted drafts: the longest prefix in which draft and target agree. */
export function commonPrefix(drafts: readonly number[], targets: readonly number[]): number {
  let length = 0;
  while (length < drafts.length && length < targets.length && drafts[length] === targets[length]) length += 1;
  return length;
}

/** drafts[:accepted] + [targets[accepted]] */
export function newTokens({ drafts, targets, accepted }: Pick<CapturedRound, 'drafts' | 'targets' | 'accepted'>): number[] {
  const last = targets?.[accepted];
  return [...(drafts?.slice(0, accepted) ?? []), ...(last === undefined ? [] : [last])];
}

const text = (ids: readonly number[]): string => `[${ids.slice(0, 16).join(', ')}${ids.length > 16 ? ', …' : ''}]`;

function lengths({ index, width, drafts, targets, accepted }: CapturedRound): Violation[] {
  if (width === null) return [];
  const found: Violation[] = [];
  if (accepted > width - 1) found.push({ identity: 'accepted <= width - 1', sentence: `round ${index} accepted ${accepted} drafts, but a block of width ${width} has ${width - 1}`, round: index });
  if (drafts !== null && drafts.length !== width - 1) found.push({ identity: 'drafts = width - 1', sentence: `round ${index} has ${drafts.length} drafts, but its width ${width} means ${width - 1}`, round: index });
  if (targets !== null && targets.length !== width) found.push({ identity: 'targets = width', sentence: `round ${index} has ${targets.length} targets, but its width is ${width}`, round: index });
  return found;
}

/** `emitted` has to begin the new tokens; whether it may be shorter is known when the next round comes. */
function tokens(round: CapturedRound): Violation[] {
  const { index, drafts, targets, accepted, emitted } = round;
  if (drafts === null || targets === null) return [];
  const common = commonPrefix(drafts, targets);
  if (common !== accepted) return [{ identity: 'accepted = common prefix', sentence: `round ${index} says that ${accepted} drafts were accepted, but drafts and targets agree in the first ${common}`, round: index }];
  if (emitted === null) return [];
  const expected = newTokens(round);
  const fits = emitted.length <= expected.length && emitted.every((id, i) => id === expected[i]);
  return fits ? [] : [{ identity: 'new = drafts[:a] + [targets[a]]', sentence: `round ${index} emitted ${text(emitted)}, but its drafts and targets give ${text(expected)}`, round: index }];
}

/** What one round alone has to hold. */
export function roundViolations(round: CapturedRound): Violation[] {
  return [...lengths(round), ...tokens(round)];
}

/** The bonus token of a round is the last one that the round before emitted. */
export function chainViolation(before: CapturedRound, { index, bonus }: CapturedRound): Violation[] {
  const last = before.emitted?.at(-1);
  if (last === undefined || bonus === null || bonus === last) return [];
  return [{ identity: 'bonus chain', sentence: `round ${index} starts from bonus ${bonus}, but the last new token of round ${before.index} is ${last}`, round: index }];
}

/** A round that emitted less than it accepted, with another one behind it. */
export function cutViolation({ index, accepted, emitted }: CapturedRound): Violation[] {
  if (emitted === null || emitted.length > accepted) return [];
  return [{ identity: 'only the last round is cut', sentence: `round ${index} emitted ${emitted.length} tokens of ${accepted + 1}, but it is not the last round`, round: index }];
}

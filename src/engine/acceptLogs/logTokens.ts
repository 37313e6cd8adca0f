// A request of a log by the positions of its tokens: what was kept, what was drafted for it, and what each round left in the cache. No more is made than one picture shows.
import type { CapturedRequest, CapturedRound } from '../../shared/capture';
import type { LogTokens, TokenRound } from '../../shared/logReaderProtocol';
import { mostPositions } from '../../shared/timelineLimits';

const untold = -1;

/** Tokens that a round gave: what it emitted; else its accepted drafts and the bonus, but for what the budget cut of the last one. */
function keptOf({ rounds, cutInLastRound }: CapturedRequest, { accepted, emitted }: CapturedRound, place: number): number {
  if (emitted !== null) return Math.min(emitted.length, accepted + 1);
  const isLast = place === (rounds?.length ?? 0) - 1;
  return Math.max(0, accepted + 1 - (isLast ? (cutInLastRound ?? 0) : 0));
}

/** The id that a round kept in its row `i`: as emitted, as the target chose it, or as it was drafted and accepted. */
function keptId({ emitted, targets, drafts, accepted }: CapturedRound, i: number, next: CapturedRound | undefined): number {
  return emitted?.[i] ?? targets?.[i] ?? (i < accepted ? drafts?.[i] : next?.bonus) ?? untold;
}

const draftedOf = ({ drafted }: CapturedRequest, { drafts, width }: CapturedRound, place: number): number | null => drafted?.[place] ?? drafts?.length ?? (width === null ? null : width - 1);

const promptOf = ({ promptTokens, promptIds }: CapturedRequest): number | null => promptTokens ?? promptIds?.length ?? null;

/** Rows of the cache after a round: where the log says where it began, or how long the prompt was. `keptRows`: of all rounds up to it. */
function liveOf(request: CapturedRequest, place: number, keptRows: number): number | null {
  const [first, prompt] = [request.positions?.[place], promptOf(request)];
  if (first !== undefined) return first + (request.rounds?.[place]?.accepted ?? 0) + 1;
  return prompt === null ? null : prompt + keptRows;
}

/** `from`: the first position that is asked for; 0 is the token that the prefill chose. */
export function logTokens(request: CapturedRequest, from: number): LogTokens {
  const { rounds: all, firstBonus } = request;
  const to = from + mostPositions;
  const ids: number[] = [];
  const drafts: number[] = [];
  const rounds: TokenRound[] = [];
  const give = (id: number, draft: number): void => {
    ids.push(id);
    drafts.push(draft);
  };
  if (from === 0 && all !== null) give(firstBonus ?? all[0]?.bonus ?? untold, untold);
  let at = 1;
  let keptRows = 0;
  for (const [place, round] of (all ?? []).entries()) {
    const { index, accepted, line } = round;
    const kept = keptOf(request, round, place);
    keptRows += accepted + 1;
    if (at + kept > from && at < to) rounds.push({ place, index, from: at, kept, accepted, drafted: draftedOf(request, round, place), live: liveOf(request, place, keptRows), line });
    for (let i = Math.max(0, from - at); i < kept && at + i < to; i += 1) give(keptId(round, i, all?.[place + 1]), round.drafts?.[i] ?? untold);
    at += kept;
  }
  return { from, total: all === null ? 0 : at, ids, drafts, rounds, promptTokens: promptOf(request) };
}

// Rounds as the text lines of mlxcel's log, for tools that read those: round transcript, diagnostics, accept lengths, summary.
import type { CapturedRequest, CapturedRound } from '../../shared/capture';
import { countsOf } from './counts';

export interface SeedTimes {
  readonly draft: number;
  readonly verify: number;
  readonly accept: number;
  readonly rewind: number;
}

type Seed = Pick<CapturedRequest, 'request' | 'rounds' | 'promptTokens' | 'generatedTokens'> & { readonly width: number; readonly ms?: SeedTimes };

/** Stands in the first line of such a log. */
const seedLineMark = 'mlxcel_core::drafter::dflash::round_loop';

const list = (values: readonly number[]): string => `[${values.join(', ')}]`;
/** Floats as Rust prints them: 0.0, 0.6. */
const float = (value: number): string => (Number.isInteger(value) ? value.toFixed(1) : String(value));

/** The transcript line of a round; none without ids. */
function roundText({ index, width, bonus, drafts, targets, accepted, emitted }: CapturedRound): string | null {
  if (drafts === null || targets === null || emitted === null || bonus === null) return null;
  return `DFlash round transcript round=${index} bs=${width ?? drafts.length + 1} bonus=${bonus} draft_tokens=${list(drafts)} target_tokens=${list(targets)} accepted=${accepted} new_tokens=${list(emitted)}`;
}

function diagnosticsText(rounds: readonly CapturedRound[], { width, ms = { draft: 0, verify: 0, accept: 0, rewind: 0 } }: Seed): string {
  const counts = countsOf({ accepted: rounds.map(({ accepted }) => accepted), drafted: rounds.map((round) => (round.width ?? width) - 1) });
  const emitted = rounds.reduce((total, round) => total + (round.emitted?.length ?? round.accepted + 1), 0);
  const fields: readonly (readonly [string, string | number])[] = [
    ['block_size', width],
    ['rounds', rounds.length],
    ['proposed_tokens', counts.proposedSum ?? 0],
    ['accepted_tokens', counts.acceptedSum ?? 0],
    ['acceptance_rate', float(counts.acceptanceRate ?? 0)],
    ['emitted_per_verify', float(rounds.length === 0 ? 0 : emitted / rounds.length)],
    ['zero_accept_rounds', counts.zero ?? 0],
    ['partial_accept_rounds', counts.partial ?? 0],
    ['full_accept_rounds', counts.full ?? 0],
    ['draft_ms', float(ms.draft)],
    ['verify_ms', float(ms.verify)],
    ['walk_ms', float(ms.accept)],
    ['rollback_ms', float(ms.rewind)],
    ['decode_ms', float(ms.draft + ms.verify + ms.accept + ms.rewind)],
  ];
  return `DFlash diagnostics ${fields.map(([name, value]) => `${name}=${value}`).join(' ')}`;
}

/** The lines of one request. `at` is the time that stands on them. */
export function seedLines(seed: Seed, at: Date): string[] {
  const time = at.toISOString().replace('Z', '000Z');
  const debug = (target: string, text: string): string => `${time} DEBUG ${target}: ${text}`;
  const info = (target: string, text: string): string => `${time}  INFO ${target}: ${text}`;
  const rounds = seed.rounds ?? [];
  const summary = seed.promptTokens === null || seed.generatedTokens === null ? [] : [`Speculative burst completed prompt_tokens=${seed.promptTokens} generated_tokens=${seed.generatedTokens} burst_ms=0`];
  const finalized = seed.request === null || seed.generatedTokens === null ? [] : [`speculative B=1 burst finalized seq_id=${seed.request} slices=1 tokens_generated=${seed.generatedTokens} rounds=${rounds.length} accepted_draft_tokens=${rounds.reduce((total, { accepted }) => total + accepted, 0)} hol_waiters=0`];
  return [
    ...rounds.map(roundText).filter((text) => text !== null).map((text) => debug(seedLineMark, text)),
    info('mlxcel::server::batch::dflash_target', diagnosticsText(rounds, seed)),
    debug('mlxcel::server::batch::dflash_target', `DFlash accept lengths accept_lens=${list(rounds.map(({ accepted }) => accepted))}`),
    ...summary.map((text) => info('mlxcel::server::batch::speculative_burst', text)),
    ...finalized.map((text) => info('mlxcel::server::batch::scheduler::speculative_finalize', text)),
  ];
}

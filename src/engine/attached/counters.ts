// Counters of speculation on a server's /metrics page: sums over all its requests since its start.
import type { SpeculationCounters } from '../../shared/serverProfile';
import { sampleOf } from '../acceptLogs/prometheus';
import { exchange, successOf, textOf, type Target } from './http';
import { factLimits } from './limits';

type Field = 'rounds' | 'drafted' | 'accepted';

/** Names without "_total", by what they count. TGI counts decode steps, and tokens beyond the first of each. */
const names: Readonly<Record<string, Field>> = {
  'vllm:spec_decode_num_drafts': 'rounds',
  'vllm:spec_decode_num_draft_tokens': 'drafted',
  'vllm:spec_decode_num_accepted_tokens': 'accepted',
  'llamacpp:spec_decode_num_drafts': 'rounds',
  'llamacpp:spec_decode_num_draft_tokens': 'drafted',
  'llamacpp:spec_decode_num_accepted_tokens': 'accepted',
  moire_speculation_rounds: 'rounds',
  moire_speculation_proposed: 'drafted',
  moire_speculation_accepted: 'accepted',
  tgi_request_skipped_tokens_count: 'rounds',
  tgi_request_skipped_tokens_sum: 'accepted',
};

/** Null where the page counts no speculation. */
export function countersOf(page: string): SpeculationCounters | null {
  const found: Record<Field, number> = { rounds: -1, drafted: -1, accepted: -1 };
  for (const line of page.split('\n')) {
    const sample = sampleOf(line);
    const field = sample === null ? undefined : names[sample.name.replace(/_total$/, '')];
    const value = Number(sample?.value);
    // Series of several models or positions add up.
    if (field !== undefined && Number.isFinite(value) && value >= 0) found[field] = Math.max(0, found[field]) + value;
  }
  return found.rounds < 0 && found.drafted < 0 && found.accepted < 0 ? null : { from: '/metrics', ...found };
}

/** The page now; null where there is none, or none for us. */
export async function readCounters(target: Target, signal: AbortSignal | undefined): Promise<SpeculationCounters | null> {
  try {
    return countersOf(await exchange(target, { path: '/metrics' }, { limits: factLimits, signal }, async (received) => textOf(await successOf(received))));
  } catch {
    return null;
  }
}

/** What was counted between two readings. */
export function countedBetween(before: SpeculationCounters | null, after: SpeculationCounters | null): SpeculationCounters | null {
  if (before === null || after === null) return null;
  const grown = (field: Field): number => (before[field] < 0 || after[field] < before[field] ? -1 : after[field] - before[field]);
  return { from: after.from, rounds: grown('rounds'), drafted: grown('drafted'), accepted: grown('accepted') };
}

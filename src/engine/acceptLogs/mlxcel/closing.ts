// The lines that end a burst: diagnostics, accept list, summary, finalize. They come one behind the other for one burst.
import type { Facts } from '../../../shared/capture';
import type { CaptureBuilder } from '../builder';
import type { LogLine } from '../reader';
import { limits } from '../reader';
import { after, fieldsOf, listOf, own, quoteOf, ratioOf, type Ratio } from '../text';
import type { Drafter, OpenBurst } from './openBursts';
import { anchors } from './formats';

export interface Diagnostics {
  readonly at: LogLine;
  /** The line has its last field. */
  readonly whole: boolean;
  readonly drafter: Drafter;
  readonly width: number | null;
  readonly roundCount: number | null;
  readonly acceptedSum: number | null;
  readonly proposedSum: number | null;
  readonly zero: number | null;
  readonly partial: number | null;
  readonly full: number | null;
  readonly acceptanceRate: Ratio | null;
  readonly emittedPerVerify: Ratio | null;
  readonly promptTokens: number | null;
  readonly generatedTokens: number | null;
  /** MTP rounds that only probe emit one token each and are no rounds of the burst. */
  readonly probeRounds: number;
  readonly targetSyncMs: number | null;
  readonly facts: Facts;
}

export interface Summary {
  readonly at: LogLine;
  readonly whole: boolean;
  readonly promptTokens: number | null;
  readonly generatedTokens: number | null;
}

/** What the closing lines of one burst have said so far. */
export interface Closing {
  burst: OpenBurst | null;
  diagnostics: Diagnostics | null;
  accepts: { readonly at: LogLine; readonly values: readonly number[] } | null;
  summary: Summary | null;
  finalized: (Summary & { readonly request: string | null }) | null;
}

const short = ({ number, text }: LogLine): LogLine => ({ number, text: quoteOf(text) });

/** Every `*_ms` field. */
function times(fields: ReadonlyMap<string, string>): Facts {
  return Object.fromEntries([...fields].filter(([name]) => name.endsWith('_ms')).slice(0, 40).map(([name, value]) => [own(name), ratioOf(value)?.value ?? null]));
}

export function readDiagnostics(capture: CaptureBuilder, at: LogLine): Diagnostics {
  const drafter = at.text.includes(anchors.mtpDiagnostics) ? 'MTP' : 'DFlash';
  const fields = fieldsOf(after(at.text, drafter === 'MTP' ? anchors.mtpDiagnostics : anchors.diagnostics));
  const count = (name: string): number | null => capture.count(fields.get(name), name, at);
  const requested = count('block_size');
  const [least, most] = [count('effective_block_min'), count('effective_block_max')];
  const width = least === null || most === null ? requested : least === most ? least : null;
  if (most !== null && requested !== null && most < requested) capture.warn(`blocks of width ${most} were used where ${requested} was asked for`);
  return {
    at: short(at),
    whole: fields.has('decode_ms'),
    drafter,
    width,
    roundCount: count('rounds'),
    acceptedSum: count(drafter === 'MTP' ? 'accepted_draft_tokens' : 'accepted_tokens'),
    proposedSum: count('proposed_tokens'),
    zero: count('zero_accept_rounds'),
    partial: count('partial_accept_rounds'),
    full: count('full_accept_rounds'),
    acceptanceRate: ratioOf(fields.get('acceptance_rate')),
    emittedPerVerify: ratioOf(fields.get('emitted_per_verify')),
    promptTokens: count('prompt_tokens'),
    generatedTokens: count('generated_tokens'),
    probeRounds: count('probe_rounds') ?? 0,
    targetSyncMs: ratioOf(fields.get('target_argmax_sync_ms'))?.value ?? null,
    facts: times(fields),
  };
}

/** Null where the list holds what is no count; "cut" where it has no end. */
export function readAccepts(capture: CaptureBuilder, at: LogLine): Closing['accepts'] | 'cut' {
  const list = listOf(fieldsOf(after(at.text, anchors.accepts, limits.lineChars)).get('accept_lens'));
  if (list === null) return 'cut';
  const values = capture.counts(list, 'accept_lens', at);
  return values === null ? null : { at: short(at), values };
}

const summaries = {
  [anchors.completed]: { generated: 'generated_tokens', last: 'burst_ms' },
  [anchors.finalized]: { generated: 'tokens_generated', last: 'hol_waiters' },
} as const;

/** The rounds and accepted drafts of the finalize line are 0 for DFlash whatever happened: they are not read. */
export function readSummary(capture: CaptureBuilder, at: LogLine, anchor: keyof typeof summaries): Summary & { request: string | null } {
  const fields = fieldsOf(after(at.text, anchor));
  const { generated, last } = summaries[anchor];
  const request = fields.get('seq_id');
  return {
    at: short(at),
    whole: fields.has(last),
    promptTokens: capture.count(fields.get('prompt_tokens'), 'prompt_tokens', at),
    generatedTokens: capture.count(fields.get(generated), generated, at),
    request: request === undefined ? null : own(request.slice(0, 100)),
  };
}

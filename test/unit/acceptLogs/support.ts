// Logs made on the fly, and the sample logs as text.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Capture } from '../../../src/shared/capture';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { Problem } from '../../../src/engine/problem';

export const samples = path.join(import.meta.dirname, '../../fixtures/accept-logs');

export const sampleText = (name: string): Promise<string> => readFile(path.join(samples, name), 'utf8');

/** A folder that is gone when `work` is done. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'moire-logs-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

export function importText(text: string | Buffer, name = 'server.log'): Promise<Capture> {
  return inFolder(async (folder) => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return importCapture(file);
  });
}

/** The sentence of the Problem that an import ends in. */
export async function problemOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Problem) return error.sentence;
    throw error;
  }
  throw new Error('no problem was thrown');
}

export interface RoundText {
  readonly round: number | string;
  readonly bs?: number | string;
  readonly bonus: number | string;
  readonly drafts: readonly (number | string)[];
  readonly targets: readonly (number | string)[];
  readonly accepted: number | string;
  readonly emitted: readonly (number | string)[];
}

/** A line of the DFlash round transcript. */
export function roundLine({ round, bonus, drafts, targets, accepted, emitted, bs = targets.length }: RoundText): string {
  const list = (values: readonly (number | string)[]): string => `[${values.join(', ')}]`;
  return `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=${round} bs=${bs} bonus=${bonus} draft_tokens=${list(drafts)} target_tokens=${list(targets)} accepted=${accepted} new_tokens=${list(emitted)}`;
}

/** Three rounds that hold: accepted 1, 3, 0. */
export const three: readonly RoundText[] = [
  { round: 0, bonus: 517, drafts: [88, 402, 19], targets: [88, 77, 640, 12], accepted: 1, emitted: [88, 77] },
  { round: 1, bonus: 77, drafts: [5, 6, 7], targets: [5, 6, 7, 901], accepted: 3, emitted: [5, 6, 7, 901] },
  { round: 2, bonus: 901, drafts: [33, 34, 35], targets: [40, 34, 2, 8], accepted: 0, emitted: [40] },
];

/** `three` with one round changed. */
export function threeWith(index: number, change: Partial<RoundText>): string {
  return three.map((round, i) => `${roundLine(i === index ? { ...round, ...change } : round)}\n`).join('');
}

export const diagnosticsLine = (fields: string): string => `2026-09-24T08:15:14.020613Z  INFO mlxcel::server::batch::dflash_target: DFlash diagnostics ${fields} decode_ms=1.0\n`;
export const acceptsLine = (values: readonly number[]): string => `2026-09-24T08:15:14.020613Z DEBUG mlxcel::server::batch::dflash_target: DFlash accept lengths accept_lens=[${values.join(', ')}]\n`;
export const summaryLine = (prompt: number, generated: number): string => `2026-09-24T08:15:14.020613Z  INFO mlxcel::server::batch::speculative_burst: Speculative burst completed prompt_tokens=${prompt} generated_tokens=${generated} burst_ms=355\n`;
export const wholeDiagnostics = 'block_size=4 rounds=3 proposed_tokens=9 accepted_tokens=4 acceptance_rate=0.444 emitted_per_verify=2.333 zero_accept_rounds=1 partial_accept_rounds=1 full_accept_rounds=1';

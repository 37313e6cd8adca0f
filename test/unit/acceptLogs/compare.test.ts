// Two requests side by side, from logs that were really read.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { compareRequests } from '../../../src/shared/captureCompare';
import type { CapturedRequest } from '../../../src/shared/capture';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { importText, samples } from './support';

const transcript = (rounds: readonly string[]): string => rounds.map((round) => `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript ${round}`).join('\n');
const rounds = [
  'round=0 bs=4 bonus=517 draft_tokens=[88, 402, 19] target_tokens=[88, 77, 640, 12] accepted=1 new_tokens=[88, 77]',
  'round=1 bs=4 bonus=77 draft_tokens=[5, 6, 7] target_tokens=[5, 6, 7, 901] accepted=3 new_tokens=[5, 6, 7, 901]',
  'round=2 bs=4 bonus=901 draft_tokens=[33, 34, 35] target_tokens=[40, 34, 2, 8] accepted=0 new_tokens=[40]',
];
const requestOf = async (lines: readonly string[]): Promise<CapturedRequest> => (await importText(transcript(lines))).requests[0]!;

describe('two captures', () => {
  it('agree with themselves in ids and counts', async () => {
    const one = await requestOf(rounds);
    expect(compareRequests(one, one)).toMatchObject({ level: 'ids', equalRounds: 3, first: null, firstToken: null, tokens: { a: 7, b: 7 } });
  });

  it('part at the first round with another id, and say in what', async () => {
    const other = [rounds[0]!, 'round=1 bs=4 bonus=77 draft_tokens=[5, 6, 8] target_tokens=[5, 6, 7, 901] accepted=2 new_tokens=[5, 6, 7]'];
    const found = compareRequests(await requestOf(rounds), await requestOf(other));
    expect(found.first).toEqual({ place: 1, fields: ['drafts', 'accepted', 'emitted'] });
    expect(found.equalRounds).toBe(1);
    expect(found.firstToken).toEqual({ place: 5, a: 901, b: null });
  });

  it('part where the shorter one ends', async () => {
    const found = compareRequests(await requestOf(rounds), await requestOf(rounds.slice(0, 2)));
    expect(found.first).toEqual({ place: 2, fields: [] });
  });

  it('are compared by counts where one has no ids, and that is said', async () => {
    const withIds = await requestOf(rounds);
    const counts = (await importText('2026-09-24T08:15:14.020613Z DEBUG mlxcel::server::batch::dflash_target: DFlash accept lengths accept_lens=[1, 3, 2]')).requests[0]!;
    const found = compareRequests(withIds, counts);
    expect(found.level).toBe('counts');
    expect(found.first).toEqual({ place: 2, fields: ['accepted'] });
    expect(found.firstToken).toBeNull();
    expect(found.notCompared[0]).toBe('Token ids: B holds none, so only counts are compared, and equal counts do not make equal texts.');
  });

  it('are compared by figures alone where one has no rounds in order', async () => {
    const runner = (await importCapture(path.join(samples, 'ollama/runner.log'))).requests[0]!;
    const found = compareRequests(await requestOf(rounds), runner);
    expect(found).toMatchObject({ level: 'figures', first: null, equalRounds: 0 });
    expect(found.notCompared[0]).toBe('Round by round: B holds no accepted count of every round in order.');
    expect(found.figures.find(({ name }) => name === 'Rounds')).toEqual({ name: 'Rounds', a: 3, b: runner.roundCount });
  });
});

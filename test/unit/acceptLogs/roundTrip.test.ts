// What is written comes back: Moire's own capture log, and the same rounds as the text lines of mlxcel.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstViolation, usable, type CapturedRequest, type CapturedRound } from '../../../src/shared/capture';
import { CaptureLogWriter, type CaptureLogHeader, type CaptureLogRound } from '../../../src/engine/acceptLogs/moireLog';
import { newTokens } from '../../../src/engine/acceptLogs/roundAlgebra';
import { seedLines } from '../../../src/engine/acceptLogs/seedLines';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { importText, problemOf, samples } from './support';

const header: Omit<CaptureLogHeader, 'format' | 'version'> = {
  model: 'target-4bit',
  drafter: 'drafter',
  engine: 'moire 0.1.0',
  switches: { matmul: 'qmm', threads: 2 },
  width: 4,
  widthFrom: 'drafter',
  prefill: 'causal',
  partition: [3, 2],
  sampling: { temperature: 0, seed: null },
};

/** Rounds that hold, from a list of accepted drafts. */
function roundsFor(accepted: readonly number[], width: number, firstBonus: number): CapturedRound[] {
  let bonus = firstBonus;
  return accepted.map((count, index) => {
    const id = (i: number): number => 1000 + ((firstBonus + index * 31 + i * 7) % 5000);
    const targets = Array.from({ length: width }, (_, i) => id(i));
    const drafts = targets.slice(0, width - 1).map((target, i) => (i < count ? target : target + 5000));
    const round = { index, width, bonus, drafts, targets, accepted: count, emitted: newTokens({ drafts, targets, accepted: count }), line: null };
    bonus = round.emitted.at(-1)!;
    return round;
  });
}

const ms = { draft: 1.5, verify: 2, accept: 0.25, rewind: 0.5 };
const writtenRound = (request: string, { index, width, bonus, drafts, targets, accepted, emitted }: CapturedRound): CaptureLogRound => ({ request, round: index, width: width!, bonus: bonus!, drafts: [...drafts!], targets: [...targets!], accepted, emitted: [...emitted!], ms });
const endOf = (rounds: readonly CapturedRound[]): { emitted: number; rounds: number; proposed: number; accepted: number } => ({
  emitted: rounds.reduce((total, { emitted }) => total + emitted!.length, 0),
  rounds: rounds.length,
  proposed: rounds.reduce((total, { drafts }) => total + drafts!.length, 0),
  accepted: rounds.reduce((total, { accepted }) => total + accepted, 0),
});

const bare = (rounds: CapturedRequest['rounds']): unknown => rounds!.map((round) => ({ ...round, line: null }));

const first = roundsFor([1, 3, 0, 2], 4, 517);
const second = roundsFor([0, 2, 3], 4, 9);

function written(): string {
  let text = '';
  const writer = new CaptureLogWriter((part) => (text += part), header);
  writer.request({ request: 'a', promptIds: [1, 2, 3, 4, 5], firstBonus: 517 });
  writer.request({ request: 'b', promptIds: [8], firstBonus: 9 });
  for (let i = 0; i < 4; i += 1) {
    if (first[i] !== undefined) writer.round(writtenRound('a', first[i]!));
    if (second[i] !== undefined) writer.round(writtenRound('b', second[i]!));
  }
  writer.end({ request: 'a', end: { reason: 'eos', ...endOf(first) } });
  writer.end({ request: 'b', end: { reason: 'cancelled', ...endOf(second) } });
  return text;
}

describe('the capture log of Moire', () => {
  it('gives back what was written', async () => {
    const capture = await importText(written(), 'run.moire-capture.jsonl');
    expect(capture.findings).toEqual([]);
    expect(capture).toMatchObject({ engine: 'moire', format: 'moire.capture', grade: 'A', semantics: { width: 4, scope: 'round', bonusIncluded: false } });
    expect(capture.facts).toMatchObject({ model: 'target-4bit', drafter: 'drafter', engine: 'moire 0.1.0', switches: ['matmul=qmm', 'threads=2'], width: 4, widthFrom: 'drafter', prefill: 'causal', partition: [3, 2] });
    const [a, b] = capture.requests;
    expect(bare(a!.rounds)).toEqual(first);
    expect(bare(b!.rounds)).toEqual(second);
    expect(a).toMatchObject({ request: 'a', complete: true, promptIds: [1, 2, 3, 4, 5], firstBonus: 517, promptTokens: 5, generatedTokens: 11, cutInLastRound: 0, interleaved: true, facts: { draftMs: 6, endReason: 'eos' } });
    expect(b).toMatchObject({ request: 'b', complete: false, reason: 'the run was cancelled' });
    expect(usable(a!)).toEqual({ replay: 'byte-exact', words: 'byte-exact replay without the drafter', missing: [] });
  });

  it('may be cut anywhere', async () => {
    const text = written();
    const start = text.indexOf('\n') + 1;
    for (let end = start; end < text.length - 1; end += 41) {
      const capture = await importText(text.slice(0, end));
      expect(firstViolation(capture), `cut at ${end}`).toBeNull();
      for (const request of capture.requests) if (request.kind === 'unfinished') expect(request.reason).toMatch(/cut|ends before/);
    }
  });

  it('names the line and round of what does not hold', async () => {
    const text = written();
    const change = async (from: string | RegExp, to: string): Promise<ReturnType<typeof firstViolation>> => firstViolation(await importText(text.replace(from, to)));
    expect(await change('"round":1,"width":4', '"round":2,"width":4')).toMatchObject({ line: 6, round: 2, identity: 'rounds count up' });
    expect(await change('"firstBonus":517', '"firstBonus":518')).toMatchObject({ line: 4, round: 0, identity: 'bonus chain', sentence: 'round 0 starts from bonus 517, but the first bonus is 518' });
    expect(await change('"accepted":3,', '"accepted":4,')).toMatchObject({ line: 6, round: 1, identity: 'accepted <= width - 1' });
    expect(await change('"end":{"reason":"eos","emitted":10', '"end":{"reason":"eos","emitted":11')).toMatchObject({ line: 11, identity: 'emitted of the end line' });
    expect(await change('"bonus":517', '"bonus":"517"')).toMatchObject({ line: 4, round: 0, identity: 'lines are whole', sentence: expect.stringMatching(/^this line of the capture log is left out: "bonus" has to be a number, but is "517"; mend it/) as string });
    expect(await change(',"bonus":517', '')).toMatchObject({ sentence: expect.stringContaining('left out: "bonus" is missing;') as string });
    expect(await change('"bonus":517', '"bonus":-1')).toMatchObject({ sentence: expect.stringContaining('"bonus" has to be 0 or more, but is -1;') as string });
    expect(await change('"bonus":517', '"bonus":1.5')).toMatchObject({ sentence: expect.stringContaining('"bonus" has to be a whole number, but is 1.5;') as string });
    expect(await change(/"round":1,.*\n/, '"round"\n')).toMatchObject({ line: 6, identity: 'lines are whole' });
  });

  it('has the prompt of a request once and before its rounds, and its end once and behind them', async () => {
    const lines = written().trimEnd().split('\n');
    const prompt = lines.find((line) => line.includes('"promptIds"') && line.includes('"request":"a"'))!;
    const end = lines.find((line) => line.includes('"end"') && line.includes('"request":"a"'))!;
    const withLine = (at: number, line: string): string => `${[...lines.slice(0, at), line, ...lines.slice(at)].join('\n')}\n`;
    for (const [text, line] of [[withLine(5, prompt), 6], [withLine(lines.length, end), lines.length + 1], [withLine(lines.length, prompt), lines.length + 1], [withLine(4, end), 7]] as const) {
      const capture = await importText(text);
      expect(firstViolation(capture)).toMatchObject({ line, identity: 'lines stand in order' });
      expect(capture.requests[0]!.promptIds).toEqual([1, 2, 3, 4, 5]);
    }
  });

  it('of a newer version or with a damaged header is a problem', async () => {
    expect(await problemOf(importText(written().replace('"version":1', '"version":2')))).toMatch(/written by a newer version of Moire: it has version 2, this one reads up to 1 \(line 1\)\. Update Moire\./);
    expect(await problemOf(importText(written().replace('"causal"', '"sideways"')))).toMatch(/The header of this capture log is damaged: "prefill" has to be one of causal, verify, but is "sideways" \(line 1\)/);
  });
});

describe('the lines of mlxcel', () => {
  const seed = (rounds: readonly CapturedRound[], request: string, generatedTokens: number): string[] => seedLines({ request, rounds, promptTokens: 40, generatedTokens, width: 4, ms }, new Date(0));

  it('give back the rounds', async () => {
    const lines = [...seed(first, 'seq-1', 11), ...seed([], 'seq-2', 1), ...seed(second, 'seq-3', 9)];
    expect(lines[0]).toMatch(/^1970-01-01T00:00:00\.000000Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=0 bs=4 bonus=517 draft_tokens=\[\d+, \d+, \d+\]/);
    const capture = await importText(`${lines.join('\n')}\n`);
    expect(capture.findings).toEqual([]);
    expect(capture.requests.map(({ request, kind, grade, complete }) => [request, kind, grade, complete])).toEqual([
      ['seq-1', 'served', 'A', true],
      ['seq-2', 'warm-up', 'B', true],
      ['seq-3', 'served', 'A', true],
    ]);
    expect(bare(capture.requests[0]!.rounds)).toEqual(first);
    expect(bare(capture.requests[2]!.rounds)).toEqual(second);
    expect(capture.requests[0]).toMatchObject({ promptTokens: 40, generatedTokens: 11, cutInLastRound: 0, firstBonus: 517 });
  });

  it('of an imported log give the same capture', async () => {
    const original = await importCapture(path.join(samples, 'mlxcel/full.log'));
    const served = original.requests.filter(({ kind }) => kind === 'served');
    const again = await importText(`${served.flatMap((request) => seedLines({ ...request, width: 4 }, new Date(0))).join('\n')}\n`);
    expect(firstViolation(again)).toBeNull();
    const core = ({ request, rounds, emittedIds, generatedTokens, promptTokens, cutInLastRound, rewinds }: CapturedRequest): unknown => ({ request, rounds: bare(rounds), emittedIds, generatedTokens, promptTokens, cutInLastRound, rewinds });
    expect(again.requests.map(core)).toEqual(served.map(core));
  });

  it('without ids are the accept list alone', async () => {
    const original = await importCapture(path.join(samples, 'mlxcel/accept-lens-w4.log'));
    const again = await importText(`${original.requests.flatMap((request) => seedLines({ ...request, width: 4 }, new Date(0))).join('\n')}\n`);
    expect(again.grade).toBe('B');
    expect(again.requests.map(({ accepted }) => accepted)).toEqual(original.requests.map(({ accepted }) => accepted));
  });
});

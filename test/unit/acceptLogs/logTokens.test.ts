// A request of a log by position, and the timelines that are made of it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { logTokens } from '../../../src/engine/acceptLogs/logTokens';
import type { CapturedRequest, CapturedRound } from '../../../src/shared/capture';
import type { LogTokens } from '../../../src/shared/logReaderProtocol';
import { mostPositions } from '../../../src/shared/timelineLimits';
import { compareTimeline, requestTimeline } from '../../../src/webview/acceptLog/logTimelines';
import { differingCells } from '../../../src/webview/model/grid';
import { random } from '../../view/random';
import { importText, roundLine, three } from './support';

const served = path.join(import.meta.dirname, '../../../samples/served/rounds.moire-capture.jsonl');

const round = (index: number, change: Partial<CapturedRound> = {}): CapturedRound => ({ index, width: null, bonus: null, drafts: null, targets: null, accepted: 0, emitted: null, line: index + 1, ...change });
const request = (rounds: readonly CapturedRound[], change: Partial<CapturedRequest> = {}): CapturedRequest => ({ rounds, firstBonus: null, promptTokens: null, promptIds: null, positions: null, drafted: null, cutInLastRound: null, ...change }) as CapturedRequest;

describe('the tokens of a request', () => {
  it('of a log with ids are its first bonus and what every round emitted', async () => {
    const [first] = (await importCapture(served)).requests;
    const { ids, total, rounds, promptTokens, from } = logTokens(first!, 0);
    expect(from).toBe(0);
    expect(ids).toEqual([first!.firstBonus, ...first!.emittedIds!]);
    expect(total).toBe(ids.length);
    expect(rounds.map(({ accepted }) => accepted)).toEqual(first!.accepted);
    expect(promptTokens).toBe(first!.promptIds!.length);
    // After every round the cache holds the prompt, and of each round the accepted drafts and one row.
    let live = promptTokens!;
    expect(rounds.map((one) => one.live)).toEqual(first!.accepted!.map((accepted) => (live += accepted + 1)));
  });

  it('of a transcript without a prompt tell drafts by position, and nothing of the cache', async () => {
    const [first] = (await importText(three.map(roundLine).join('\n'))).requests;
    const tokens = logTokens(first!, 0);
    expect(tokens.ids.slice(0, 3)).toEqual([517, 88, 77]);
    expect(tokens.drafts.slice(0, 3)).toEqual([-1, 88, 402]);
    expect(tokens.rounds.map(({ from, kept, drafted, live }) => [from, kept, drafted, live])).toEqual([[1, 2, 3, null], [3, 4, 3, null], [7, 1, 3, null]]);
  });

  it('of a log of counts alone have places and no ids', () => {
    const tokens = logTokens(request([round(0, { accepted: 2 }), round(1, { accepted: 0 })], { drafted: [3, 3], promptTokens: 10, cutInLastRound: 1 }), 0);
    expect(tokens).toMatchObject({ total: 4, ids: [-1, -1, -1, -1], drafts: [-1, -1, -1, -1], promptTokens: 10 });
    expect(tokens.rounds.map(({ kept, live }) => [kept, live])).toEqual([[3, 13], [0, 14]]);
  });

  it('take what a round tells in part from where it is told', () => {
    const rounds = [round(0, { accepted: 1, drafts: [5, 6], bonus: 4 }), round(1, { accepted: 0, bonus: 7, targets: [8] })];
    expect(logTokens(request(rounds), 0).ids).toEqual([4, 5, 7, 8]);
  });

  it('take the rows of the cache from the positions that a log gives', () => {
    const tokens = logTokens(request([round(0, { accepted: 2 }), round(1, { accepted: 0 })], { positions: [40, 43] }), 0);
    expect(tokens.rounds.map(({ live }) => live)).toEqual([43, 44]);
  });

  it('of a request without rounds are none', () => {
    expect(logTokens(request([]), 0).total).toBe(1);
    expect(logTokens({ ...request([]), rounds: null }, 0)).toMatchObject({ total: 0, ids: [], rounds: [] });
  });

  it('come in pictures that join without gap, however rounds lie over their edges', () => {
    const r = random(11);
    const rounds = Array.from({ length: 15_000 }, (_, index) => {
      const accepted = r.whole(0, 7);
      return round(index, { accepted, emitted: Array.from({ length: accepted + 1 }, (_one, i) => index * 10 + i) });
    });
    const whole = request(rounds, { firstBonus: 3 });
    const all = [3, ...rounds.flatMap(({ emitted }) => emitted!)];
    const pictures: LogTokens[] = [];
    for (let from = 0; from < all.length; from += mostPositions) pictures.push(logTokens(whole, from));
    expect(pictures.length).toBeGreaterThan(2);
    expect(pictures.flatMap(({ ids }) => ids)).toEqual(all);
    expect(pictures.every(({ ids, drafts, total }) => ids.length <= mostPositions && drafts.length === ids.length && total === all.length)).toBe(true);
    expect(new Set(pictures.flatMap((one) => one.rounds.map(({ place }) => place))).size).toBe(rounds.length);
    expect(logTokens(whole, all.length + 5)).toMatchObject({ ids: [], rounds: [] });
    for (const picture of pictures) {
      const grid = requestTimeline(picture, {});
      expect(grid.positions).toBe(picture.ids.length);
      expect(grid.tokens!.rounds.every(({ from, kept }) => from >= 0 && kept > 0 && from + kept <= grid.positions)).toBe(true);
    }
  });
});

const told = async (lines: readonly string[]): Promise<LogTokens> => logTokens((await importText(lines.join('\n'))).requests[0]!, 0);

describe('the timeline of a request', () => {
  it('has a mark for every bonus and every rejected draft, and no other', async () => {
    const grid = requestTimeline(await told(three.map(roundLine)), {});
    expect(grid.rows.map(({ label }) => label)).toEqual(['tokens', 'drafts']);
    const bonus = [0, 2, 6, 7];
    const rejected = [2, 7].map((position) => grid.positions + position);
    expect([...differingCells(grid)]).toEqual([...bonus, ...rejected]);
    const signs = [...grid.values('tokens')].map((_, cell) => grid.tokens!.sign!({ row: Math.floor(cell / grid.positions), position: cell % grid.positions }));
    expect(signs.flatMap((sign, cell) => (sign === 'bonus' ? [cell] : []))).toEqual(bonus);
    expect(signs.flatMap((sign, cell) => (sign === 'rejected' ? [cell] : []))).toEqual(rejected);
    expect(grid.words({ row: 0, position: 1 })).toBe('tokens · token 1: "88" · id 88, accepted draft');
    expect(grid.words({ row: 1, position: 2 })).toBe('drafts · token 2: "402" · id 402, rejected draft');
    expect(grid.words({ row: 1, position: 6 })).toBe('drafts · token 6: not told, no draft, or not told');
    expect(grid.first).toBeNull();
  });

  it('says what a log tells of the prompt, and of the cache only where it does', () => {
    const tokens = logTokens(request([round(0, { accepted: 1 })], { drafted: [3], promptTokens: 20 }), 0);
    const grid = requestTimeline(tokens, { cached: 16, promptPieces: ['prefill 16', 'prefill 4'] });
    expect(grid.rows.at(-1)!.label).toBe('state');
    expect(grid.facts({ row: 2, position: 0 })).toEqual(expect.arrayContaining([['in the cache', '20 rows'], ['cached', '16'], ['prompt pieces', 'prefill 16, prefill 4']]));
    expect(grid.about({ row: 2, position: 1 })).toBe('after round 0: 22 rows, 2 asked to drop');
    expect(requestTimeline({ ...tokens, promptTokens: null, rounds: tokens.rounds.map((one) => ({ ...one, live: null })) }, {}).rows).toHaveLength(2);
  });
});

it('the pieces of a prompt come from the capture log of Moire, and no more than are shown', async () => {
  const pieces = (await readFile(served, 'utf8')).split('\n').map((line) => (line.includes('"promptIds"') ? JSON.stringify({ ...(JSON.parse(line) as object), partition: Array.from({ length: 40 }, (_, i) => ({ how: 'prefill', tokens: i })) }) : line));
  const [first] = (await importText(pieces.join('\n'))).requests;
  const shown = first!.facts['promptPieces'] as readonly string[];
  expect([shown.length, shown[1], shown.at(-1)]).toEqual([33, 'prefill 1', 'and 8 more']);
});

describe('two requests', () => {
  it('differ exactly where both tell another id, for random logs with holes', () => {
    const r = random(23);
    for (let i = 0; i < 60; i++) {
      const list = (): number[] => Array.from({ length: r.whole(1, 30) }, () => r.whole(-1, 2));
      const [a, b] = [list(), list()];
      const of = (ids: number[]): { tokens: LogTokens; facts: Record<string, never> } => ({ tokens: { from: 0, total: ids.length, ids, drafts: ids, rounds: [], promptTokens: null }, facts: {} });
      const grid = compareTimeline(of(a), of(b), null);
      const differs = (position: number): boolean => (a[position] === undefined || b[position] === undefined ? true : a[position] >= 0 && b[position] >= 0 && a[position] !== b[position]);
      const expected = [a, b].flatMap((ids, row) => ids.flatMap((id, position) => (id >= 0 && differs(position) ? [row * grid.positions + position] : [])));
      expect([...differingCells(grid)]).toEqual(expected);
    }
  });

  it('have their fork marked, but in a picture behind it none', async () => {
    const other = three.map((one, i) => roundLine(i === 1 ? { ...one, targets: [...one.targets.slice(0, 3), 9999], emitted: [...one.emitted.slice(0, 3), 9999] } : one));
    const [a, b] = [await told(three.map(roundLine)), await told(other)];
    const compared = (from: number): ReturnType<typeof compareTimeline> => compareTimeline({ tokens: { ...a, from }, facts: {} }, { tokens: { ...b, from }, facts: {} }, 6);
    expect(compared(0).first).toEqual({ row: 1, position: 6 });
    expect(compared(0).tokens!.roundsOf).toBe('A');
    expect(compared(7).first).toBeNull();
  });
});

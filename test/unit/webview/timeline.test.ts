import { describe, expect, it } from 'vitest';
import type { ParityResult, ParityRun } from '../../../src/shared/results/parity';
import { differingCells, type Round } from '../../../src/webview/model/grid';
import { otherChoice, sameChoice } from '../../../src/webview/model/measures';
import { timelineGrid, visible, type Lane } from '../../../src/webview/model/timeline';
import { parityTimeline } from '../../../src/webview/model/timelines/parity';
import { forkedText, tokensOf, type TextSpan } from '../../../src/webview/model/timelines/texts';
import { random } from '../../view/random';

const lane = (name: string, ids: readonly number[]): Lane => ({ name, tokens: ids.map((id) => ({ id, text: `t${id} ` })) });
const textOf = ({ tokens }: TextSpan): string => tokens.map(({ text }) => text).join('');
const quiet = { rounds: [], drifts: () => false, facts: () => [] };

describe('lanes of tokens', () => {
  it('differ exactly where their ids do, for random lanes', () => {
    const r = random(5);
    for (let i = 0; i < 60; i++) {
      const [a, b] = [0, 1].map(() => Array.from({ length: r.whole(0, 40) }, () => r.whole(0, 3)));
      const grid = timelineGrid({ lanes: [lane('a', a!), lane('b', b!)], ...quiet });
      const length = Math.max(a!.length, b!.length);
      expect(grid.positions).toBe(length);
      const differs = (position: number): boolean => a![position] !== b![position];
      const expected = [a!, b!].flatMap((ids, row) => ids.flatMap((_, position) => (differs(position) ? [row * length + position] : [])));
      expect([...differingCells(grid)]).toEqual(expected);
      const first = Array.from({ length }, (_, position) => position).find(differs);
      expect(grid.first?.position).toBe(first);
    }
  });

  it('tell other bytes from other tokens, and a lane that ended from one that agrees', () => {
    const grid = timelineGrid({ lanes: [lane('a', [1, 2, 3]), lane('b', [1, 2])], rounds: [], drifts: (position) => position === 1, facts: () => [] });
    expect([...grid.values('tokens')]).toEqual([0, sameChoice, otherChoice, 0, sameChoice, -1]);
    expect(grid.words({ row: 1, position: 2 })).toBe('b · token 2: no token: it ended before, not compared');
    expect(grid.words({ row: 0, position: 1 })).toBe('a · token 1: "t2 " · id 2, the same token, from other bytes');
  });

  it('are compared by text where a server tells no ids', () => {
    const untold = (texts: readonly string[]): Lane => ({ name: 'server', tokens: texts.map((text) => ({ id: -1, text })) });
    const grid = timelineGrid({ lanes: [untold(['a', 'b']), untold(['a', 'c'])], ...quiet });
    expect(grid.first).toEqual({ row: 1, position: 1 });
  });

  it('name what cannot be seen', () => {
    expect(visible('  x\n\t ')).toBe('··x↵⇥·');
    expect(visible('')).toBe('');
  });
});

describe('the timeline of a parity run', () => {
  const run: ParityRun = { prompt: 0, width: 4, outcome: 'differs', rounds: 3, proposed: 9, accepted: 4, rewinds: 2, emitted: 7, acceptedPerRound: [1, 3, 0], end: 'length', ids: [5, 6, 7, 8, 9, 10, 11], fork: { token: 4, round: 1, row: 1, classicId: 2, burstId: 9, margin: 0.5, gap: 0.5, floor: 0.25, word: 'defect' }, audits: 0, auditBytes: 0, auditFirst: '' };
  const result = { prompts: [{ source: 'ids', ids: [1, 2, 3] }], classic: [{ ids: [5, 6, 7, 8, 2, 2, 2], end: 'length' }], texts: { ids: [5, 6, 7, 8], texts: ['a', 'b', 'c', 'd'] } } as unknown as ParityResult;

  it('has a bracket a round over what it gave, cut by the budget', () => {
    const rounds: readonly Round[] = parityTimeline(result, run)!.rounds;
    expect(rounds.map(({ from, kept, rejected }) => [from, kept, rejected])).toEqual([[1, 2, 2], [3, 4, 0], [7, 0, 3]]);
  });

  it('says of every token how it came, and of the fork how far it is apart', () => {
    const source = parityTimeline(result, run)!;
    const origins = run.ids!.map((_, position) => source.facts(position)[0]![1]);
    expect(origins).toEqual(['first bonus, of the prefill', 'accepted draft', 'bonus', 'accepted draft', 'accepted draft', 'accepted draft', 'bonus']);
    expect(source.facts(4).slice(1)).toEqual([['margin', '0.5 (classic)'], ['apart', '0.5 against a noise floor of 0.25: defect']]);
  });

  it('is none where no burst ran', () => {
    const { ids: _, ...declined } = run;
    expect(parityTimeline(result, declined)).toBeNull();
  });

  it('reads as texts, the same until the fork', () => {
    const { lanes } = parityTimeline(result, run)!;
    const read = ({ common, branches }: ReturnType<typeof forkedText>): unknown => [textOf(common), ...branches.map((branch) => [branch.name, branch.row, branch.from, textOf(branch)])];
    expect(read(forkedText(lanes, 4))).toEqual(['abcd', ['classic', 0, 4, '<2><2><2>'], ['burst, width 4', 1, 4, '<9><10><11>']]);
    expect(read(forkedText([lanes[0]!], null))).toEqual(['abcd<2><2><2>']);
    expect(tokensOf([5, 99], undefined)).toEqual([{ id: 5, text: '<5>' }, { id: 99, text: '<99>' }]);
  });
});

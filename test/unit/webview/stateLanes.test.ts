// The state below the tokens: rows of the cache after each round, and what rewinds were asked for and did.
import { describe, expect, it } from 'vitest';
import type { Answer, AnswersResult } from '../../../src/shared/results/answers';
import type { ParityResult, ParityRun } from '../../../src/shared/results/parity';
import type { ReplayResult, ReplayRun } from '../../../src/shared/results/replay';
import type { RewindResult } from '../../../src/shared/results/rewind';
import { differingCells } from '../../../src/webview/model/grid';
import { otherChoice, sameChoice } from '../../../src/webview/model/measures';
import { spanAt } from '../../../src/webview/model/spanAt';
import { timelineGrid, type TimelineSource } from '../../../src/webview/model/timeline';
import { answersTimeline } from '../../../src/webview/model/timelines/answers';
import { parityTimeline } from '../../../src/webview/model/timelines/parity';
import { replayTimeline } from '../../../src/webview/model/timelines/replay';
import { rewindTimeline } from '../../../src/webview/model/timelines/rewind';
import { random } from '../../view/random';

const texts = ({ states: [lane] = [] }: TimelineSource): string[] => Array.from({ length: lane!.positions }, (_, position) => lane!.text(position));
const said = ({ states: [lane] = [] }: TimelineSource, position: number): string => lane!.about(position);

describe('spans of positions', () => {
  it('are found by halves as by looking at each', () => {
    const r = random(3);
    for (let i = 0; i < 200; i++) {
      let from = 0;
      const spans = Array.from({ length: r.whole(0, 20) }, () => {
        from += r.whole(0, 3);
        const span = { from, kept: r.whole(0, 4) };
        from += span.kept;
        return span;
      });
      for (let position = 0; position < from + 2; position++) expect(spanAt(spans, position)).toBe(spans.find((span) => position >= span.from && position < span.from + span.kept));
    }
  });
});

describe('of a parity run', () => {
  const base: ParityRun = { prompt: 0, width: 4, outcome: 'equal', rounds: 3, proposed: 9, accepted: 4, rewinds: 2, emitted: 8, acceptedPerRound: [1, 3, 0], end: 'eos', ids: [5, 6, 7, 8, 9, 10, 11, 12], fork: null, audits: 0, auditBytes: 0, auditFirst: '' };
  const result = { prompts: [{ source: 'ids', ids: Array.from({ length: 100 }, (_, i) => i) }], classic: [{ ids: base.ids, end: 'eos' }] } as unknown as ParityResult;

  it('are the prompt, and with each round its accepted drafts and one row', () => {
    const source = parityTimeline(result, base)!;
    expect(texts(source)).toEqual(['100', '', '102', '', '', '', '106', '107']);
    expect(said(source, 0)).toBe('after the prefill: 100 rows');
    expect(said(source, 1)).toBe('after round 0: 102 rows, 2 asked to drop');
    expect(said(source, 4)).toBe('after round 1: 106 rows');
  });

  it('shrink with the blocks at the budget, and do not tell of a rewind where the blocks are not known', () => {
    const shrunk = { ...base, acceptedPerRound: [1, 3, 0], proposed: 3 + 3 + 1, ids: [5, 6, 7, 8, 9, 10, 11, 12] };
    expect(parityTimeline(result, shrunk)!.rounds.map(({ rejected, label }) => [rejected, label])).toEqual([[2, '0: 1 draft accepted of 3'], [0, '1: 3 drafts accepted of 3'], [1, '2: 0 drafts accepted of 1']]);
    const unknown = parityTimeline(result, { ...base, proposed: 8 })!;
    expect(said(unknown, 1)).toBe('after round 0: 102 rows');
  });

  it('are none of a prompt that is not there', () => {
    expect(parityTimeline({ ...result, prompts: [] }, base)!.states).toBeUndefined();
  });
});

const rows = (length: number): ReplayRun['rows'] => ({ bytes: 8, differingBytes: Array<number>(length).fill(0), maxAbs: [], argmaxA: Array<number>(length).fill(1), argmaxB: Array<number>(length).fill(1), marginA: [], gapA: [] });

describe('of a replay', () => {
  const replay = { prompt: { ids: [1, 2, 3] }, reference: { source: 'greedy', ids: [], leavesAt: -1 }, schedule: { rows: [4, 4, 4], kept: [2, 4, 1] }, noise: { floor: 0 } } as unknown as ReplayResult;
  const run = (change: Partial<ReplayRun>, length = 8): ReplayRun => ({ form: 'block', fill: 'wrong', rows: rows(length), misdropped: [], ...change }) as unknown as ReplayRun;

  it('drop what was asked but where the report says otherwise, which differs and stays in the cache', () => {
    const source = replayTimeline(replay, run({ misdropped: [{ round: 2, asked: 3, dropped: 1 }] }));
    expect(texts(source)).toEqual(['3', '', '5', '', '', '', '9', '12']);
    expect(said(source, 1)).toBe('after round 0: 5 rows, 2 asked to drop, 2 dropped');
    expect(said(source, 7)).toBe('after round 2: 12 rows, 3 asked to drop, 1 dropped');
    const grid = timelineGrid(source);
    expect([...differingCells(grid)]).toEqual([2 * 8 + 7]);
    expect(grid.first).toEqual({ row: 2, position: 7 });
    expect(grid.words({ row: 2, position: 7 })).toBe('state · token 7: after round 2: 12 rows, 3 asked to drop, 1 dropped, not what was asked for');
  });

  it('have nothing to rewind in blocks of kept rows, and grow row by row in a chain', () => {
    const kept = replayTimeline(replay, run({ form: 'kept' }));
    expect(kept.rounds.map(({ rejected }) => rejected)).toEqual([0, 0, 0]);
    expect(said(kept, 1)).toBe('after round 0: 5 rows');
    const chain = replayTimeline(replay, run({ form: 'chain' }));
    expect(texts(chain)).toEqual(['3', '4', '5', '6', '7', '8', '9', '10']);
    expect(chain.rounds).toEqual([]);
  });

  it('stand below the log where its text leaves what the model chooses, which is pinned', () => {
    const left = { ...replay, reference: { source: 'log', ids: [1, 1, 1, 1, 7, 1, 1], leavesAt: 4 } } as unknown as ReplayResult;
    const source = replayTimeline(left, run({ rows: { ...rows(8), differingBytes: [0, 2, 0, 0, 0, 0, 0, 0] } }));
    expect(source.lanes.map(({ name, tokens }) => [name, tokens.length])).toEqual([['classic chain', 8], ['block, wrong ids', 8], ['the log', 8]]);
    const grid = timelineGrid(source);
    // Bytes are those of the arms; the log has none.
    expect([...differingCells(grid)]).toEqual([1, 4, 8 + 1, 2 * 8 + 4]);
    expect(grid.first).toEqual({ row: 2, position: 4 });
    expect(grid.words({ row: 2, position: 4 })).toBe('the log · token 4: "<7>" · id 7, the lanes differ');
    // The prefill and seven tokens choose eight, of which the log has seven.
    expect(grid.about({ row: 2, position: 7 })).toBe('not told');
    const given = { ...left, reference: { ...left.reference, source: 'ids' } } as ReplayResult;
    expect(replayTimeline(given, run({})).lanes[2]?.name).toBe('the given ids');
    expect(replayTimeline({ ...left, reference: { ...left.reference, leavesAt: -1 } }, run({})).lanes).toHaveLength(2);
  });

  it('leave out a round that was not compared to its end', () => {
    const source = replayTimeline(replay, run({}, 5));
    expect(texts(source)).toEqual(['3', '', '5']);
    expect(timelineGrid(source).about({ row: 2, position: 4 })).toBe('not told');
  });
});

describe('of a rewind audit', () => {
  const rewind = {
    batch: 2, prompt: { ids: [1, 2, 3, 4, 5] }, schedule: { rows: [4, 4], kept: [1, 2, 4, 3] },
    audits: { round: [0, 0, 1], row: [0, 1, 1], asked: [3, 2, 1], dropped: [3, 2, 0], traceBytes: [0, 12, 0], keptBytes: [-1, 0, 0], chainBytes: [7, 0, 0] },
  } as unknown as RewindResult;

  it('has a lane a batch row, with what each audit found', () => {
    const grid = timelineGrid(rewindTimeline(rewind, true));
    expect(grid.rows.map(({ label }) => label)).toEqual(['batch row 0', 'batch row 1']);
    expect(grid.positions).toBe(6);
    expect([...grid.values('tokens')]).toEqual([0, sameChoice, 0, 0, 0, 0, 0, otherChoice, otherChoice, otherChoice, otherChoice, otherChoice]);
    expect(grid.first).toEqual({ row: 0, position: 1 });
    expect(grid.facts({ row: 1, position: 1 })).toEqual([['state', 'not what was asked for'], ['in the cache', '7 rows'], ['asked to drop', '2 rows'], ['dropped', '2 rows'], ['against other rejected ids', '12 bytes differ'], ['against kept rows alone', 'equal'], ['against single steps', 'equal']]);
    expect(grid.about({ row: 0, position: 3 })).toBe('after round 1: 10 rows');
    expect(grid.about({ row: 1, position: 5 })).toBe('after round 1: 11 rows, 1 asked to drop, 0 dropped');
  });

  it('ends where an audit ended early', () => {
    const early = { ...rewind, audits: { ...rewind.audits, round: [0, 0, 0], row: [0, 1, 1] } };
    expect(timelineGrid(rewindTimeline(early, false)).positions).toBe(3);
  });

  it('has brackets below the rounds of one batch row', () => {
    const alone = { ...rewind, batch: 1, schedule: { rows: [4, 4], kept: [1, 4] }, audits: { round: [0], row: [0], asked: [3], dropped: [3], traceBytes: [0], keptBytes: [0], chainBytes: [0] } };
    expect(rewindTimeline(alone, true).rounds.map(({ from, kept, rejected }) => [from, kept, rejected])).toEqual([[1, 1, 3], [2, 4, 0]]);
  });
});

describe('of answers', () => {
  const answer = (cachedTokens: number): Answer => ({ label: 'warm', prompt: 0, text: 'a', tokens: ['a'], ids: [1], logprobs: [-1], finish: '', promptTokens: 40, cachedTokens, together: 1, speculation: null });
  const result = (a: number, b: number): AnswersResult => ({ answers: [answer(a), answer(b)] }) as unknown as AnswersResult;
  const pair = { a: 0, b: 1, fork: null } as AnswersResult['pairs'][number];

  it('is what came from the cache, where a server tells it', () => {
    const source = answersTimeline(result(0, 32), pair)!;
    expect(texts(source)).toEqual(['0|32']);
    expect(said(source, 0)).toBe('0 of 40 prompt tokens | 32 of 40 prompt tokens');
    expect(answersTimeline(result(-1, -1), pair)!.states).toEqual([]);
  });
});

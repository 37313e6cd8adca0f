import { describe, expect, it } from 'vitest';
import { shapeOf } from '../../../src/shared/acceptShape';
import { stretchAt, stretchesOf, windowRounds } from '../../../src/shared/acceptStretches';

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);
const rounds = (...parts: readonly (readonly number[])[]): { accepted: number[]; drafted: number[] } => ({ accepted: parts.flat(), drafted: times(parts.flat().length, 4) });

describe('stretches', () => {
  it('need a whole window: fifteen rounds without an accepted draft are none, sixteen are one', () => {
    expect(stretchesOf(rounds(times(windowRounds - 1, 0)))).toEqual([]);
    expect(stretchesOf(rounds(times(windowRounds, 0)))).toEqual([{ kind: 'none', from: 0, to: 15, accepted: 0, drafted: 64 }]);
  });

  it('join windows that touch, and begin and end with the rounds themselves', () => {
    const log = rounds(times(10, 2), times(40, 0), times(5, 1), times(20, 4), [0]);
    expect(stretchesOf(log)).toEqual([
      { kind: 'none', from: 10, to: 49, accepted: 0, drafted: 160 },
      { kind: 'nearly all', from: 54, to: 74, accepted: 81, drafted: 84 },
    ]);
  });

  it('take 95 % of a window as nearly all, and not less', () => {
    const of = (accepted: number): readonly unknown[] | null => stretchesOf({ accepted: [...times(15, 10), accepted], drafted: times(16, 10) });
    expect(of(2)).toEqual([{ kind: 'nearly all', from: 0, to: 15, accepted: 152, drafted: 160 }]);
    expect(of(1)).toEqual([]);
  });

  it('leave rounds without drafts out of the count', () => {
    expect(stretchesOf({ accepted: times(20, 0), drafted: [...times(10, 3), ...times(10, 0)] })).toEqual([]);
    expect(stretchesOf({ accepted: times(30, 0), drafted: times(30, 0) })).toEqual([]);
  });

  it('say nothing where the log does not give both counts', () => {
    expect(stretchesOf({ accepted: times(20, 0), drafted: null })).toBeNull();
    expect(stretchesOf({ accepted: null, drafted: null })).toBeNull();
  });

  it('are found by the place of a round', () => {
    const stretches = stretchesOf(rounds(times(10, 2), times(16, 0), times(10, 2), times(16, 4)))!;
    expect([9, 10, 25, 26, 36, 51, 52].map((place) => stretchAt(stretches, place)?.kind ?? null)).toEqual([null, 'none', 'none', null, 'nearly all', 'nearly all', null]);
  });
});

describe('the shape of acceptance', () => {
  const bare = { accepted: null, drafted: null, histogram: null, perPosition: null, perPositionCounts: null };

  it('is counted from the rounds', () => {
    expect(shapeOf({ ...bare, accepted: [1, 3, 0, 2], drafted: [3, 3, 3, 3] })).toEqual({
      histogram: [1, 1, 1, 1],
      positions: [
        { share: 0.75, survived: 3, drafted: 4 },
        { share: 0.5, survived: 2, drafted: 4 },
        { share: 0.25, survived: 1, drafted: 4 },
      ],
    });
  });

  it('takes the rounds that drafted a position where the width varies', () => {
    const { positions } = shapeOf({ ...bare, accepted: [1, 1, 0], drafted: [1, 3, 0] });
    expect(positions).toEqual([
      { share: 1, survived: 2, drafted: 2 },
      { share: 0, survived: 0, drafted: 1 },
      { share: 0, survived: 0, drafted: 1 },
    ]);
  });

  it('is as printed where the log holds no rounds, and not made up where it prints nothing', () => {
    expect(shapeOf({ ...bare, histogram: [3, 1], perPosition: [0.25] })).toEqual({ histogram: [3, 1], positions: [{ share: 0.25, survived: null, drafted: null }] });
    expect(shapeOf(bare)).toEqual({ histogram: null, positions: null });
  });

  it('is not drawn for counts that no width can have', () => {
    expect(shapeOf({ ...bare, accepted: [2 ** 40], drafted: null }).histogram).toBeNull();
  });
});

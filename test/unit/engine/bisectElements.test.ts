import { describe, expect, it } from 'vitest';
import { windowOf } from '../../../src/engine/probes/bisectElements';
import { elementLimits } from '../../../src/shared/elementsProtocol';

describe('the window of a tensor', () => {
  it('is all of it up to 4 MiB and a million elements', () => {
    expect(windowOf(0, 4, 0)).toEqual({ start: 0, count: 0 });
    expect(windowOf(248_320, 4, 248_319)).toEqual({ start: 0, count: 248_320 });
    expect(windowOf(1_000_000, 4, 999_999)).toEqual({ start: 0, count: 1_000_000 });
  });

  it('is beyond that as large as may be, inside the tensor, around what is asked for', () => {
    for (const size of [1, 2, 4, 8]) {
      for (const around of [0, 1, 499_999, 2_500_000, 4_999_999, 9_000_000]) {
        const { start, count } = windowOf(5_000_000, size, around);
        expect(count).toBe(Math.min(elementLimits.elements, elementLimits.bytes / size));
        expect(start).toBeGreaterThanOrEqual(0);
        expect(start + count).toBeLessThanOrEqual(5_000_000);
        if (around < 5_000_000) expect(start <= around && around < start + count, `${size} ${around}`).toBe(true);
      }
    }
  });
});

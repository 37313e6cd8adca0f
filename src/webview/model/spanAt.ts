// Which of many spans of positions holds one.
import { bisector } from 'd3-array';

interface Positions {
  readonly from: number;
  readonly kept: number;
}

const byStart = bisector<Positions, number>(({ from }) => from);

/** `spans`: ascending, without overlap. */
export function spanAt<T extends Positions>(spans: readonly T[], position: number): T | undefined {
  const span = spans[byStart.right(spans, position) - 1];
  return span !== undefined && position < span.from + span.kept ? span : undefined;
}

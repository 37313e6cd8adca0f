// What the pointer and the wheel do on the map: a click chooses, a drag brushes what is to fill the map, the wheel zooms with Ctrl (or a pinch) and moves sideways.
import { clamp } from '../../model/numbers';
import { sightBetween, type Plot } from '../../model/plot';
import { moved, zoomed, type Sight } from '../../model/span';
import type { Box } from './marks';

export interface PointerEvents {
  /** Of the drawn map; null before there is one. */
  readonly plot: () => { readonly plot: Plot; readonly positions: number } | null;
  readonly hover: (x: number, y: number) => void;
  readonly leave: () => void;
  readonly choose: (x: number, y: number) => void;
  /** While a rectangle is drawn; null when it is done. */
  readonly brush: (box: Box | null) => void;
  readonly look: (sight: Sight) => void;
}

/** Pixels: less is a click. */
const dragFrom = 5;
/** A brush no higher than this is one over positions alone. */
const flat = 12;
/** A turn of one notch of a usual wheel is 100: a quarter less in sight. */
const zoomOf = (deltaY: number): number => Math.exp(Math.max(-200, Math.min(200, deltaY)) * 0.003);

interface Point {
  readonly x: number;
  readonly y: number;
}

export function listenToPointer(target: HTMLElement, cells: HTMLElement, events: PointerEvents): void {
  let from: Point | null = null;
  let dragging = false;
  const pointOf = (event: MouseEvent): Point => {
    const box = cells.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const inside = (point: Point): Point | null => {
    const drawn = events.plot();
    return drawn && point.x >= 0 && point.y >= 0 && point.x < drawn.plot.width && point.y < drawn.plot.height ? point : null;
  };
  const finish = (): void => {
    if (dragging) events.brush(null);
    [from, dragging] = [null, false];
  };

  target.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    from = inside(pointOf(event));
    if (from) target.setPointerCapture(event.pointerId);
  });
  target.addEventListener('pointermove', (event) => {
    const to = pointOf(event);
    const drawn = events.plot();
    if (!from || !drawn) {
      events.hover(to.x, to.y);
      return;
    }
    dragging ||= Math.hypot(to.x - from.x, to.y - from.y) >= dragFrom;
    if (!dragging) return;
    events.leave();
    events.brush(boxBetween(from, to, drawn.plot));
  });
  target.addEventListener('pointerup', (event) => {
    const drawn = events.plot();
    const to = pointOf(event);
    const [began, brushed] = [from, dragging];
    finish();
    if (!drawn || !began) return;
    if (!brushed) events.choose(to.x, to.y);
    else events.look(lookOf(drawn.plot, began, to));
  });
  target.addEventListener('pointercancel', finish);
  target.addEventListener('pointerleave', () => events.leave());
  target.addEventListener(
    'wheel',
    (event) => {
      const drawn = events.plot();
      const at = inside(pointOf(event));
      const sight = drawn && at && wheeled(event, at, drawn);
      if (!sight) return;
      event.preventDefault();
      events.leave();
      events.look(sight);
    },
    { passive: false },
  );
}

const isFlat = (a: Point, b: Point): boolean => Math.abs(a.y - b.y) < flat;

function boxBetween(from: Point, to: Point, plot: Plot): Box {
  const [x, y] = [clamp(Math.min(from.x, to.x), 0, plot.width), isFlat(from, to) ? 0 : clamp(Math.min(from.y, to.y), 0, plot.height)];
  const [right, bottom] = [clamp(Math.max(from.x, to.x), 0, plot.width), isFlat(from, to) ? plot.height : clamp(Math.max(from.y, to.y), 0, plot.height)];
  return { x, y, width: right - x, height: bottom - y };
}

function lookOf(plot: Plot, from: Point, to: Point): Sight {
  const brushed = sightBetween(plot, from, to);
  return isFlat(from, to) ? { rows: plot.sight.rows, positions: brushed.positions } : brushed;
}

/** Null where the wheel is the page's. */
function wheeled(event: WheelEvent, at: Point, { plot, positions }: { readonly plot: Plot; readonly positions: number }): Sight | null {
  const { sight } = plot;
  if (event.ctrlKey || event.metaKey) return { ...sight, positions: zoomed(sight.positions, zoomOf(event.deltaY), at.x / plot.width, positions) };
  const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
  if (sight.positions.size === positions || Math.abs(sideways) <= Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) return null;
  const by = sideways / plot.cellWidth;
  return { ...sight, positions: moved(sight.positions, Math.sign(by) * Math.max(1, Math.abs(by)), positions) };
}

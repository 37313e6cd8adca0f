// What is timed inside of the page, by its own clock.
import type { Page } from 'playwright-core';

/** Milliseconds from the arrival of the report's message to the end of the frame that shows its map. The text comes over before; parsing it belongs to VS Code's side of the message. */
export async function firstPaint(page: Page, text: string): Promise<number> {
  const message = await page.evaluateHandle((json) => JSON.parse(json) as unknown, text);
  return page.evaluate(
    (data) =>
      new Promise<number>((resolve) => {
        let arrived = 0;
        window.addEventListener('message', () => (arrived = performance.now()), { capture: true, once: true });
        const wait = (): void => {
          if ((document.querySelector<HTMLElement>('.map-cells')?.clientHeight ?? 0) === 0) {
            requestAnimationFrame(wait);
            return;
          }
          // The task after this frame's callbacks: the frame has been made.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = (): void => resolve(performance.now() - arrived);
          port2.postMessage(null);
        };
        requestAnimationFrame(wait);
        window.postMessage(data, '*');
      }),
    message,
  );
}

export type Doing = 'zoom' | 'pan' | 'point';

/** An event of the pointer in every frame, `count` of them, on the map; milliseconds from frame to frame. */
export function framesWhile(page: Page, doing: Doing, count: number): Promise<number[]> {
  return page.evaluate(
    ([what, frames]) =>
      new Promise<number[]>((resolve) => {
        const cells = document.querySelector<HTMLElement>('.map-cells');
        const grid = document.querySelector<HTMLElement>('.map-grid');
        if (!cells || !grid) throw new Error('there is no map');
        const box = cells.getBoundingClientRect();
        const at = (i: number): { clientX: number; clientY: number; bubbles: true; cancelable: true } => ({ clientX: box.left + box.width * (0.1 + 0.8 * Math.abs(Math.sin(i / 17))), clientY: box.top + box.height * 0.4, bubbles: true, cancelable: true });
        const act = {
          zoom: (i: number) => new WheelEvent('wheel', { ...at(i), deltaY: i % 60 < 30 ? -60 : 60, ctrlKey: true }),
          pan: (i: number) => new WheelEvent('wheel', { ...at(i), deltaX: i % 60 < 30 ? 45 : -45 }),
          point: (i: number) => new PointerEvent('pointermove', at(i)),
        }[what];
        if (what === 'pan') for (let i = 0; i < 5; i += 1) grid.dispatchEvent(new WheelEvent('wheel', { ...at(0), deltaY: -150, ctrlKey: true }));
        const betweenMs: number[] = [];
        let before = 0;
        let i = 0;
        const step = (): void => {
          const now = performance.now();
          if (before > 0) betweenMs.push(now - before);
          before = now;
          if (i >= frames) {
            resolve(betweenMs);
            return;
          }
          // In a task of its own, as the events of a real pointer: when the frame has been laid out, and not in the midst of it.
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = (): void => void grid.dispatchEvent(act(i));
          port2.postMessage(null);
          i += 1;
          requestAnimationFrame(step);
        };
        requestAnimationFrame(step);
      }),
    [doing, count] as const,
  );
}

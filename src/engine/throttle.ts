// Progress comes faster than anyone can read; the last word of every interval is passed on.

/** Calls `emit` at once and then at most every `intervalMs`, with the newest value; `flush` passes on what still waits and ends the timer. */
export function throttle<T>(emit: (value: T) => void, intervalMs: number): { push: (value: T) => void; flush: () => void } {
  let timer: NodeJS.Timeout | undefined;
  let waiting: { value: T } | undefined;
  const send = (): void => {
    if (waiting !== undefined) emit(waiting.value);
    waiting = undefined;
  };
  const tick = (): void => {
    timer = waiting === undefined ? undefined : setTimeout(tick, intervalMs);
    send();
  };
  return {
    push(value): void {
      waiting = { value };
      if (timer !== undefined) return;
      send();
      timer = setTimeout(tick, intervalMs);
    },
    flush(): void {
      clearTimeout(timer);
      timer = undefined;
      send();
    },
  };
}

// Processor time that programs other than the bench used, which is what disturbs a measurement.
import { cpus } from 'node:os';
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/** Time of all cores that was not idle, in ms. */
function busyMs(): number {
  return cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);
}

function ownMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Runs `work`; gives its value and the cores that others used meanwhile. `childMs` is the processor time of the children so far. */
export async function besides<T>(childMs: () => number, work: () => Promise<T>): Promise<{ value: T; othersCores: number }> {
  const before = { busy: busyMs(), own: ownMs() + childMs(), at: performance.now() };
  const value = await work();
  const others = busyMs() - before.busy - (ownMs() + childMs() - before.own);
  return { value, othersCores: Math.max(0, others) / (performance.now() - before.at) };
}

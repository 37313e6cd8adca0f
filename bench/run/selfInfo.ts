// What a process knows of itself.
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Idle, Memory } from './protocol';

/** /proc/self/status where there is one. */
function status(): ReadonlyMap<string, number> {
  try {
    const text = readFileSync('/proc/self/status', 'utf8');
    return new Map([...text.matchAll(/^(\w+):\s+(\d+) kB$/gm)].map(([, name = '', kilobytes]) => [name, Number(kilobytes) * 1024]));
  } catch {
    return new Map();
  }
}

export function memoryNow(): Memory {
  const found = status();
  return { resident: found.get('VmRSS') ?? process.memoryUsage.rss(), anonymous: found.get('RssAnon') ?? null, file: found.get('RssFile') ?? null };
}

/** Threads that spin a while after their work have gone to sleep by then. */
const settleMs = 200;

/** Waits until what nobody holds any more is no part of the process: of this, garbage is not counted. Buffers are freed beside the collection. */
export async function collected(): Promise<void> {
  globalThis.gc?.();
  await sleep(settleMs);
}

const idleMs = 2000;

/** Processor time that this process used while it had nothing to do for two seconds. */
export async function idleCpu(): Promise<Idle> {
  await sleep(settleMs);
  const before = process.cpuUsage();
  await sleep(idleMs);
  const { user, system } = process.cpuUsage(before);
  return { cpuMs: (user + system) / 1000, ms: idleMs };
}

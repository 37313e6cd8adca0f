// Which switches promise the same bytes at every width, batch, thread count and instruction set. The first value of each is the one to choose.

export const exactPromise: Readonly<Record<string, readonly [string, ...string[]]>> = {
  matmul: ['exact'],
  attention: ['exact'],
  prefillAttention: ['auto', 'exact'],
  delta: ['recurrent'],
  rope: ['row'],
};

/** Whether resolved switches promise that bytes do not depend on the shape of a call. An engine without such kernels never promises it. */
export function promisesExact(switches: Readonly<Record<string, string | number>>): boolean {
  return Object.entries(exactPromise).every(([name, values]) => values.includes(String(switches[name] ?? '')));
}

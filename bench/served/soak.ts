// Many requests of which some clients go: nothing may stay behind, no request may hang, and memory stands still.
import { setTimeout as pause } from 'node:timers/promises';
import type { Server } from './server';

/** Requests that are under way together: more than the server runs at once, so that some wait. */
const inFlight = 16;
const abortedShare = 20;
const samples = 20;
const mb = (bytes: number): string => (bytes / 1e6).toFixed(1);

/** Lines to print. Throws where a request fails or hangs. */
export async function soak(server: Server, requests: number): Promise<string[]> {
  const began = performance.now();
  const memory: { server: number; engine: number }[] = [];
  let [sent, aborted, tokens] = [0, 0, 0];
  const one = async (): Promise<void> => {
    for (let number = sent++; number < requests; number = sent++) {
      const gone = number % abortedShare === 0 ? new AbortController() : null;
      // A client that goes does so at another moment each time: in the queue, in the prompt, between two tokens.
      const timer = gone === null ? undefined : setTimeout(() => gone.abort(), (number / abortedShare) % 40);
      const prompt = `// request ${number % 500}\nexport function f${number % 97}(`;
      const body = { model: 'target-4bit', prompt, max_tokens: 4 + (number % 9), temperature: number % 3 === 0 ? 0.8 : 0, seed: number, ignore_eos: true, ...(number % 4 === 0 ? { cache: 'off' } : {}), ...(number % 5 === 0 ? { speculation: 'off' } : {}) };
      const { tokens: more } = await server.complete(body, gone?.signal);
      tokens += more;
      clearTimeout(timer);
      if (gone?.signal.aborted === true) aborted += 1;
      if (number % Math.ceil(requests / samples) === 0) memory.push(server.memory());
    }
  };
  await Promise.all(Array.from({ length: inFlight }, one));
  const wall = performance.now() - began;
  // What was left by clients that went is dropped between two steps.
  await pause(1000);
  const { waiting, running } = await server.state();
  memory.push(server.memory());
  const half = memory.slice(Math.floor(memory.length / 2));
  const range = (of: (sample: { server: number; engine: number }) => number): string => `${mb(Math.min(...half.map(of)))} to ${mb(Math.max(...half.map(of)))} MB in the second half (${mb(of(memory[0] ?? { server: 0, engine: 0 }))} at the start, ${mb(of(memory.at(-1) ?? { server: 0, engine: 0 }))} at the end)`;
  return [
    `${requests} requests in ${(wall / 1000).toFixed(0)} s, ${aborted} of them broken off by their clients, ${tokens} tokens; afterwards ${running} run and ${waiting} wait`,
    `memory of the server process: ${range((sample) => sample.server)}`,
    `memory of the engine process: ${range((sample) => sample.engine)}`,
  ];
}

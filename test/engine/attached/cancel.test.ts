// A server that does not answer is given up in the real engine process, which goes on.
import { afterAll, expect, it } from 'vitest';
import { asProblem } from '../../../src/extension/problem';
import { ProcessEngine } from '../../../src/extension/processEngine';
import { processPath } from '../product';
import { listening } from './support';

const log = { info: () => undefined, warn: () => undefined };
const engine = new ProcessEngine(processPath, log, { pingMs: 1000, hangMs: 60_000, idleMs: () => 60_000 });
afterAll(() => engine.dispose());

it('ends the request that is open when the user gives up', async () => {
  const given = new AbortController();
  let left: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => (left = resolve));
  const { url, close } = await listening((request) => {
    request.socket.once('close', () => left());
    given.abort();
  });
  try {
    const problem = await engine.attach({ url, model: '', token: '' }, given.signal).then(() => null, asProblem);
    expect(problem?.data.kind).toBe('cancelled');
    await gone;
    const { pid } = engine;
    const early = await engine.attach({ url, model: '', token: '' }, AbortSignal.abort()).then(() => null, asProblem);
    expect([early?.data.kind, engine.pid]).toEqual(['cancelled', pid]);
  } finally {
    await close();
  }
});

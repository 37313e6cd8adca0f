// What fails ends the requests that were in it, and only those.
import { afterEach, expect, it } from 'vitest';
import { Scheduler } from '../../../src/engine/serving/scheduler';
import type { GenerateRequest, Outcome } from '../../../src/engine/serving/request';
import type { Model, Session } from '../../../src/engine/types';
import { delegate, modelWith } from '../speculation/broken';
import { alone, exact, prompts, request } from './support';

const open: Scheduler[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

function scheduler(model: Model): Scheduler {
  const made = new Scheduler({ model, switches: exact, speculation: null, most: 4, pieceTokens: 64, cache: { entries: 4, tokens: 4096 }, captures: null });
  open.push(made);
  return made;
}

async function ask(on: Scheduler, asked: GenerateRequest): Promise<{ ids: number[]; outcome: Outcome }> {
  const ids: number[] = [];
  const outcome = await on.generate(asked, { signal: new AbortController().signal, onPrompt: () => undefined, onDelta: ({ tokens }) => void ids.push(...tokens.map(({ id }) => id)) });
  return { ids, outcome };
}

const broken = (parts: (session: Session) => Partial<Session>): Model => modelWith(async (start) => delegate(await start(), parts));
const full = (): Promise<never> => Promise.reject(new Error('no memory'));

it('a batch that cannot take a row ends that request alone, and later ones run', async () => {
  const on = scheduler(broken(() => ({ join: full })));
  const [first, second] = await Promise.allSettled([ask(on, request(prompts[0]!)), ask(on, request(prompts[1]!))]);
  expect(first).toMatchObject({ status: 'fulfilled', value: { ids: await alone(prompts[0]!) } });
  expect(second).toMatchObject({ status: 'rejected', reason: { message: 'no memory' } });
  expect((await ask(on, request(prompts[2]!))).ids).toEqual(await alone(prompts[2]!));
  expect(on.state).toMatchObject({ waiting: 0, running: 0 });
});

it('a cache that has no room costs no answer', async () => {
  const on = scheduler(broken(() => ({ fork: full })));
  expect((await ask(on, request(prompts[5]!, { cache: true }))).ids).toEqual(await alone(prompts[5]!));
  expect(on.state.cachedPrefixes).toBe(0);
});

it('a forward that fails ends the requests in it, and later ones run', async () => {
  let fails = true;
  const on = scheduler(broken((session) => ({ decode: (ids, options) => (fails ? Promise.reject(new Error('out of order')) : session.decode(ids, options)) })));
  await expect(ask(on, request(prompts[0]!))).rejects.toThrow('out of order');
  fails = false;
  expect((await ask(on, request(prompts[0]!))).ids).toEqual(await alone(prompts[0]!));
});

it('what is open when it closes ends as cancelled', async () => {
  const on = scheduler(broken(() => ({})));
  const asked = ask(on, request(prompts[0]!, { maxTokens: 1000 }));
  await new Promise((resolve) => setTimeout(resolve, 100));
  await Promise.all([on.close(), expect(asked).rejects.toThrow('The run was cancelled')]);
});

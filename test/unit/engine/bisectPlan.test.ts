// Which tokens are compared, and what is refused before work starts.
import { describe, expect, it } from 'vitest';
import { sourcesOf } from '../../../src/engine/probes/bisectPlan';
import { checkSwitches } from '../../../src/engine/probes/checkSwitches';
import { Problem } from '../../../src/engine/problem';
import type { BisectExperiment } from '../../../src/shared/experiment';
import { type Faults, ReferenceEngine } from './referenceEngine';
import { experimentOf } from './support';

async function sources(changes: Partial<BisectExperiment>, faults: Faults = {}): ReturnType<typeof sourcesOf> {
  return sourcesOf(await new ReferenceEngine(faults).load('model'), experimentOf(changes));
}

async function refusal(changes: Partial<BisectExperiment>, faults: Faults = {}): Promise<Problem> {
  const thrown: unknown = await sources(changes, faults).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(Problem);
  return thrown as Problem;
}

describe('synthetic ids', () => {
  it('follow the strides, offsets and salts of block-against-chain probes', async () => {
    const [first, second, walk] = await sources({ widths: [4], input: { type: 'draws', draws: 2, promptLength: 3 }, walk: 5 });
    // vocab 40; salt 1, then 978
    expect(first).toMatchObject({ kind: 'draw', draw: 0, promptIds: [2, 9, 16], following: [4, 17, 30, 3] });
    expect(second).toMatchObject({ draw: 1, promptIds: [979 % 40, 986 % 40, 993 % 40], following: [981 % 40, 994 % 40, 1007 % 40, 1020 % 40] });
    expect(walk).toMatchObject({ kind: 'walk', promptIds: [5, 12, 19], following: [11, 42 % 40, 73 % 40, 104 % 40, 135 % 40] });
  });

  it('are as long as the widest block', async () => {
    const [draw] = await sources({ widths: [2, 16, 4] });
    expect(draw?.following).toHaveLength(16);
    expect(draw?.tokens(4)).toBe(4);
  });
});

describe('refusals', () => {
  it('name an id beyond the vocabulary and where it stands', async () => {
    const { data } = await refusal({ input: { type: 'ids', ids: [0, 39, 40] } });
    expect(data).toMatchObject({ kind: 'input', title: 'Token id 40 is beyond the vocabulary of 40', place: 'prompt, entry 2', action: 'Use ids from 0 to 39.' });
  });

  it('say how long a prompt may be', async () => {
    const ids = Array.from({ length: 60 }, () => 1);
    const { data } = await refusal({ input: { type: 'ids', ids }, walk: 10 }, { context: 64 });
    expect(data.title).toBe("The prompt of 60 tokens and the 10 after it are beyond the model's context of 64");
    expect(data.action).toContain('at most 54 tokens');
    await expect(sources({ input: { type: 'ids', ids: ids.slice(6) }, walk: 10 }, { context: 64 })).resolves.toHaveLength(2);
  });

  it('hold for synthetic prompts as well', async () => {
    const { data } = await refusal({ input: { type: 'draws', draws: 1, promptLength: 63 }, widths: [2] }, { context: 64 });
    expect(data.title).toContain('beyond the model');
  });

  it('ask for ids where there is no tokenizer', async () => {
    const { data } = await refusal({ input: { type: 'text', text: 'x' } }, { noTokenizer: true });
    expect(data.title).toContain('no tokenizer');
    expect(data.action).toContain('token ids');
  });

  it('list the switches, and the values of one', async () => {
    const { info } = await new ReferenceEngine().load('model');
    const check = (switches: BisectExperiment['switches']): void => checkSwitches(switches, info);
    expect(() => check({ warp: 'fast' })).toThrow('There is no switch "warp"');
    expect(() => check({ matmul: 'fast' })).toThrow('matmul cannot be "fast"');
    expect(() => check({ threads: 1.5 })).toThrow('threads cannot be 1.5');
    expect(() => check({ threads: 10_000 })).not.toThrow();
    expect(() => check({ threads: 'two' })).toThrow('threads cannot be "two"');
    expect(() => check({ threads: 4, matmul: 'qmm' })).not.toThrow();
  });
});

// The table of the bench, from a document with fixed times.
import { describe, expect, it } from 'vitest';
import { goalsOf, type Goal } from '../../../bench/results/goals';
import { boundOf, limitRate, overRounds } from '../../../bench/results/limit';
import { markdownOf } from '../../../bench/results/markdown';
import { reportLines, warningsOf } from '../../../bench/results/print';
import { Raw, type Arm, type Turn } from '../../../bench/results/raw';
import { median } from '../../../bench/results/stats';

const giga = 1e9;
const memory = (resident: number) => ({ resident, anonymous: resident / 2, file: resident / 2 });

function turn(scale: number, others = 0): Turn {
  return { round: 0, threads: 2, othersCores: others, decode: [20 * scale, 21 * scale, 400], blocks: [[25 * scale], [60 * scale]], prefill: [1000 * scale] };
}

function arm(engine: Arm['engine'], turns: Turn[], resident: number): Arm {
  return { engine, format: engine === 'moire' ? 'mlx' : 'q4_0', weightBytes: 200e6, turns, memory: { before: memory(50e6), after: memory(resident) }, idle: { cpuMs: 1, ms: 2000 } };
}

/** 200 MB at 10 GB/s: 20 ms. 1 G multiply-adds at 100 G/s: 10 ms. */
function raw(changes: Partial<Raw> = {}): Raw {
  return Raw.parse({
    format: 'moire-bench',
    version: 1,
    date: '2026-01-02T03:04:05.678Z',
    quick: false,
    rounds: 2,
    threads: 2,
    machine: { cpu: 'a CPU', isa: 'avx2', features: [], cores: 2, memoryBytes: 1, system: 'Linux', node: '20' },
    moire: { version: '0.1.0', git: 'abc', compiler: 'rustc', switches: { matmul: 'exact' } },
    llama: { package: 'llama@1', version: '0.4', ggml: '0.2', commit: 'def', variant: 'haswell', system: '' },
    llamaMissing: '',
    limits: [{ threads: 2, rounds: [{ read: [1, 10 * giga], int16: [100 * giga, 3], fp32: [50 * giga] }, { read: [10 * giga], int16: [100 * giga], fp32: [50 * giga] }] }],
    models: [
      {
        name: 'dense',
        describes: 'a shape',
        multiplyAdds: { layers: 0.8 * giga, head: 0.2 * giga },
        widths: [2, 16],
        context: 64,
        prefill: 100,
        stateBytes: 0,
        arms: [arm('moire', [turn(1), turn(1.1)], 260e6), arm('llama', [turn(2), turn(2.2)], 600e6)],
        agreement: { tokens: 32, relativeDistance: 0.01, sameBest: true },
        profile: [{ figure: 'verify W = 16', calls: 1, ms: 60, engineMs: 58, ops: [{ op: 'q_proj', linear: true, ms: 50 }, { op: 'attention_core', linear: false, ms: 5 }] }],
        capture: [{ mode: 'bytes', plain: [20, 20], captured: [22, 22] }],
        bisect: { bisect: [140], forwards: [100], calls: 9 },
      },
    ],
    diff: { bytes: giga, ms: [120, 110, 130] },
    ...changes,
  });
}

const goal = (goals: readonly Goal[], figure: string): Goal => {
  const found = goals.find((one) => one.figure === figure);
  if (found === undefined) throw new Error(`no goal "${figure}" among ${goals.map((one) => one.figure).join('; ')}`);
  return found;
};

describe('what the machine allows', () => {
  it('takes the best try of a round and the median of the rounds', () => {
    expect(limitRate(raw(), 2, 'read')).toEqual({ median: 10 * giga, least: 10 * giga, most: 10 * giga });
    expect(limitRate(raw(), 8, 'read')).toBeNull();
  });

  it('is bound by memory or by multiplications', () => {
    expect(boundOf(raw(), 2, 200e6, giga)).toEqual({ ms: 20, readMs: 20, multiplyMs: 10 });
    expect(boundOf(raw(), 2, 200e6, 16 * giga).ms).toBe(160);
    expect(boundOf(raw(), 8, 1, 1).ms).toBeNaN();
  });

  it('counts a disturbed call and a disturbed round once', () => {
    expect(overRounds([[1, 2, 900], [3], [], [500, 500]])).toEqual({ median: 3, least: 2, most: 500 });
    expect(overRounds([])).toBeNull();
    expect(median([4, 1])).toBe(2.5);
    expect(median([])).toBeNaN();
  });
});

describe('goals', () => {
  const goals = goalsOf(raw());

  it('hold decode, blocks and prefill against the limit', () => {
    expect(goal(goals, 'dense · decode, share of L(1)')).toMatchObject({ value: '91%', verdict: 'met' });
    expect(goal(goals, 'dense · verify W = 2, share of L(2)')).toMatchObject({ value: '76%', verdict: 'met' });
    expect(goal(goals, 'dense · prefill 100, share of the int16 peak')).toMatchObject({ value: '76%', verdict: 'aim met' });
  });

  it('hold Moire against llama.cpp of the same run', () => {
    expect(goal(goals, 'dense · decode, speed of llama.cpp')).toMatchObject({ value: '2.00x', verdict: 'aim met' });
    expect(goal(goals, 'dense · verify W = 2, block / decode')).toMatchObject({ value: '1.19x', must: "<= 1.19x (llama.cpp's)" });
    expect(goal(goals, 'dense · prefill 100, speed of llama.cpp')).toMatchObject({ verdict: 'aim met' });
  });

  it('say what bounds a figure that misses its must', () => {
    const slow = raw();
    slow.models[0]!.arms[0] = arm('moire', [turn(9)], 260e6);
    const missed = goal(goalsOf(slow), 'dense · verify W = 16, share of L(16)');
    expect(missed.verdict).toBe('not met');
    expect(missed.why).toMatch(/reading the weights takes 20.0 ms at best, their multiplications 160.0 ms.*linear layers 50.0 ms, attention_core 5.00 ms.*job and binding 2.00 ms/);
    expect(goal(goals, 'dense · decode, share of L(1)').why).toBe('');
  });

  it('hold capture, bisect, diff, memory and idle time', () => {
    expect(goal(goals, 'dense · all taps (bytes), decode over no capture')).toMatchObject({ value: '10%', verdict: 'met' });
    expect(goal(goals, 'dense · bisect W = 8 over its pure forwards')).toMatchObject({ value: '1.40x', verdict: 'met' });
    expect(goal(goals, 'diff of two equal 256 MB tensors, share of read bandwidth')).toMatchObject({ value: '83%', verdict: 'met' });
    expect(goal(goals, 'dense · memory over weights and KV')).toMatchObject({ value: '5%', verdict: 'aim met' });
    expect(goal(goals, 'dense · idle CPU')).toMatchObject({ value: '0%', verdict: 'aim met' });
  });

  it('leave llama.cpp out where it did not run', () => {
    const alone = goalsOf(raw({ llama: null, llamaMissing: '--no-llama was given' }));
    expect(alone.filter(({ figure, must }) => (figure + must).includes('llama'))).toEqual([]);
    expect(reportLines(raw({ llama: null, llamaMissing: '--no-llama was given' })).join('\n')).toContain('llama.cpp was not run: --no-llama was given');
  });
});

describe('the page and the terminal', () => {
  it('show the ratio of each figure and where it comes from', () => {
    const text = reportLines(raw()).join('\n');
    expect(text).toMatch(/verify W = 16 +63.0 \(60.0-66.0\) +126 \(120-132\) +2.00x/);
    expect(text).toContain('kernels "haswell"');
    expect(text).toContain('the best token is the same');
    expect(markdownOf(raw())).toContain('| decode | 22.1');
  });

  it('warn when other programs ran', () => {
    expect(warningsOf(raw())).toEqual([]);
    const disturbed = raw();
    disturbed.models[0]!.arms[0]!.turns.push(turn(1, 0.8));
    expect(warningsOf(disturbed)[0]).toContain('during 1 of 5 turns (up to 0.8 cores)');
  });
});

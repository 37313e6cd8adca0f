import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { BisectRun, MapRow } from '../../../src/shared/report';
import { along, differingNode, laneOf, piecesOf, type Lane, type LaneKey } from '../../../src/webview/model/lane';
import { laneTaps } from '../../../src/webview/model/laneTaps';
import { tapList, type TapRow } from '../../../src/webview/model/tapList';
import { random } from '../../view/random';
import { bisectRun, randomReport } from '../../view/reports';

const tap = (name: string, state: TapRow['state'] = 'equal'): TapRow => ({ tap: name, state, differing: state === 'differs' ? 0 : -1, bytes: 384, differingBytes: 0, maxUlp: 0, relL2: 0, kernel: undefined });
const lane = (kind: MapRow['kind'], ...names: readonly string[]): Lane => laneOf(kind, names.map((name) => tap(name)));
const known = (kind: MapRow['kind']): readonly string[] => Object.keys(laneTaps[kind]);
const at = ({ nodes }: Lane, name: string): number => nodes.findIndex((node) => node.tap === name);
const namesAt = ({ nodes }: Lane, places: readonly number[] | undefined): (string | undefined)[] => (places ?? []).map((place) => nodes[place]?.tap);
const made = (of: Lane, name: string): (string | undefined)[] => namesAt(of, of.nodes[at(of, name)]?.from);
const moved = (of: Lane, name: string, key: LaneKey): string | undefined => of.nodes[along(of, at(of, name), key)]?.tap;

/** The taps of the engine with the kinds of layer that make them, from its own table. */
function engineTaps(): Map<string, readonly string[]> {
  const source = readFileSync(path.join(import.meta.dirname, '../../../native/crates/engine/src/taps.rs'), 'utf8');
  const kinds: Readonly<Record<string, readonly string[]>> = { MODEL: ['model'], ATTENTION: ['attention'], DELTA: ['gated_delta'], LAYER: ['attention', 'gated_delta'] };
  return new Map([...source.matchAll(/^ {4}tap\(\s*"(\w+)",\s*(MODEL|ATTENTION|DELTA|LAYER),/gm)].map(([, name, kind]) => [name!, kinds[kind!]!]));
}

describe('the table of a lane', () => {
  it('has every tap of the engine in its kinds of row, and no other', () => {
    const taps = engineTaps();
    expect(taps.size).toBeGreaterThan(30);
    for (const kind of ['attention', 'gated_delta'] as const) expect(known(kind)).toEqual([...taps].filter(([, kinds]) => kinds.includes(kind)).map(([name]) => name));
    expect([...known('embedding'), ...known('head')]).toEqual([...taps].filter(([, kinds]) => kinds.includes('model')).map(([name]) => name));
  });

  it('lets no line run through a node that it does not end at', () => {
    for (const kind of Object.keys(laneTaps) as MapRow['kind'][]) {
      const whole = lane(kind, ...known(kind));
      piecesOf(whole).forEach((pieces, row) => {
        const through = pieces.filter(({ how }) => how === 'through').map(({ rail }) => rail);
        expect(through, `${kind} · ${whole.nodes[row]?.tap}`).not.toContain(whole.nodes[row]?.rail);
      });
    }
  });
});

describe('the lane of an attention layer', () => {
  const whole = lane('attention', ...known('attention'));

  it('has the projections in parallel, joined by the attention, and the gate beside them', () => {
    for (const name of ['q_proj', 'k_proj', 'v_proj']) expect(made(whole, name)).toEqual(['input_norm']);
    expect(made(whole, 'q_norm')).toEqual(['q_proj']);
    expect(made(whole, 'attention_core').toSorted()).toEqual(['k_rope', 'q_rope', 'v_proj']);
    expect(made(whole, 'attention_gated').toSorted()).toEqual(['attention_core', 'q_proj']);
    expect(made(whole, 'mixer_residual').toSorted()).toEqual(['layer_input', 'o_proj']);
    expect(made(whole, 'mlp_act').toSorted()).toEqual(['mlp_gate', 'mlp_up']);
    expect(made(whole, 'layer_output').toSorted()).toEqual(['mixer_residual', 'mlp_down']);
    expect(new Set(['q_proj', 'k_proj', 'v_proj'].map((name) => whole.nodes[at(whole, name)]?.rail)).size).toBe(3);
  });

  it('goes on without norms and gate where the model has none', () => {
    const bare = lane('attention', ...known('attention').filter((name) => !['q_norm', 'k_norm', 'attention_gated'].includes(name)));
    expect(bare.nodes.every(({ state }) => state === 'equal')).toBe(true);
    expect(made(bare, 'q_rope')).toEqual(['q_proj']);
    expect(made(bare, 'k_rope')).toEqual(['k_proj']);
    expect(made(bare, 'o_proj')).toEqual(['attention_core']);
  });

  it('is walked along the data and across its branches', () => {
    expect(['ArrowDown', 'ArrowUp', 'ArrowLeft', 'ArrowRight'].map((key) => moved(whole, 'k_norm', key as LaneKey))).toEqual(['k_rope', 'k_proj', 'q_norm', 'v_proj']);
    expect(moved(whole, 'q_proj', 'ArrowRight')).toBe('k_proj');
    expect(moved(whole, 'k_proj', 'ArrowRight')).toBe('v_proj');
    expect(moved(whole, 'v_proj', 'ArrowRight')).toBe('v_proj');
    expect(moved(whole, 'attention_core', 'ArrowLeft')).toBe('attention_core');
    expect(moved(whole, 'mlp_gate', 'ArrowRight')).toBe('mlp_up');
    expect(moved(whole, 'attention_core', 'ArrowUp')).toBe('q_rope');
    expect(moved(whole, 'q_proj', 'Home')).toBe('layer_input');
    expect(moved(whole, 'q_proj', 'End')).toBe('layer_output');
  });
});

describe('the lane of a gated delta layer', () => {
  it('has four projections in parallel, the convolution split in three, and the gate of the norm beside them', () => {
    const whole = lane('gated_delta', ...known('gated_delta'));
    for (const name of ['in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a']) expect(made(whole, name)).toEqual(['input_norm']);
    for (const name of ['delta_q', 'delta_k', 'delta_v']) expect(made(whole, name)).toEqual(['conv_out']);
    expect(made(whole, 'delta_core').toSorted()).toEqual(['beta', 'decay', 'delta_k', 'delta_q', 'delta_v']);
    expect(made(whole, 'delta_gated').toSorted()).toEqual(['delta_core', 'in_proj_z']);
    expect(moved(whole, 'in_proj_b', 'ArrowRight')).toBe('in_proj_a');
    expect(moved(whole, 'in_proj_b', 'ArrowDown')).toBe('beta');
  });
});

describe('what a report names otherwise', () => {
  it('gives a tap that nobody knows a rail of its own after its predecessor', () => {
    const names = known('attention').flatMap((name) => (name === 'q_norm' ? [name, 'q_scale', 'q_clip'] : [name]));
    const odd = lane('attention', ...names);
    expect(odd.nodes.map((node) => node.tap)).toEqual(names);
    expect(made(odd, 'q_scale')).toEqual(['q_norm']);
    expect(made(odd, 'q_clip')).toEqual(['q_scale']);
    expect(made(odd, 'q_rope')).toEqual(['q_norm']);
    const rail = odd.nodes[at(odd, 'q_scale')]?.rail;
    expect(odd.nodes.filter((node) => node.rail === rail).map((node) => node.tap)).toEqual(['q_scale', 'q_clip']);
  });

  it('makes a chain of taps of which it knows none, and nothing of none', () => {
    const foreign = lane('gated_delta', 'a', 'b', '__proto__', 'constructor');
    expect(foreign.nodes.map((node) => node.tap)).toEqual(['a', 'b', '__proto__', 'constructor']);
    expect(foreign.lines.map(({ from, to }) => [from, to])).toEqual([[0, 1], [1, 2], [2, 3]]);
    expect(lane('head').nodes).toEqual([]);
  });

  it('says of a tap that every such layer makes and that was not compared that it was not captured', () => {
    const some = lane('attention', 'layer_input', 'q_proj', 'attention_core', 'layer_output');
    const states = new Map(some.nodes.map(({ tap: name, state }) => [name, state]));
    expect(states.get('k_proj')).toBe('notCaptured');
    expect(states.get('q_proj')).toBe('equal');
    expect(states.has('q_norm')).toBe(false);
    expect(some.nodes.map((node) => node.tap)).toEqual(known('attention').filter((name) => !['q_norm', 'k_norm', 'attention_gated'].includes(name)));
  });

  it('never draws a line backwards', () => {
    const back = lane('attention', ...[...known('attention')].reverse());
    expect(back.nodes).toHaveLength(known('attention').length);
    for (const { from, to } of back.lines) expect(from).toBeLessThan(to);
  });

  it('does not call a tap equal that may be one of those which the size limit left out', () => {
    const run = structuredClone(bisectRun({ seed: 3, layers: 4, width: 4, first: { layer: 1, tap: 'conv', position: 0 }, spread: 1 }));
    const { differing } = run;
    const cell = { row: 3, position: 2 };
    const lost = differing.tap.findIndex((name, i) => differing.row[i] === cell.row && differing.position[i] === cell.position && name === 'mlp_up');
    for (const column of Object.values(differing) as unknown[][]) column.splice(lost, 1);
    const states = new Map(tapList(run, cell.row, cell.position).map(({ tap: name, state }) => [name, state]));
    expect(states.get('mlp_up')).toBe('notListed');
    expect(states.get('mlp_gate')).toBe('differs');
    expect(new Set(tapList(run, cell.row, cell.position - 1).map(({ state }) => state))).toEqual(new Set(['differs']));
  });
});

/** A run with taps that no table knows, lost and in another order. */
function shuffled(seed: number): BisectRun {
  const r = random(seed);
  const run = structuredClone(randomReport(seed).bisect.runs[0]!);
  const renamed = new Map<string, string>();
  for (const [kind, names] of Object.entries(run.tapsCompared)) {
    const odd = names.map((name) => {
      const other = r.next() < 0.2 ? `odd_${kind}_${name}` : name;
      renamed.set(`${kind} ${name}`, other);
      return other;
    });
    run.tapsCompared[kind] = r.next() < 0.3 ? odd.toSorted() : odd;
  }
  run.differing.tap = run.differing.tap.map((name, i) => renamed.get(`${run.rows[run.differing.row[i]!]!.kind} ${name}`) ?? name);
  return run;
}

describe('for random runs', () => {
  it('draws every compared tap once, and as differing those that differ', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const run = shuffled(seed);
      const r = random(seed + 1000);
      for (let i = 0; i < 20; i++) {
        const [row, position] = [r.whole(0, run.rows.length), r.whole(0, run.cells.positions)];
        const { kind } = run.rows[row]!;
        const { nodes, first } = laneOf(kind, tapList(run, row, position));
        const compared = nodes.filter(({ state }) => state !== 'notCaptured').map((node) => node.tap);
        expect(compared).toEqual(run.tapsCompared[kind]);
        const due = run.differing.tap.filter((_, j) => run.differing.row[j] === row && run.differing.position[j] === position);
        const drawn = nodes.filter(({ state }) => state === 'differs');
        expect(drawn.map((node) => node.tap).toSorted()).toEqual(due.toSorted());
        expect(first).toBe(nodes.findIndex((node) => due.includes(node.tap)));
      }
    }
  });

  it('reaches every tap that differs, forwards and backwards', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const run = shuffled(seed);
      const row = run.rows.length - 2;
      const cell = laneOf(run.rows[row]!.kind, tapList(run, row, run.cells.positions - 1));
      const due = cell.nodes.flatMap(({ state }, i) => (state === 'differs' ? [i] : []));
      const walk = (from: number, step: 1 | -1): number[] => {
        const next = differingNode(cell, from, step);
        return next < 0 ? [] : [next, ...walk(next, step)];
      };
      expect(walk(-1, 1)).toEqual(due);
      expect(walk(cell.nodes.length, -1)).toEqual(due.toReversed());
    }
  });
});

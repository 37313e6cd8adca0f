// First place, limits and missing taps of the tap collector.
import { describe, expect, it } from 'vitest';
import { caps, mapRows, TapCollector } from '../../../src/engine/probes/bisectTaps';
import type { ModelInfo, Tap, TensorDiff } from '../../../src/engine/types';
import { diffValues, ReferenceTensor } from './referenceTensor';

const info = {
  layers: [{ index: 0, kind: 'attention' }, { index: 1, kind: 'attention' }],
  taps: [{ name: 'embedding', kinds: ['model'], describes: '' }, { name: 'early', kinds: ['attention'], describes: '' }, { name: 'late', kinds: ['attention'], describes: '' }, { name: 'state', kinds: ['gated_delta'], describes: '' }],
} satisfies Pick<ModelInfo, 'layers' | 'taps'>;

const rows = mapRows(info as unknown as ModelInfo);
const same = diffValues(Float32Array.of(1, 2), Float32Array.of(1, 2), caps.tileElements);
const other = diffValues(Float32Array.of(1, 2), Float32Array.of(1, 3), 2);
const kernels = (layer: number, op: string): { a: string; b: string } => ({ a: `${layer} ${op}`, b: 'b' });

function tap(layer: number, name: string): Tap {
  const tensor = new ReferenceTensor([1, 2], Float32Array.of(1, 2));
  tensor.close();
  return { layer, tap: name, tensor };
}

function collect(positions: readonly (readonly [Tap, TensorDiff][])[]): TapCollector {
  const collector = new TapCollector(info, rows, positions.length);
  for (const pairs of positions) collector.addPosition(pairs.map(([one]) => one), pairs.map(([, diff]) => diff));
  return collector;
}

describe('the first place', () => {
  it('goes by row before position, and by op before position', () => {
    const early: readonly [Tap, TensorDiff][] = [[tap(0, 'early'), same], [tap(0, 'late'), same], [tap(1, 'early'), other]];
    const later: readonly [Tap, TensorDiff][] = [[tap(0, 'early'), same], [tap(0, 'late'), other], [tap(1, 'early'), other]];
    const last: readonly [Tap, TensorDiff][] = [[tap(0, 'early'), other], [tap(0, 'late'), other], [tap(1, 'early'), other]];
    expect(collect([early, later]).parts(kernels).first).toMatchObject({ row: 1, layer: 0, tap: 'late', position: 1, kernelA: '0 late' });
    expect(collect([early, later, last]).parts(kernels).first).toMatchObject({ layer: 0, tap: 'early', position: 2, element: 1, a: 2, b: 3 });
  });

  it('is none where nothing differs', () => {
    const parts = collect([[[tap(0, 'early'), same]]]).parts(kernels);
    expect(parts.first).toBeNull();
    expect(parts.differing.row).toEqual([]);
    expect(parts.capped).toBeUndefined();
  });
});

describe('limits', () => {
  it('keep the first difference of every cell a tile before others get one, and say how many have none', () => {
    const many = Array.from({ length: 3 * caps.tiles }, (): [Tap, TensorDiff] => [tap(0, 'late'), other]);
    const parts = collect([many, [[tap(1, 'early'), other]]]).parts(kernels);
    expect(parts.tiles.length).toBeLessThanOrEqual(caps.tiles);
    expect(parts.differing.tile.at(-1)).toBeGreaterThan(0);
    expect(parts.capped).toEqual({ taps: 0, tiles: 3 * caps.tiles + 1 - parts.tiles.length });
  });

  it('count differing taps that are not listed, and still find the first', () => {
    const flood = Array.from({ length: caps.taps + 5 }, (): [Tap, TensorDiff] => [tap(1, 'late'), other]);
    const parts = collect([flood, [[tap(0, 'early'), other]]]).parts(kernels);
    expect(parts.differing.row).toHaveLength(caps.taps);
    expect(parts.capped?.taps).toBe(6);
    expect(parts.first).toMatchObject({ layer: 0, tap: 'early', position: 1 });
    expect(parts.cells.differingBytes.reduce((sum, bytes) => sum + bytes, 0)).toBe((caps.taps + 6) * other.differingBytes);
  });
});

it('names taps of the model that never came, not those of layer kinds it does not have', () => {
  expect(collect([[[tap(0, 'early'), same]]]).missing()).toEqual(['embedding', 'late']);
});

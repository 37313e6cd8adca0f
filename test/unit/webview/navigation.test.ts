import { describe, expect, it } from 'vitest';
import { bisectGrid } from '../../../src/webview/model/bisectGrid';
import { differing, moved } from '../../../src/webview/model/navigation';
import { bisectRun } from '../../view/reports';

const grid = bisectGrid(bisectRun({ seed: 5, layers: 4, width: 8, first: { layer: 1, tap: 'conv', position: 2 }, spread: 0.2 }));
const at = (row: number, position: number): { row: number; position: number } => ({ row, position });
const press = (key: string, from = at(2, 3), ctrl = false): unknown => moved(grid, from, { key, ctrl });

describe('keys', () => {
  it('move by one and stop at the edges', () => {
    expect(press('ArrowUp')).toEqual(at(1, 3));
    expect(press('ArrowDown')).toEqual(at(3, 3));
    expect(press('ArrowLeft')).toEqual(at(2, 2));
    expect(press('ArrowRight')).toEqual(at(2, 4));
    expect(press('ArrowUp', at(0, 0))).toEqual(at(0, 0));
    expect(press('ArrowLeft', at(0, 0))).toEqual(at(0, 0));
    expect(press('ArrowDown', at(5, 7))).toEqual(at(5, 7));
    expect(press('ArrowRight', at(5, 7))).toEqual(at(5, 7));
    expect(press('PageDown')).toEqual(at(5, 3));
  });

  it('go to the ends of the row, with Ctrl of the map', () => {
    expect(press('Home')).toEqual(at(2, 0));
    expect(press('End')).toEqual(at(2, 7));
    expect(press('Home', at(2, 3), true)).toEqual(at(0, 0));
    expect(press('End', at(2, 3), true)).toEqual(at(5, 7));
  });

  it('go to the first divergence', () => {
    expect(press('f')).toMatchObject({ row: grid.first!.row, position: 2 });
  });

  it('leave other keys alone', () => {
    for (const key of ['a', 'Tab', 'Enter', 'Escape', 'F1']) expect(press(key)).toBeNull();
  });
});

describe('next and previous differing cell', () => {
  const cells = [...grid.values('bytes')].flatMap((bytes, cell) => (bytes > 0 ? [at(Math.floor(cell / 8), cell % 8)] : []));

  it('visit every differing cell once a round, in data order, both ways', () => {
    for (const step of [1, -1] as const) {
      const visited = [cells[0]!];
      while (visited.length < cells.length) visited.push(differing(grid, visited.at(-1)!, step));
      expect(step === 1 ? visited : [visited[0], ...visited.slice(1).reverse()]).toEqual(cells);
      expect(differing(grid, visited.at(-1)!, step)).toEqual(cells[0]);
    }
  });

  it('start from an equal cell', () => {
    expect(differing(grid, at(0, 0), 1)).toEqual(cells[0]);
    expect(differing(grid, at(0, 0), -1)).toEqual(cells.at(-1));
  });

  it('stay where nothing differs', () => {
    const equal = bisectGrid(bisectRun({ seed: 1, layers: 4, width: 4, first: null }));
    expect(differing(equal, at(1, 2), 1)).toEqual(at(1, 2));
    expect(moved(equal, at(1, 2), { key: 'f', ctrl: false })).toBeNull();
  });
});

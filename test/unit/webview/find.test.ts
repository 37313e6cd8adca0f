import { describe, expect, it } from 'vitest';
import { bisectGrid, tapNamed } from '../../../src/webview/model/bisectGrid';
import { found, rangeInWords } from '../../../src/webview/model/find';
import { timelineGrid } from '../../../src/webview/model/timeline';
import { bisectRun } from '../../view/reports';

const run = bisectRun({ seed: 5, layers: 8, width: 8, positions: 40, first: { layer: 1, tap: 'conv', position: 2 }, spread: 0.05 });
const grid = bisectGrid(run);
const start = { row: 0, position: 3 };
const go = (text: string, from = start): unknown => found(grid, from, text);

describe('a place on a map', () => {
  it.each([
    ['layer 7', { row: 8, position: 3 }],
    ['Layer  7, pos 12', { row: 8, position: 12 }],
    ['position 12, head', { row: 9, position: 12 }],
    ['token 39', { row: 0, position: 39 }],
    ['layer 7 pos 12', { row: 8, position: 12 }],
    ['head token 39', { row: 9, position: 39 }],
    ['  12 ', { row: 0, position: 12 }],
    ['embedding', { row: 0, position: 3 }],
  ])('%s', (text, cell) => {
    expect(go(text)).toEqual(cell);
  });

  it.each(['', ' ', 'layer 8', 'pos 40', '40', 'pos -1', 'no_such_tap', 'layer 7, nonsense'])('none for "%s"', (text) => {
    expect(go(text)).toBeNull();
  });

  it('of a tap that differs is the next one, round and round', () => {
    const named = run.differing.tap.flatMap((tap, i) => (tap.includes('conv') ? [run.differing.row[i]! * 40 + run.differing.position[i]!] : []));
    const cells = [...new Set(named)].toSorted((a, b) => a - b);
    expect(cells.length).toBeGreaterThan(2);
    let from = start;
    const visited = [...cells, -1].map(() => {
      from = found(grid, from, 'Conv', true) as typeof start;
      return from.row * 40 + from.position;
    });
    expect(visited).toEqual([...cells, cells[0]]);
  });

  it('of a tap that the cell itself holds is that cell, until it is asked for again', () => {
    const cell = { row: run.differing.row[0]!, position: run.differing.position[0]! };
    const name = run.differing.tap[0]!;
    expect(go(name, cell)).toEqual(cell);
    expect(found(grid, cell, name, true)).not.toEqual(cell);
    expect(run.differing.tap[tapNamed(run, cell, name.toUpperCase())!]).toBe(name);
    expect(tapNamed(run, cell, 'nothing')).toBeNull();
  });

  it('is told where places end', () => {
    expect(rangeInWords(grid)).toBe('Rows are embedding to head, positions 0 to 39');
  });

  it('of a token is a cell of any lane', () => {
    const lane = (name: string, texts: readonly string[]): { name: string; tokens: { id: number; text: string }[] } => ({ name, tokens: texts.map((text, id) => ({ id, text })) });
    const timeline = timelineGrid({ lanes: [lane('a', ['x', 'value', 'y']), lane('b', ['x', 'z', 'Value'])], rounds: [], drifts: () => false, facts: () => [] });
    expect(found(timeline, { row: 0, position: 0 }, 'value')).toEqual({ row: 0, position: 1 });
    expect(found(timeline, { row: 0, position: 0 }, 'Value')).toEqual({ row: 1, position: 2 });
    expect(found(timeline, { row: 0, position: 2 }, 'x')).toEqual({ row: 1, position: 0 });
  });
});

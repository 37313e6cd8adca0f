// A bisect run: its matrix, the taps that differ in it, and their tiles.
import { limits } from '../experiments/parts';
import type { BisectRun, CellMatrix, LogitRows, Tile } from '../report';
import { beyond, faultIn, faultOfNoise, faultOfState, firstOf, lengths, negative, outside, placed } from './parts';

const elementBytes: Readonly<Record<string, number>> = { f64: 8, i64: 8, u64: 8, f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i16: 2, u16: 2, i8: 1, u8: 1, bool: 1 };

export function faultOfRun(run: BisectRun, at: string): string {
  const { cells, rows, first } = run;
  return (
    placed(`${at}.width`, outside(run.width, 1, limits.width)) ||
    (rows.length === 0 ? `${at}.rows: is empty, so nothing was compared` : '') ||
    (cells.positions === 0 ? `${at}.cells.positions: is 0, so nothing was compared` : '') ||
    faultOfCells(cells, rows.length, `${at}.cells`) ||
    faultOfDiffering(run, `${at}.differing`) ||
    firstOf(run.tiles, (tile, index) => faultOfTile(tile, `${at}.tiles.${index}`)) ||
    lengths(at, { blockIds: run.blockIds }, cells.positions) ||
    faultOfLogits(run.logits, cells.positions, `${at}.logits`) ||
    faultOfState(run.state, `${at}.state`) ||
    faultOfNoise(run.noise, `${at}.noise`) ||
    (run.planned === undefined ? '' : placed(`${at}.planned`, outside(run.planned, cells.positions + 1, Math.max(limits.walk, limits.width)))) ||
    (first !== null && (first.row >= rows.length || first.position >= cells.positions) ? `${at}.first: names a cell that does not exist` : '')
  );
}

function faultOfCells({ positions, rowBytes, differingBytes, maxUlp, relL2 }: CellMatrix, rows: number, at: string): string {
  return (
    lengths(at, { rowBytes }, rows) ||
    lengths(at, { differingBytes, maxUlp, relL2 }, rows * positions) ||
    faultIn(`${at}.differingBytes`, differingBytes, (bytes, cell) => beyond(bytes, rowBytes[Math.floor(cell / positions)] ?? 0, 'bytes')) ||
    faultIn(`${at}.relL2`, relL2, negative)
  );
}

function faultOfLogits({ bytes, ...columns }: LogitRows, positions: number, at: string): string {
  return lengths(at, columns, positions) || faultIn(`${at}.differingBytes`, columns.differingBytes, (differing) => beyond(differing, bytes, 'bytes'));
}

function faultOfDiffering({ differing: taps, rows, cells, tiles }: BisectRun, at: string): string {
  const wrong = lengths(at, taps, taps.row.length);
  if (wrong !== '') return wrong;
  const nowhere = taps.row.findIndex((row, i) => row >= rows.length || (taps.position[i] ?? 0) >= cells.positions || (taps.tile[i] ?? -1) >= tiles.length);
  return (
    (nowhere < 0 ? '' : `${at}: entry ${nowhere} names a row, position or tile that does not exist`) ||
    faultIn(`${at}.differingBytes`, taps.differingBytes, (differing, i) => beyond(differing, taps.bytes[i] ?? 0, 'bytes')) ||
    faultIn(`${at}.differingElements`, taps.differingElements, (differing, i) => beyond(differing, taps.elements[i] ?? 0, 'elements')) ||
    faultIn(`${at}.firstIndex`, taps.firstIndex, (index, i) => (index < (taps.elements[i] ?? 0) ? '' : `is ${index}, of ${taps.elements[i] ?? 0} elements`)) ||
    faultIn(`${at}.relL2`, taps.relL2, negative)
  );
}

function faultOfTile({ dtype, shape, start, a, b }: Tile, at: string): string {
  const size = elementBytes[dtype];
  if (size === undefined) return `${at}.dtype: "${dtype.slice(0, 16)}" is unknown`;
  if (a.length !== b.length) return `${at}: its two sides differ in length`;
  const whole = (hex: string): boolean => hex.length % (2 * size) === 0 && /^[0-9a-f]*$/i.test(hex);
  if (!whole(a) || !whole(b)) return `${at}: its bytes are not whole ${dtype} elements in hex`;
  const total = shape.reduce((product, length) => product * length, 1);
  const end = start + a.length / (2 * size);
  return end <= total ? '' : `${at}.start: it ends at element ${end}, of ${total}`;
}

// Whether elements that the engine computed again are those that a report tells of.
import type { ElementsAnswer } from '../../shared/elementsProtocol';
import { formatCount } from '../../shared/format';
import type { BisectReport, BisectRun } from '../../shared/report';
import { pairOfTile, type TensorPair } from './tensorPair';

/** What speaks against it, one sentence each; nothing when all is as the report tells. */
export function partings({ provenance }: Pick<BisectReport, 'provenance'>, run: BisectRun, tap: number, answer: ElementsAnswer, pair: TensorPair): readonly string[] {
  const found = [...counts(run, tap, answer, pair), ...tileFault(run, tap, pair)];
  if (found.length === 0) return [];
  const { model, engine } = provenance;
  const changed = [model !== null && model.fingerprint !== answer.fingerprint && 'The weights are others.', engine.libraryHash !== answer.libraryHash && 'The engine is another build.'].filter((sentence) => sentence !== false);
  return [...found, ...(changed.length > 0 ? changed : ['Weights and engine have their old fingerprints; the machine may compute otherwise.'])];
}

function counts({ differing }: BisectRun, tap: number, answer: ElementsAnswer, pair: TensorPair): readonly string[] {
  const whole = pair.count === answer.total;
  const told: readonly (readonly [string, number | undefined, number])[] = [
    ['elements', differing.elements[tap], answer.total],
    ['differing bytes', differing.differingBytes[tap], whole ? differingBytes(pair) : answer.differingBytes],
    ['differing elements', differing.differingElements[tap], whole ? pair.differing.length : answer.differingElements],
  ];
  const first = whole ? (pair.differing[0] ?? -1) : answer.firstIndex;
  return [
    ...told.filter(([, report, now]) => report !== now).map(([what, report, now]) => `The report tells ${formatCount(report ?? 0)} ${what}, now there are ${formatCount(now)}.`),
    ...(first >= 0 && first !== differing.firstIndex[tap] ? [`The first that differs was element ${formatCount(differing.firstIndex[tap] ?? 0)}, now it is ${formatCount(first)}.`] : []),
  ];
}

function differingBytes({ source: { a, b } }: TensorPair): number {
  let count = 0;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) count += 1;
  return count;
}

function tileFault(run: BisectRun, tap: number, pair: TensorPair): readonly string[] {
  const tile = run.tiles[run.differing.tile[tap] ?? -1];
  if (tile === undefined) return [];
  const kept = pairOfTile(tile, pair.source.total);
  const from = (tile.start - pair.source.start) * pair.size;
  const same = (now: Uint8Array, then: Uint8Array): boolean => then.every((byte, i) => now[from + i] === byte);
  if (!pair.has(tile.start) || !pair.has(tile.start + Math.max(0, kept.count - 1))) return [];
  return tile.dtype === pair.source.dtype && same(pair.source.a, kept.source.a) && same(pair.source.b, kept.source.b) ? [] : ['The elements around the first difference are not those of the tile in the report.'];
}

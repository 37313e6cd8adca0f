// Whether elements that the engine computed again are those that a report tells of.
import * as l10n from '@vscode/l10n';
import type { ElementsAnswer } from '../../shared/elementsProtocol';
import { formatCount } from '../../shared/format';
import type { BisectReport, BisectRun } from '../../shared/report';
import { pairOfTile, type TensorPair } from './tensorPair';

/** What speaks against it, one sentence each; nothing when all is as the report tells. */
export function partings({ provenance }: Pick<BisectReport, 'provenance'>, run: BisectRun, tap: number, answer: ElementsAnswer, pair: TensorPair): readonly string[] {
  const found = [...counts(run, tap, answer, pair), ...tileFault(run, tap, pair)];
  if (found.length === 0) return [];
  const { model, engine } = provenance;
  const changed = [model !== null && model.fingerprint !== answer.fingerprint && l10n.t('The weights are others.'), engine.libraryHash !== answer.libraryHash && l10n.t('The engine is another build.')].filter((sentence) => sentence !== false);
  return [...found, ...(changed.length > 0 ? changed : [l10n.t('Weights and engine have their old fingerprints; the machine may compute otherwise.')])];
}

function counts({ differing }: BisectRun, tap: number, answer: ElementsAnswer, pair: TensorPair): readonly string[] {
  const whole = pair.count === answer.total;
  type Said = (report: string, now: string) => string;
  const told: readonly (readonly [Said, number | undefined, number])[] = [
    [(report, now) => l10n.t('The report tells {0} elements, now there are {1}.', report, now), differing.elements[tap], answer.total],
    [(report, now) => l10n.t('The report tells {0} differing bytes, now there are {1}.', report, now), differing.differingBytes[tap], whole ? differingBytes(pair) : answer.differingBytes],
    [(report, now) => l10n.t('The report tells {0} differing elements, now there are {1}.', report, now), differing.differingElements[tap], whole ? pair.differing.length : answer.differingElements],
  ];
  const first = whole ? (pair.differing[0] ?? -1) : answer.firstIndex;
  return [
    ...told.filter(([, report, now]) => report !== now).map(([said, report, now]) => said(formatCount(report ?? 0), formatCount(now))),
    ...(first >= 0 && first !== differing.firstIndex[tap] ? [l10n.t('The first that differs was element {0}, now it is {1}.', formatCount(differing.firstIndex[tap] ?? 0), formatCount(first))] : []),
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
  return tile.dtype === pair.source.dtype && same(pair.source.a, kept.source.a) && same(pair.source.b, kept.source.b) ? [] : [l10n.t('The elements around the first difference are not those of the tile in the report.')];
}

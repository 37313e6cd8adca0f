// What a schema cannot say of a report: columns of equal length, matrices of rows x positions, indices that exist.
import type { BisectRun, DifferingTaps, Report, Tile } from './report';
import type { AnswersResult } from './results/answers';
import type { ChoiceRows } from './results/parts';
import type { TapMap } from './results/prefill';
import type { Schedule } from './results/replay';

const elementBytes: Readonly<Record<string, number>> = { f64: 8, i64: 8, u64: 8, f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i16: 2, u16: 2, i8: 1, u8: 1, bool: 1 };

/** The first fault as "place: what is wrong", "" for none. */
export function inconsistency(report: Report): string {
  switch (report.kind) {
    case 'bisect':
      return firstOf(report.bisect.runs, (run, index) => faultOfRun(run, `bisect.runs.${index}`));
    case 'replay':
      return faultOfSchedule(report.replay.schedule, 1, 'replay.schedule') || firstOf(report.replay.runs, ({ rows }, index) => faultOfChoices(rows, `replay.runs.${index}.rows`));
    case 'rewind':
      return faultOfSchedule(report.rewind.schedule, report.rewind.batch, 'rewind.schedule') || lengths('rewind.audits', report.rewind.audits, report.rewind.audits.round.length);
    case 'prefill':
      return firstOf(report.prefill.runs, ({ logits, map }, index) => faultOfChoices(logits, `prefill.runs.${index}.logits`) || (map === undefined ? '' : faultOfMap(map, `prefill.runs.${index}.map`)));
    case 'parity':
      return firstOf(report.parity.runs, ({ prompt }, index) => (prompt < report.parity.prompts.length ? '' : `parity.runs.${index}.prompt: names a prompt that does not exist`));
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return faultOfAnswers(report.answers);
    case 'diff':
    case 'gate':
    case 'widths':
    case 'switches':
      return '';
  }
}

const faultOfMap = ({ rows, positions, taps, differing }: TapMap, at: string): string => lengths(at, { taps }, rows.length) || lengths(at, { differing }, rows.length * positions);

const faultOfSchedule = ({ rows, kept }: Schedule, batch: number, at: string): string => lengths(at, { kept }, rows.length * batch);

function faultOfChoices({ bytes: _, ...columns }: ChoiceRows, at: string): string {
  return lengths(at, columns, columns.differingBytes.length);
}

function faultOfAnswers({ answers, pairs, prompts }: AnswersResult): string {
  const columns = firstOf(answers, ({ tokens, ids, logprobs }, index) => lengths(`answers.answers.${index}`, { ids, logprobs }, tokens.length));
  const outside = pairs.findIndex(({ a, b, prompt }) => a >= answers.length || b >= answers.length || prompt >= prompts.length);
  return columns || (outside < 0 ? '' : `answers.pairs.${outside}: names an answer or prompt that does not exist`);
}

function faultOfRun(run: BisectRun, at: string): string {
  const { cells, rows, first } = run;
  const { bytes: _, ...logits } = run.logits;
  return (
    lengths(`${at}.cells`, { rowBytes: cells.rowBytes }, rows.length) ||
    lengths(`${at}.cells`, { differingBytes: cells.differingBytes, maxUlp: cells.maxUlp, relL2: cells.relL2 }, rows.length * cells.positions) ||
    faultOfDiffering(run, `${at}.differing`) ||
    firstOf(run.tiles, (tile, index) => faultOfTile(tile, `${at}.tiles.${index}`)) ||
    lengths(at, { blockIds: run.blockIds }, cells.positions) ||
    lengths(`${at}.logits`, logits, cells.positions) ||
    (run.planned !== undefined && run.planned <= cells.positions ? `${at}.planned: is ${run.planned}, and ${cells.positions} were compared` : '') ||
    (first !== null && (first.row >= rows.length || first.position >= cells.positions) ? `${at}.first: names a cell that does not exist` : '')
  );
}

function faultOfDiffering(run: BisectRun, at: string): string {
  const taps: DifferingTaps = run.differing;
  const wrong = lengths(at, taps, taps.row.length);
  if (wrong !== '') return wrong;
  const outside = taps.row.findIndex((row, i) => row >= run.rows.length || (taps.position[i] ?? 0) >= run.cells.positions || (taps.tile[i] ?? -1) >= run.tiles.length);
  return outside < 0 ? '' : `${at}: entry ${outside} names a row, position or tile that does not exist`;
}

function faultOfTile(tile: Tile, at: string): string {
  const size = elementBytes[tile.dtype];
  if (size === undefined) return `${at}.dtype: "${tile.dtype.slice(0, 16)}" is unknown`;
  if (tile.a.length !== tile.b.length) return `${at}: its two sides differ in length`;
  const whole = (hex: string): boolean => hex.length % (2 * size) === 0 && /^[0-9a-f]*$/i.test(hex);
  return whole(tile.a) && whole(tile.b) ? '' : `${at}: its bytes are not whole ${tile.dtype} elements in hex`;
}

function lengths(at: string, columns: Readonly<Record<string, readonly unknown[]>>, expected: number): string {
  const wrong = Object.entries(columns).find(([, column]) => column.length !== expected);
  return wrong === undefined ? '' : `${at}.${wrong[0]}: has ${wrong[1].length} entries where ${expected} belong`;
}

function firstOf<T>(items: readonly T[], fault: (item: T, index: number) => string): string {
  for (const [index, item] of items.entries()) {
    const found = fault(item, index);
    if (found !== '') return found;
  }
  return '';
}

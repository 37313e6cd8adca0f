// The maps and timelines of a report, one a run.
import { armName } from '../../shared/account/replay';
import type { Report } from '../../shared/report';
import { isVerdict, type VerdictWord } from '../../shared/verdictWord';
import { bisectGrid } from './bisectGrid';
import type { Cell, Grid } from './grid';
import { prefillGrid } from './prefillGrid';
import { indexOf, tapsOfCell } from './runIndex';
import { timelineGrid, type TimelineSource } from './timeline';
import { answersTimeline } from './timelines/answers';
import { parityTimeline } from './timelines/parity';
import { replayTimeline } from './timelines/replay';
import { forkedText, type ForkedText } from './timelines/texts';

export interface MappedRun {
  readonly label: string;
  readonly word: VerdictWord;
  /** Null: the report has no map of it. */
  readonly grid: Grid | null;
  readonly text: ForkedText | null;
  /** Those taps of a cell that are listed one by one, as indices into the list. */
  readonly taps: (cell: Cell) => readonly number[];
}

const noTaps = (): readonly number[] => [];

/** `forks`: its lanes go on by themselves where they part, so that there are texts to read. */
function timed(label: string, word: VerdictWord, source: TimelineSource | null, forks = true): MappedRun {
  if (source === null) return { label, word, grid: null, text: null, taps: noTaps };
  const grid = timelineGrid(source);
  return { label, word, grid, text: forks ? forkedText(source.lanes, grid.first?.position ?? null) : null, taps: noTaps };
}

const made = new WeakMap<Report, readonly MappedRun[]>();

/** The same for the same report. */
export function mappedRuns(report: Report): readonly MappedRun[] {
  const known = made.get(report);
  if (known !== undefined) return known;
  const runs = runsOf(report);
  made.set(report, runs);
  return runs;
}

function runsOf(report: Report): readonly MappedRun[] {
  switch (report.kind) {
    case 'bisect':
      return report.bisect.runs.map((run) => ({ label: run.label, word: run.verdict.word, grid: bisectGrid(run), text: null, taps: ({ row, position }) => tapsOfCell(indexOf(run), row, position) }));
    case 'prefill':
      return report.prefill.runs.map((run) => ({ label: run.label, word: run.verdict.word, grid: prefillGrid(run, report.prefill.prompt.ids), text: null, taps: noTaps }));
    case 'replay':
      return report.replay.runs.map((run) => timed(armName(run), run.verdict.word, replayTimeline(report.replay, run), false));
    case 'parity':
      return report.parity.runs.map((run) => timed(`prompt ${run.prompt + 1}, width ${run.width}`, wordOf(run.outcome, run.fork?.word), parityTimeline(report.parity, run)));
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return report.answers.pairs.map((pair) => timed(pair.label, pair.verdict.word, answersTimeline(report.answers, pair)));
    default:
      return [];
  }
}

/** A single run of a parity has no verdict, but an outcome. */
function wordOf(outcome: string, fork: 'tie' | 'defect' | undefined): VerdictWord {
  const word = fork ?? outcome;
  return isVerdict(word) ? word : 'void';
}

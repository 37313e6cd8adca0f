// The maps and timelines of a report, one a run.
import * as l10n from '@vscode/l10n';
import { armName } from '../../shared/account/replay';
import type { Report, ReportOf } from '../../shared/report';
import { isVerdict, type VerdictWord } from '../../shared/verdictWord';
import { bisectGrid, hasMap } from './bisectGrid';
import { isDrawable, type Cell, type Grid } from './grid';
import { inEnglish } from './language';
import { prefillGrid } from './prefillGrid';
import { indexOf, tapsOfCell } from './runIndex';
import { lengthOf, timelineGrid, type TimelineSource } from './timeline';
import { answersTimeline } from './timelines/answers';
import { idsPieces, type IdsPiece } from './timelines/ids';
import { parityTimeline } from './timelines/parity';
import { replayTimeline } from './timelines/replay';
import { isTellable, rewindTimeline } from './timelines/rewind';
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

const teacherForced = l10n.t('Both read the same transcript, so what they choose behind the fork is one choice a place, no text of its own.');

const hasPicture = (source: TimelineSource): boolean => isDrawable(source.lanes.length + (source.states?.length ?? 0), lengthOf(source));

/** `note`: what its texts are, where its lanes do not go on by themselves. */
function timed(label: string, word: VerdictWord, make: () => TimelineSource | null, note = ''): MappedRun {
  const source = make();
  if (source === null || !hasPicture(source)) return { label, word, grid: null, text: null, taps: noTaps };
  const grid = { ...timelineGrid(source), english: () => inEnglish(() => timelineGrid(make() ?? source)) };
  const parted = grid.first !== null && grid.first.row < source.lanes.length ? grid.first.position : null;
  return { label, word, grid, text: source.lanes.length === 0 ? null : forkedText(source.lanes, parted, note), taps: noTaps };
}

/** Its picture is made when it is looked at, for there may be a hundred of them. */
function piece({ label, differs, fork, source }: IdsPiece, hasTexts: boolean): MappedRun {
  let made: Pick<MappedRun, 'grid' | 'text'> | undefined;
  const make = (): Pick<MappedRun, 'grid' | 'text'> => {
    const own = source();
    const grid = { ...timelineGrid(own), english: () => inEnglish(() => timelineGrid(source())) };
    const at = fork === 'here' ? (grid.first?.position ?? null) : fork === 'before' ? 0 : null;
    // Behind the fork nothing parts any more.
    return { grid: fork === 'before' ? { ...grid, first: null } : grid, text: hasTexts ? forkedText(own.lanes, at) : null };
  };
  return {
    label,
    word: differs ? 'defect' : 'equal',
    get grid() {
      return (made ??= make()).grid;
    },
    get text() {
      return (made ??= make()).text;
    },
    taps: noTaps,
  };
}

const idsRuns = ({ ids }: ReportOf<'ids'>): MappedRun[] => idsPieces(ids).map((one) => piece(one, ids.texts !== undefined));

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
      return report.bisect.runs.map((run) => ({ label: run.label, word: run.verdict.word, grid: hasMap(run) ? bisectGrid(run) : null, text: null, taps: ({ row, position }) => tapsOfCell(indexOf(run), row, position) }));
    case 'prefill':
      return report.prefill.runs.map((run) => ({ label: run.label, word: run.verdict.word, grid: prefillGrid(run, report.prefill.prompt.ids), text: null, taps: noTaps }));
    case 'replay':
      return report.replay.runs.map((run) => timed(armName(run), run.verdict.word, () => replayTimeline(report.replay, run), teacherForced));
    case 'rewind':
      return [timed(l10n.t('state after every round'), report.rewind.verdict.word, () => (isTellable(report.rewind, report.complete) ? rewindTimeline(report.rewind, report.complete) : null))];
    case 'parity':
      return report.parity.runs.map((run) => timed(l10n.t('prompt {0}, width {1}', run.prompt + 1, run.width), wordOf(run.outcome, run.fork?.word), () => parityTimeline(report.parity, run)));
    case 'ids':
      return idsRuns(report);
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return report.answers.pairs.map((pair) => timed(pair.label, pair.verdict.word, () => answersTimeline(report.answers, pair)));
    default:
      return [];
  }
}

/** A single run of a parity has no verdict, but an outcome. */
function wordOf(outcome: string, fork: 'tie' | 'defect' | undefined): VerdictWord {
  const word = fork ?? outcome;
  return isVerdict(word) ? word : 'void';
}

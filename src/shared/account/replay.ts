// The account of an accept-sequence replay.
import { formatCount, formatFloat, plural } from '../format';
import type { ReportOf } from '../report';
import type { ReplayPlace, ReplayResult, ReplayRun } from '../results/replay';
import { sum } from '../sum';
import { column, section, table, type Account, type Section } from './account';
import { logSection, noiseLine, promptLine, stateTable } from './parts';

/** By the token that the row chooses. */
const placed = (place: ReplayPlace | null): string => (place === null ? '-' : place.position === 0 ? 'token 0 (prefill)' : `token ${formatCount(place.position)} (round ${formatCount(place.round)}, row ${place.row})`);
export const armName = ({ form, fill }: Pick<ReplayRun, 'form' | 'fill'>): string => (form === 'block' ? `block, ${fill} ids` : form);

const formMeans = 'block: whole blocks with rejected rows, rewound; kept: blocks of the kept rows alone; chain: single rows through the verify path.';

function arms({ runs }: ReplayResult): Section {
  const rows = runs.map((run): string[] => {
    const differing = run.rows.differingBytes.filter((bytes) => bytes > 0).length;
    const other = run.rows.argmaxA.filter((id, i) => id !== run.rows.argmaxB[i]).length;
    return [armName(run), run.verdict.word, `${formatCount(differing)} of ${formatCount(run.rows.differingBytes.length)}`, formatCount(sum(run.rows.differingBytes)), placed(run.first), formatCount(other), placed(run.firstChoice), formatCount(run.rewinds), formatCount(sum(run.state.map(({ differingBytes }) => differingBytes)))];
  });
  const columns = [column.text('arm'), column.text('verdict'), column.number('rows that differ'), column.number('logit bytes'), column.text('first at'), column.number('other choices'), column.text('first at'), column.number('rewinds'), column.number('state bytes')];
  return section('Arms against the classic chain', [formMeans], [table(columns, rows)]);
}

/** Every choice that differs, or the first rows whose bytes do. */
function rowsOf(run: ReplayRun): Section {
  const { rows } = run;
  const differing = rows.differingBytes.flatMap((bytes, i) => (bytes > 0 ? [i] : []));
  const others = differing.filter((i) => rows.argmaxA[i] !== rows.argmaxB[i]);
  const shown = others.length > 0 ? others : differing;
  const cells = shown.map((i): string[] => [
    formatCount(i),
    formatCount(rows.differingBytes[i] ?? 0),
    formatFloat(rows.maxAbs[i] ?? 0),
    String(rows.argmaxA[i] ?? 0),
    String(rows.argmaxB[i] ?? 0),
    formatFloat(rows.marginA[i] ?? 0),
    formatFloat(rows.gapA[i] ?? 0),
  ]);
  const columns = [column.number('chooses token'), column.number('logit bytes'), column.number('max abs'), column.number('classic chooses'), column.number('replay chooses'), column.number('margin'), column.number('apart')];
  const what = others.length > 0 ? 'Rows whose greedy choice differs.' : 'Rows whose bytes differ; every greedy choice agrees.';
  return section(`Rows · ${armName(run)}`, shown.length === 0 ? [] : [what], [table(columns, cells, 40)], true);
}

function sequence({ width, rounds, rewinds, keptSum, accepted, zero, partial, full, prompt, reference, schedule }: ReplayResult): Section {
  const source = { greedy: "the model's own greedy continuation", ids: 'the given ids', log: 'the ids of the log' }[reference.source];
  const leaves = reference.leavesAt < 0 ? 'The model chooses every one of them itself.' : `The model itself leaves it at token ${formatCount(reference.leavesAt)}.`;
  return section('Accept sequence', [
    `Width ${width}: ${plural(rounds, 'round')}, ${plural(rewinds, 'rewind')}, kept sum ${formatCount(keptSum)}, ${formatCount(accepted)} accepted drafts; ${plural(zero, 'round')} accepted none, ${formatCount(partial)} some, ${formatCount(full)} all.`,
    promptLine(prompt),
    `Transcript: ${plural(reference.ids.length, 'token')}, ${source}. ${leaves}`,
    `Kept rows: ${schedule.kept.slice(0, 64).join(', ')}${schedule.kept.length > 64 ? ', ...' : ''}`,
  ]);
}

export function replayAccount({ replay }: ReportOf<'replay'>): Account {
  return {
    question: 'Does a burst that accepts in this sequence give the logits of single steps, row by row?',
    sections: [
      arms(replay),
      section('What it points to', [replay.attribution, noiseLine(replay.noise)]),
      sequence(replay),
      logSection(replay.log),
      ...replay.runs.map(rowsOf),
      ...replay.runs.map((run) => section(`State at the end · ${armName(run)}`, [], [stateTable(run.state)], true)),
    ],
  };
}

// The account of a parity run.
import { greatest, least } from '../extremes';
import { formatCount, formatFloat, plural } from '../format';
import type { ReportOf } from '../report';
import type { DrafterFacts, ParityResult, ParityRun } from '../results/parity';
import { column, section, table, type Account, type Section } from './account';
import { listOfIds, noiseLine } from './parts';

const share = (part: number, whole: number): string => (whole === 0 ? '-' : (part / whole).toFixed(3));

function widths({ widths: all }: ParityResult): Section {
  const rows = all.map((one) => [
    String(one.width),
    one.verdict.word,
    one.decision,
    formatCount(one.equal),
    formatCount(one.differs),
    formatCount(one.declined),
    formatCount(one.rounds),
    share(one.accepted, one.proposed),
    // The first bonus of a row comes before any round.
    share(one.emitted - one.equal - one.differs, one.rounds),
  ]);
  const columns = [column.number('width'), column.text('verdict'), column.text('gate'), column.number('ran, equal'), column.number('ran, differs'), column.number('declined'), column.number('rounds'), column.number('acceptance'), column.number('emitted per verify')];
  return section('Widths', [], [table(columns, rows)]);
}

function forks({ runs }: ParityResult): Section {
  const found = runs.flatMap((run) => (run.fork === null ? [] : [{ ...run, fork: run.fork }]));
  const rows = found.map(({ prompt, width, fork }) => [
    String(prompt + 1),
    String(width),
    formatCount(fork.token),
    fork.round < 0 ? 'first bonus' : `round ${formatCount(fork.round)}, row ${fork.row}`,
    String(fork.classicId),
    String(fork.burstId),
    formatFloat(fork.margin),
    formatFloat(fork.gap),
    formatFloat(fork.floor),
    fork.word,
  ]);
  const columns = [column.number('prompt'), column.number('width'), column.number('token'), column.text('where'), column.number('classic'), column.number('burst'), column.number('margin'), column.number('apart'), column.number('noise floor'), column.text('verdict')];
  return section('Forks', [], [table(columns, rows, 60)]);
}

function audits({ runs }: ParityResult): string {
  const rounds = runs.reduce((sum, { audits: count }) => sum + count, 0);
  const bytes = runs.reduce((sum, { auditBytes }) => sum + auditBytes, 0);
  return rounds === 0 ? '' : `The state was compared with single steps after ${plural(rounds, 'round')}: ${formatCount(bytes)} bytes differ.`;
}

const outcome = ({ outcome: word, fork }: ParityRun): string => (fork === null ? word : `${word} at ${formatCount(fork.token)}`);

function every({ runs }: ParityResult): Section {
  const rows = runs.map((run) => [String(run.prompt + 1), String(run.width), outcome(run), formatCount(run.rounds), formatCount(run.rewinds), `${formatCount(run.accepted)} of ${formatCount(run.proposed)}`, formatCount(run.emitted), run.end, run.acceptedPerRound.slice(0, 24).join(' ')]);
  const columns = [column.number('prompt'), column.number('width'), column.text('outcome'), column.number('rounds'), column.number('rewinds'), column.number('accepted'), column.number('emitted'), column.text('ended by'), column.text('accepted each round')];
  return section('Every run', [], [table(columns, rows, 200)], true);
}

function promptsLine({ prompts, batch, widths: all }: ParityResult): string {
  const lengths = prompts.map(({ ids }) => ids.length);
  const [shortest, longest] = [least(lengths), greatest(lengths)];
  const long = lengths.length === 0 ? '' : `, ${shortest === longest ? String(longest) : `${shortest} to ${longest}`} ${longest === 1 ? 'token' : 'tokens'}`;
  const [together, left] = [Math.min(batch, prompts.length), prompts.length % batch];
  const last = prompts.length > batch && left > 0 ? `, the last of ${left}` : '';
  const rows = together <= 1 ? '' : ` Batches of ${together}${last}, cut to one length: a block of width ${all[0]?.width ?? 0} has ${together * (all[0]?.width ?? 0)} rows.`;
  return `${plural(prompts.length, 'prompt')} (${[...new Set(prompts.map(({ source }) => source))].join(', ')}${long}).${rows}`;
}

export function drafterLine({ family, path, parameters, blockSize, dtype, taps }: DrafterFacts): string {
  return `Drafter: ${family}, ${plural(parameters, 'parameter')}, ${dtype}, ${blockSize === null ? 'declares no width' : `declares width ${blockSize}`}, reads ${taps.join(', ')} of the target; ${path}`;
}

export function parityAccount({ parity }: ReportOf<'parity'>): Account {
  return {
    question: 'Does a burst emit the tokens of classic greedy decode?',
    sections: [
      widths(parity),
      section('What it points to', [parity.invariance, audits(parity), noiseLine(parity.noise)]),
      forks(parity),
      section('Drafter and prompts', [drafterLine(parity.drafter), promptsLine(parity)]),
      every(parity),
      section('Classic ids', parity.classic.slice(0, 16).map(({ ids }, i) => `Prompt ${i + 1}: ${listOfIds(ids)}`), [], true),
    ],
  };
}

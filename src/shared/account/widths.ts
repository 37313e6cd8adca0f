// The account of a width sweep.
import { greatest, least } from '../extremes';
import { formatCount, formatFloat, plural } from '../format';
import type { ReportOf } from '../report';
import type { SweepTimings, TimedArm } from '../results/widths';
import { column, section, table, type Account, type Section } from './account';
import { drafterLine } from './parity';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const range = (values: readonly number[]): string => (values.length === 0 ? '-' : `${formatFloat(least(values))} to ${formatFloat(greatest(values))}`);
const disjoint = (a: readonly number[], b: readonly number[]): boolean => a.length > 0 && b.length > 0 && (least(a) > greatest(b) || greatest(a) < least(b));

/** Every classic pass of the sweep: an arm separates when its range meets none of them. */
const classicRates = ({ open, close, arms }: SweepTimings): number[] => [...open, ...close, ...arms.filter(({ width }) => width === 0).flatMap(({ tokensPerSecond }) => tokensPerSecond)];

function separates(arm: TimedArm, classic: readonly number[]): string {
  if (arm.width === 0) return 'null arm';
  return disjoint(arm.tokensPerSecond, classic) ? 'yes' : 'no';
}

function throughput(sweep: SweepTimings): Section {
  const rates = classicRates(sweep);
  const classic = rates.length === 0 ? [] : [least(rates), greatest(rates)];
  const rows = sweep.arms.map((arm) => [arm.name, String(arm.tokensPerSecond.length), formatFloat(mean(arm.tokensPerSecond)), range(arm.tokensPerSecond), `${mean(arm.againstClassic).toFixed(3)}x`, separates(arm, classic)]);
  const brackets = [
    ['classic, open', String(sweep.open.length), formatFloat(mean(sweep.open)), range(sweep.open), '', 'bracket'],
    ['classic, close', String(sweep.close.length), formatFloat(mean(sweep.close)), range(sweep.close), '', 'bracket'],
  ];
  const columns = [column.text('arm'), column.number('n'), column.number('tokens/s'), column.text('range'), column.number('against classic'), column.text('separates')];
  return section('Throughput', [resolution(sweep), drift(sweep)], [table(columns, [...brackets, ...rows])]);
}

function resolution({ arms }: SweepTimings): string {
  const nulls = arms.find(({ width }) => width === 0)?.againstClassic ?? [];
  if (nulls.length === 0) return '';
  const percent = (value: number): string => `${value >= 1 ? '+' : ''}${(100 * (value - 1)).toFixed(1)} %`;
  return `Resolution floor: classic against itself within a repeat gives ${percent(least(nulls))} to ${percent(greatest(nulls))}; smaller differences mean nothing here.`;
}

function drift({ open, close }: SweepTimings): string {
  if (!disjoint(open, close)) return 'The brackets overlap: no drift is seen over the run.';
  return 'DRIFT: the classic passes that open the repeats and those that close them do not overlap, so the machine changed during the run and what stands between is suspect.';
}

function phases({ arms }: SweepTimings): Section {
  const rows = arms.map(({ name, phases: p }) => [name, ...[p.prefill, p.draft, p.verify, p.accept, p.rewind, p.decode].map((ms) => formatFloat(ms))]);
  const columns = [column.text('arm'), ...['prefill', 'draft', 'verify', 'accept', 'rewind', 'decode'].map(column.number)];
  return section('Milliseconds by phase', ['All prompts of a pass together, measured around the work itself; the mean of the repeats.'], [table(columns, rows)]);
}

export function widthsAccount({ widths, run }: ReportOf<'widths'>): Account {
  const rows = widths.widths.map((one) => [
    one.asked === one.used ? String(one.used) : `${one.used} (asked: ${one.asked})`,
    one.verdict.word,
    one.decision,
    `${formatCount(one.equalPrompts)} of ${formatCount(widths.prompts.length)}`,
    formatCount(one.rounds),
    one.proposed === 0 ? '-' : (one.accepted / one.proposed).toFixed(3),
    // The first bonus of a prompt comes before any round.
    one.rounds === 0 ? '-' : ((one.emitted - widths.prompts.length) / one.rounds).toFixed(2),
  ]);
  const columns = [column.number('width'), column.text('verdict'), column.text('gate'), column.number('same text'), column.number('rounds'), column.number('acceptance'), column.number('emitted per verify')];
  const { sweep } = run;
  return {
    question: 'What does each width give: how fast, how many drafts accepted, and is it exact?',
    sections: [
      section('Widths', [], [table(columns, rows)]),
      ...(sweep === undefined ? [] : [throughput(sweep), phases(sweep)]),
      section('Drafter and prompts', [drafterLine(widths.drafter), `${plural(widths.prompts.length, 'prompt')}; classic decode emits ${plural(widths.classicEmitted, 'token')} in a pass.`]),
      section('Verdicts', widths.widths.map(({ used, verdict }) => `Width ${used}: ${verdict.sentence}`), [], true),
      section('Kernels', widths.widths.map(({ used, kernels }) => `Width ${used}: ${kernels.join(', ')}`), [], true),
    ],
  };
}

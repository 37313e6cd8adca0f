// The account of a report, for a terminal.
import { accountOf, type Section, type Table } from '../shared/account';
import { formatMs, formatTable } from '../shared/format';
import type { Report } from '../shared/report';
import { verdictWords, type VerdictWord } from '../shared/verdict';
import { styled, styledVerdict } from './terminal';

const isVerdict = (text: string): text is VerdictWord => (verdictWords as readonly string[]).includes(text.trim());

/** Verdict words of a row are coloured after the columns stand. */
function coloured(line: string): string {
  const word = line.split(/ {2,}/).find(isVerdict);
  return word === undefined ? line : line.replace(new RegExp(`(^|  )${word}(?=  |$)`), (_, gap: string) => `${gap}${styledVerdict(word)}`);
}

function tableLines({ columns, rows, note }: Table): string[] {
  const right = new Set(columns.flatMap((column, i) => (column.right === true ? [i] : [])));
  const [head = '', ...lines] = formatTable([columns.map(({ title }) => title), ...rows], right);
  return [styled('dim', `  ${head}`), ...lines.map((line) => `  ${coloured(line)}`), ...(note === '' ? [] : [styled('dim', `  ${note}`)])];
}

/** A section as the terminal shows it. */
export function sectionLines({ heading, lines, tables }: Section): string[] {
  return ['', styled('bold', heading), ...lines.map((line) => `  ${line}`), ...tables.flatMap(tableLines)];
}

/** Verdict last, where the eye is when the run has ended. */
export function accountLines(report: Report): string[] {
  const { question, sections } = accountOf(report);
  return [
    question,
    ...sections.filter(({ detail }) => !detail).flatMap(sectionLines),
    '',
    `${styledVerdict(report.verdict.word)}: ${report.verdict.sentence}`,
    '',
    styled('dim', 'Not covered:'),
    ...report.coverage.notCovered.map((line) => styled('dim', `  ${line}`)),
    '',
    styled('dim', `${report.complete ? 'Done' : 'Ended'} after ${formatMs(report.run.durationMs)}.`),
  ];
}

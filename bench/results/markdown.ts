// A run as the page bench/RESULTS.md.
import { provenanceLines, reasonsOf, tablesOf, warningsOf, type Table } from './print';
import type { Raw } from './raw';

const row = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

function table({ title, rows: [heading = [], ...rows] }: Table): string[] {
  return [`## ${title}`, '', row(heading), row(heading.map(() => '---')), ...rows.map(row), ''];
}

export function markdownOf(raw: Raw): string {
  const reasons = reasonsOf(raw);
  return [
    '# Results of one run',
    '',
    'Written by `npm run bench -- --results`; do not edit. How to read it: [README.md](README.md).',
    '',
    ...provenanceLines(raw).map((line) => `* ${line}`),
    ...warningsOf(raw).map((line) => `* **${line}**`),
    '',
    ...tablesOf(raw).flatMap(table),
    ...(reasons.length === 0 ? [] : ['## Not met, and what the time goes to', '', ...reasons.map((line) => `* ${line}`), '']),
  ].join('\n');
}

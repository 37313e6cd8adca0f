// A comparison as Markdown, fit to paste into an issue.
import { escaped, paragraph, sectionLines } from '../../../shared/record';
import type { Comparison } from './comparison';
import { comparisonAccount, outcomeInWords, type Names } from './words';

/** Ends in a line break. */
export function comparisonRecord(comparison: Comparison, names: Names): string {
  const { question, sections } = comparisonAccount(comparison, names);
  return [`# ${escaped(question)}`, '', paragraph(outcomeInWords(comparison)), ...sections.flatMap(sectionLines), ''].join('\n');
}

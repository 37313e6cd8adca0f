// A comparison as Markdown, fit to paste into an issue.
import { escaped, paragraph, sectionLines } from '../../../shared/record';
import { inEnglish, speaksEnglish } from '../language';
import { comparisonOf, type Comparison } from './comparison';
import { comparisonAccount, outcomeInWords, type Names } from './words';

/** Ends in a line break. */
export function comparisonRecord(comparison: Comparison, names: Names): string {
  if (speaksEnglish()) return recordOf(comparison, names);
  const { a, b } = comparison;
  // Copies, since what is known of a report is kept in the language of the page.
  return inEnglish(() => recordOf(comparisonOf({ ...a }, { ...b }), names));
}

function recordOf(comparison: Comparison, names: Names): string {
  const { question, sections } = comparisonAccount(comparison, names);
  return [`# ${escaped(question)}`, '', paragraph(outcomeInWords(comparison)), ...sections.flatMap(sectionLines), ''].join('\n');
}

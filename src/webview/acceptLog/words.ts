// What an accept log is, in words.
import { gradeWords, type Fact, type Grade, type Semantics } from '../../shared/capture';
import { formatCount, formatFloat } from '../../shared/format';
import type { LogState } from '../../shared/logReaderProtocol';

/** What a grade lets one do with a log, and what it does not. */
export const gradeUses: Readonly<Record<Grade, { readonly allows: string; readonly forbids: string }>> = {
  A: { allows: 'byte-exact replay without the drafter, rewind audit, comparison id by id', forbids: '' },
  B: { allows: 'replay and rewind audit with wrong ids in rejected rows, comparison of counts round by round', forbids: 'a replay of the drafts that were really rejected: their ids are not in the log' },
  C: { allows: 'comparison of histograms and of acceptance by position', forbids: 'replay, rewind audit and a comparison by round: the order of the rounds is not in the log' },
  D: { allows: 'comparison of totals with their definition', forbids: 'replay, rewind audit, and any statement on single rounds or positions' },
};

export const gradeInWords = (grade: Grade): string => `Grade ${grade}: ${gradeWords[grade]}`;

const bonusWords = (bonus: Semantics['bonusIncluded']): string => (bonus === null ? '' : bonus === 'by name' ? 'whether the bonus token counts is said by its name' : bonus ? 'the bonus token is counted' : 'the bonus token is not counted');

/** What one value of this log means, and that the page counts drafts whatever the log counts. */
export function semanticsInWords({ value, bonusIncluded, scope, width }: Semantics): string {
  const parts = [`A value is: ${value}`, bonusWords(bonusIncluded), `scope: ${scope}`, width === null ? 'block width not stated or not one for all' : `block width ${width}`];
  return `${parts.filter((part) => part !== '').join('; ')}. Below, "accepted" counts accepted drafts without the bonus token, whatever the log counts.`;
}

/** "targetSyncMsPerRound" and "draft_ms" as words. */
export const factName = (name: string): string => name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const shownItems = 16;

export function factText(fact: Fact): string {
  if (fact === null) return '–';
  if (typeof fact === 'number') return Number.isInteger(fact) ? String(fact) : formatFloat(fact, 6);
  if (!Array.isArray(fact)) return String(fact);
  const items = fact as readonly Fact[];
  return `${items.slice(0, shownItems).map(factText).join(', ')}${items.length > shownItems ? `, … ${formatCount(items.length)} in all` : ''}`;
}

/** What the log holds, in one line. */
export function holdings({ phase, counts: { requests, rounds, intervals, findings, declined, probes } }: LogState): string {
  const part = (count: number, one: string, many: string): string[] => (count === 0 ? [] : [`${formatCount(count)} ${count === 1 ? one : many}`]);
  const parts = [...part(requests, 'request', 'requests'), ...part(rounds, 'round', 'rounds'), ...part(intervals, 'sum over requests', 'sums over requests'), ...part(declined, 'decline', 'declines'), ...part(probes, 'probe verdict', 'probe verdicts'), ...part(findings, 'finding', 'findings')];
  return parts.length === 0 ? `nothing known${phase === 'reading' ? ' yet' : ''}` : parts.join(' · ');
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const shareText = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
export const meanText = (mean: number | null): string => (mean === null ? '–' : mean.toFixed(2));

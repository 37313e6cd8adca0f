// What an accept log is, in words.
import * as l10n from '@vscode/l10n';
import { gradeWords, type CapturedRequest, type Fact, type Grade, type Semantics } from '../../shared/capture';
import { formatCount, formatFloat } from '../../shared/format';
import type { LogState } from '../../shared/logReaderProtocol';
import { amount } from '../model/amount';

export const requestKinds: Readonly<Record<CapturedRequest['kind'], string>> = { served: l10n.t('served'), 'warm-up': l10n.t('warm-up'), run: l10n.t('run'), unfinished: l10n.t('unfinished') };

/** What a grade lets one do with a log, and what it does not. */
export const gradeUses: Readonly<Record<Grade, { readonly allows: string; readonly forbids: string }>> = {
  A: { allows: l10n.t('byte-exact replay without the drafter, rewind audit, comparison id by id'), forbids: '' },
  B: { allows: l10n.t('replay and rewind audit with wrong ids in rejected rows, comparison of counts round by round'), forbids: l10n.t('a replay of the drafts that were really rejected: their ids are not in the log') },
  C: { allows: l10n.t('comparison of histograms and of acceptance by position'), forbids: l10n.t('replay, rewind audit and a comparison by round: the order of the rounds is not in the log') },
  D: { allows: l10n.t('comparison of totals with their definition'), forbids: l10n.t('replay, rewind audit, and any statement on single rounds or positions') },
};

export const gradeInWords = (grade: Grade): string => l10n.t('Grade {0}: {1}', grade, gradeWords[grade]);

const bonusWords = (bonus: Semantics['bonusIncluded']): string => (bonus === null ? '' : bonus === 'by name' ? l10n.t('whether the bonus token counts is said by its name') : bonus ? l10n.t('the bonus token is counted') : l10n.t('the bonus token is not counted'));

/** What one value of this log means, and that the page counts drafts whatever the log counts. */
export function semanticsInWords({ value, bonusIncluded, scope, width }: Semantics): string {
  const parts = [l10n.t('A value is: {0}', value), bonusWords(bonusIncluded), l10n.t('scope: {0}', scope), width === null ? l10n.t('block width not stated or not one for all') : l10n.t('block width {0}', width)];
  return `${parts.filter((part) => part !== '').join('; ')}. ${l10n.t('Below, "accepted" counts accepted drafts without the bonus token, whatever the log counts.')}`;
}

/** "targetSyncMsPerRound" and "draft_ms" as words. */
export const factName = (name: string): string => name.replaceAll('_', ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const shownItems = 16;

export function factText(fact: Fact): string {
  if (fact === null) return '–';
  if (typeof fact === 'number') return Number.isInteger(fact) ? String(fact) : formatFloat(fact, 6);
  if (!Array.isArray(fact)) return String(fact);
  const items = fact as readonly Fact[];
  return `${items.slice(0, shownItems).map(factText).join(', ')}${items.length > shownItems ? `, … ${l10n.t('{0} in all', formatCount(items.length))}` : ''}`;
}

/** What the log holds, in one line. */
export function holdings({ phase, counts: { requests, rounds, intervals, findings, declined, probes } }: LogState): string {
  const part = (count: number, one: string, many: string): string[] => (count === 0 ? [] : [amount(count, one, many)]);
  const parts = [
    ...part(requests, l10n.t('{0} request'), l10n.t('{0} requests')),
    ...part(rounds, l10n.t('{0} round'), l10n.t('{0} rounds')),
    ...part(intervals, l10n.t('{0} sum over requests'), l10n.t('{0} sums over requests')),
    ...part(declined, l10n.t('{0} decline'), l10n.t('{0} declines')),
    ...part(probes, l10n.t('{0} probe verdict'), l10n.t('{0} probe verdicts')),
    ...part(findings, l10n.t('{0} finding'), l10n.t('{0} findings')),
  ];
  if (parts.length > 0) return parts.join(' · ');
  return phase === 'reading' ? l10n.t('nothing known yet') : l10n.t('nothing known');
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export const shareText = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
export const meanText = (mean: number | null): string => (mean === null ? '–' : mean.toFixed(2));

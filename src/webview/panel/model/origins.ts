// How a token came, in words.
import * as l10n from '@vscode/l10n';
import type { PanelRun, PanelToken, TokenOrigin } from '../../../shared/panelProtocol';
import { formatFloat } from '../../../shared/format';
import { amount } from '../../model/amount';
import { percent } from '../../model/numbers';
import type { Facts } from '../../model/grid';

export const originWords: Readonly<Record<TokenOrigin, { readonly name: string; readonly means: string }>> = {
  prefill: { name: l10n.t('first'), means: l10n.t('chosen after the prompt') },
  classic: { name: l10n.t('classic'), means: l10n.t('one step, one token') },
  draft: { name: l10n.t('draft'), means: l10n.t('proposed by the drafter and accepted') },
  bonus: { name: l10n.t('bonus'), means: l10n.t("the target's own choice at the end of a round") },
  unknown: { name: l10n.t('not told'), means: l10n.t('the server does not say') },
};

const longest = 80;

/** A token as it would stand in a program, so that spaces, line breaks and what turns the direction of writing can be seen. */
export function escaped(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `“${JSON.stringify(short).slice(1, -1).replaceAll('\\"', '"')}”`.replace(/[\p{C}\p{Zl}\p{Zp}\u00a0]/gu, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const roundInWords = (round: number, accepted: number | undefined): string => (accepted === undefined ? String(round) : l10n.t('{0}, {1} accepted', round, amount(accepted, l10n.t('{0} draft'), l10n.t('{0} drafts'))));

export function tokenFacts({ logprob, margin, origin, round }: PanelToken, { rates }: Pick<PanelRun, 'rates'>): Facts {
  return [
    [l10n.t('probability'), logprob === null ? l10n.t('not told') : percent(Math.exp(logprob))],
    [l10n.t('margin'), margin === null ? l10n.t('not told') : l10n.t('{0} logits', formatFloat(margin, 3))],
    [l10n.t('origin'), `${originWords[origin].name}: ${originWords[origin].means}`],
    ...(round < 0 ? [] : [[l10n.t('round'), roundInWords(round, rates.acceptedPerRound[round])] as const]),
  ];
}

/** What cannot be read from the text of the card's title. */
export const remarkOn = (text: string): string => (text.includes('\ufffd') ? l10n.t('part of a character') : '');

/** The card for readers by ear. */
export const tokenInWords = (token: PanelToken, run: Pick<PanelRun, 'rates'>): string =>
  [escaped(token.text), remarkOn(token.text), ...tokenFacts(token, run).map(([name, value]) => `${name} ${value}`)].filter((part) => part !== '').join(', ');

/** A token that cannot be seen gets a sign: a line break, or nothing that shows at all. */
export function signOf(text: string): 'breaks' | 'unseen' | null {
  if (/^\s*\n\s*$/.test(text)) return 'breaks';
  return /^[\p{Cc}\p{Cf}]*$/u.test(text.replaceAll('\t', ' ')) ? 'unseen' : null;
}

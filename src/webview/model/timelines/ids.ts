// Two lists of token ids as timelines: one where they are short enough for a picture, else one a piece of them.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../../shared/format';
import type { IdsResult } from '../../../shared/results/ids';
import { mostPositions } from '../../../shared/timelineLimits';
import type { TimelineSource } from '../timeline';
import { tokensOf } from './texts';

export interface IdsPiece {
  readonly label: string;
  readonly differs: boolean;
  /** Made when it is looked at: lists may have millions of ids. */
  readonly source: () => TimelineSource;
  /** Whether the lists part in this piece, or did before it. */
  readonly fork: 'here' | 'before' | null;
}

export function idsPieces({ a, b, fork, texts }: IdsResult): IdsPiece[] {
  const length = Math.max(a.ids.length, b.ids.length);
  return Array.from({ length: Math.ceil(length / mostPositions) }, (_, i): IdsPiece => {
    const [from, to] = [i * mostPositions, Math.min(length, (i + 1) * mostPositions)];
    const lane = (side: 'a' | 'b'): TimelineSource['lanes'][number] => ({ name: side === 'a' ? l10n.t('list A') : l10n.t('list B'), tokens: tokensOf({ a, b }[side].ids.slice(from, to), texts) });
    return {
      label: length <= mostPositions ? l10n.t('All tokens') : l10n.t('Tokens {0} to {1}', formatCount(from), formatCount(to - 1)),
      differs: fork !== null && to > fork.at && differ(a.ids, b.ids, from, to),
      fork: fork === null || fork.at >= to ? null : fork.at >= from ? 'here' : 'before',
      source: () => ({ lanes: [lane('a'), lane('b')], rounds: [], from, drifts: () => false, facts: () => [] }),
    };
  });
}

function differ(a: readonly number[], b: readonly number[], from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (a[at] !== b[at]) return true;
  return false;
}

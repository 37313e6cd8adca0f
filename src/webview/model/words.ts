// What a report says in words.
import * as l10n from '@vscode/l10n';
import { formatCount, formatMs } from '../../shared/format';
import type { BisectRun, FirstDivergence, MapRow, Report, StateDiff } from '../../shared/report';
import type { VerdictWord } from '../../shared/verdictWord';
import { cut, room } from './cut';
import { cellAmounts } from './cellAmounts';

export const verdictMeans: Readonly<Record<VerdictWord, string>> = {
  equal: l10n.t('Every compared byte is the same.'),
  drift: l10n.t('Bytes differ, every greedy choice agrees.'),
  tie: l10n.t('A greedy choice differs, within the measured noise floor.'),
  defect: l10n.t('A greedy choice differs by more than the noise floor, or bytes differ where they may not.'),
  declined: l10n.t('The exactness gate refused to run the arm.'),
  void: l10n.t('Nothing was shown.'),
};

export const kindWords: Readonly<Record<MapRow['kind'], { readonly letter: string; readonly name: string }>> = {
  embedding: { letter: 'E', name: l10n.t('embedding') },
  attention: { letter: 'A', name: l10n.t('attention') },
  gated_delta: { letter: 'Δ', name: l10n.t('gated delta') },
  head: { letter: 'H', name: l10n.t('head') },
};

const list = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

export function modelInWords({ provenance: { model } }: Report): string {
  if (!model) return '';
  return l10n.t('{0} · {1} layers · hidden {2} · {3}', model.architecture, model.layers.length, formatCount(model.hidden), list([model.dtype, model.quantisation]));
}

export function runFactsInWords({ run, provenance }: Report): string {
  const started = new Date(run.startedAt);
  const when = Number.isNaN(started.getTime()) ? run.startedAt : started.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const [took, engine] = [formatMs(run.durationMs), `${provenance.engine.name} ${provenance.engine.version}`.trim()];
  switch (run.location) {
    case 'process':
      return l10n.t('{0} · {1} · engine process · {2}', when, took, engine);
    case 'extensionHost':
      return l10n.t('{0} · {1} · extension host · {2}', when, took, engine);
    case 'cli':
      return l10n.t('{0} · {1} · command line · {2}', when, took, engine);
  }
}

export function sourceInWords(run: BisectRun): string {
  switch (run.source) {
    case 'draw':
      return l10n.t('draw {0}', run.draw + 1);
    case 'walk':
      return l10n.t('walk of {0}', formatCount(run.blockIds.length));
    case 'text':
      return l10n.t('prompt text');
    case 'ids':
      return l10n.t('prompt ids');
  }
}

/** layer 3 · q_rope */
export const placeInWords = (run: BisectRun, first: FirstDivergence): string => `${cut(run.rows[first.row]?.label ?? l10n.t('layer {0}', first.layer), room.name)} · ${cut(first.tap, room.name)}`;

/** The state tensor that shows a difference when no tap does. */
export const firstState = ({ state }: BisectRun): StateDiff | undefined => state.find(({ differingBytes }) => differingBytes > 0);

/** layer 0 · recurrent_state */
export const stateInWords = ({ layer, tensor }: StateDiff): string => l10n.t('layer {0} · {1}', layer, tensor);

/** Position in the block and in the whole sequence. */
export function positionInWords(run: BisectRun, position: number): string {
  const id = run.blockIds[position];
  const absolute = formatCount(run.promptIds.length + position);
  return id === undefined ? l10n.t('position {0} (absolute {1})', position, absolute) : l10n.t('position {0} (absolute {1}, id {2})', position, absolute, id);
}

export const logitBytes = (run: BisectRun): number => run.logits.differingBytes.reduce((sum, n) => sum + n, 0);
export const argmaxDiffers = ({ logits }: BisectRun, position: number): boolean => logits.argmaxA[position] !== logits.argmaxB[position];
export const otherChoices = (run: BisectRun): number => run.logits.argmaxA.filter((_, position) => argmaxDiffers(run, position)).length;

/** Without the name of the hash. */
export const shortFingerprint = (fingerprint: string): string => fingerprint.slice(fingerprint.indexOf(':') + 1, fingerprint.indexOf(':') + 13);

/** What a cell holds, for the hover card's reader by ear. */
export const cellInWords = (run: BisectRun, row: number, position: number): string => `${l10n.t('{0}, position {1}', cut(run.rows[row]?.label ?? '', room.name), position)}: ${cellAmounts(run, row, position)}`;

// Shapes that carry meaning besides their colour.
import * as l10n from '@vscode/l10n';
import type { VerdictWord } from '../../shared/verdictWord';
import { verdictMeans } from '../model/words';
import { element, foreign, svg } from './dom';

/** Outline and sign of each verdict in a box of 16 x 16; no two outlines are alike. */
const shapes: Readonly<Record<VerdictWord, { readonly outline: string; readonly sign: string }>> = {
  equal: { outline: 'M8 1.2a6.8 6.8 0 1 1 0 13.6a6.8 6.8 0 1 1 0-13.6z', sign: 'M5 6.3h6M5 9.7h6' },
  drift: { outline: 'M2 2h12v12H2z', sign: 'M4.5 9.2c1.2-3 2.4-3 3.5-1.2s2.3 1.8 3.5-1.2' },
  tie: { outline: 'M8 0.8L15.2 8L8 15.2L0.8 8z', sign: 'M5.2 8h5.6M8 5.2v5.6' },
  defect: { outline: 'M5 1h6l4 4v6l-4 4H5l-4-4V5z', sign: 'M5.3 5.3l5.4 5.4M10.7 5.3l-5.4 5.4' },
  declined: { outline: 'M8 1.2a6.8 6.8 0 1 1 0 13.6a6.8 6.8 0 1 1 0-13.6z', sign: 'M3.6 12.4l8.8-8.8' },
  void: { outline: 'M8 1.5L14.8 14H1.2z', sign: 'M8 6v4M8 11.4v0.8' },
};

export function verdictIcon(word: VerdictWord): SVGElement {
  const { outline, sign } = shapes[word];
  return svg(
    'svg',
    { class: `verdict-icon verdict-${word}`, attributes: { viewBox: '0 0 16 16', 'aria-hidden': 'true' } },
    svg('path', { class: 'outline', attributes: { d: outline } }),
    svg('path', { class: 'sign', attributes: { d: sign } }),
  );
}

export function verdictBadge(word: VerdictWord, large = false): HTMLElement {
  return element('span', { class: `verdict verdict-${word}${large ? ' large' : ''}`, attributes: { title: verdictMeans[word] } }, verdictIcon(word), foreign(word));
}

/** A filled mark for what differs, a faint one for what is equal; the words are for readers by ear. */
export function differsMark(differs: boolean): HTMLElement {
  return element('span', { class: differs ? 'mark differs' : 'mark', attributes: { role: 'img', 'aria-label': differs ? l10n.t('differs') : l10n.t('equal') } }, differs ? '≠' : '=');
}

/** Whether a proof holds. */
export function proofMark(holds: boolean): HTMLElement {
  return element('span', { class: holds ? 'mark holds' : 'mark fails', attributes: { role: 'img', 'aria-label': holds ? l10n.t('holds') : l10n.t('does not hold') } }, holds ? '✓' : '✗');
}

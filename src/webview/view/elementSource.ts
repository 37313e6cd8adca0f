// Where the elements come from, and the way to have all of them: the tile that the report keeps, or the engine.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import { button } from '../controls';
import type { ElementLoads } from '../elementLoads';
import { amount } from '../model/amount';
import { partings } from '../model/loadedProof';
import type { ShownTap } from '../model/shownTap';
import { element, foreign, whenChanged, type Part } from './dom';
import { proofMark } from './icons';

export function elementSource(loads: ElementLoads): Part<ShownTap> {
  let shown: ShownTap | null = null;
  const load = (): void => {
    if (shown !== null) loads.load(shown.at.run, shown.at.tap, shown.run.differing.firstIndex[shown.at.tap] ?? 0);
  };
  const words = element('div', { class: 'source-words' });
  const all = button(l10n.t('Load all elements'), load);
  all.title = l10n.t('Run both arms again up to this position, on the model of the report');
  const loading = loadingPart(() => loads.cancel());
  const node = element('div', { class: 'element-source' }, words, all, loading.node);
  const draw = whenChanged<ShownTap>(
    ({ run, at, pair, load: { state } }) => [run, at.tap, pair, state],
    (next) => {
      words.replaceChildren(...wordsOf(next));
      words.setAttribute('role', next.load.state === 'failed' ? 'alert' : 'status');
    },
  );
  return {
    node,
    update(next) {
      shown = next;
      const { state } = next.load;
      all.hidden = !loads.can || state === 'loading' || state === 'loaded';
      draw(next);
      loading.update(next);
    },
  };
}

/** Stays the same node while progress comes in, so that its button keeps the focus. */
function loadingPart(cancel: () => void): Part<ShownTap> {
  const text = foreign('');
  const bar = element('progress', { attributes: { 'aria-label': l10n.t('Loading the elements') } });
  const node = element('div', { class: 'element-loading' }, bar, text, button(l10n.t('Cancel'), cancel));
  return {
    node,
    update({ load }) {
      node.hidden = load.state !== 'loading';
      if (load.state !== 'loading') return;
      const { done, total, text: words } = load.progress;
      if (total > 0) bar.value = done / total;
      else bar.removeAttribute('value');
      text.textContent = words;
    },
  };
}

function wordsOf(shown: ShownTap): HTMLElement[] {
  const { load, pair } = shown;
  if (load.state === 'loaded') return pair === null ? [] : loadedWords(shown, pair);
  const kept = pair === null ? firstOnly(shown) : [paragraph(tileWords(pair))];
  return load.state === 'failed' ? [element('p', { class: 'notice', attributes: { translate: 'no' } }, load.sentence), ...kept] : kept;
}

const elements = (count: number): string => amount(count, l10n.t('{0} element'), l10n.t('{0} elements'));

const paragraph = (...children: (Node | string)[]): HTMLElement => element('p', { class: 'muted' }, ...children);

function tileWords({ count, source: { start, total } }: NonNullable<ShownTap['pair']>): string {
  if (count === total) return l10n.t('The report keeps all {0} of this tap.', elements(total));
  return l10n.t('The report keeps a tile of this tap: {0} of {1}, from {2} on. What stands below is told of the tile alone.', formatCount(count), elements(total), formatCount(start));
}

function firstOnly({ run: { differing }, at: { tap } }: ShownTap): HTMLElement[] {
  const { firstIndex, firstA, firstB, firstUlp } = differing;
  const values = [formatFloat(firstA[tap] ?? 0, 9), formatFloat(firstB[tap] ?? 0, 9), formatCount(firstUlp[tap] ?? 0)];
  return [element('p', {}, l10n.t('Element {0}: A {1}, B {2}, {3} ULP apart.', formatCount(firstIndex[tap] ?? 0), ...values)), paragraph(l10n.t('No tile of this tap was kept in the report: tiles are kept for the first taps that differ.'))];
}

function loadedWords({ report, run, at, load }: ShownTap, pair: NonNullable<ShownTap['pair']>): HTMLElement[] {
  if (load.state !== 'loaded') return [];
  const { start, total } = pair.source;
  const what = pair.count === total ? l10n.t('All {0}', elements(total)) : l10n.t('Elements {0} to {1} of {2}', formatCount(start), formatCount(start + pair.count - 1), formatCount(total));
  const against = partings(report, run, at.tap, load.answer, pair);
  if (against.length === 0) return [paragraph(proofMark(true), ' ', l10n.t('{0}, computed again by the engine. Counts, first difference and tile are those of the report.', what))];
  return [element('p', { class: 'notice' }, proofMark(false), ' ', [l10n.t('{0}, computed again by the engine, and not as the report tells: the model or the engine has changed since.', what), ...against].join(' '))];
}

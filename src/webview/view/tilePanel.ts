// The elements of a tap, A beside B: those around the first difference that the report keeps, or all of them where the engine computed them again.
import * as l10n from '@vscode/l10n';
import { formatCount, formatFloat } from '../../shared/format';
import type { BisectReport } from '../../shared/report';
import type { ElementLoads } from '../elementLoads';
import { amount } from '../model/amount';
import { shapeInWords } from '../model/elements';
import { indexOf, kernelOf } from '../model/runIndex';
import { shownTap, type ShownTap } from '../model/shownTap';
import type { CellInput } from './cellPanel';
import { code, element, foreign, whenChanged, type Part } from './dom';
import { elementGrid } from './elementGrid';
import { elementSource } from './elementSource';
import { elementStats } from './elementStats';

export interface TileInput extends CellInput {
  readonly report: BisectReport;
  readonly sections: Readonly<Record<string, boolean>>;
}

export interface TilePanelEvents {
  readonly loads: ElementLoads;
  readonly toggled: (name: string, open: boolean) => void;
  readonly failed: (error: unknown) => void;
}

export function tilePanel({ loads, toggled, failed }: TilePanelEvents): Part<TileInput> {
  const none = element('p', { class: 'empty' }, l10n.t('Every compared element of this cell is equal: there is no difference to show.'));
  const heading = headingPart();
  const grid = elementGrid({
    failed,
    load({ at }, around) {
      if (loads.can) loads.load(at.run, at.tap, around);
      return loads.can;
    },
  });
  const source = elementSource(loads);
  const stats = elementStats({ toggled, choose: grid.reveal });
  const shown = element('div', { class: 'tile' }, heading.node, source.node, grid.node, stats.node);
  const node = element('section', { class: 'tile-panel', attributes: { 'aria-label': l10n.t('Elements of the selected tap') } }, none, shown);
  let last: ShownTap | null = null;
  return {
    node,
    update({ report, run, selection, sections }) {
      const { tap } = selection;
      none.hidden = tap >= 0;
      shown.hidden = tap < 0;
      if (tap < 0) return;
      const load = loads.of(selection.run, tap);
      // Progress changes the load and not the elements, which are not made anew for it.
      const stays = last?.report === report && last.at.run === selection.run && last.at.tap === tap && (last.load.state === 'loaded' || load.state === 'loaded' ? last.load === load : true);
      last = stays && last !== null ? { ...last, load } : shownTap(report, run, { run: selection.run, tap }, load);
      for (const part of [heading, source, grid]) part.update(last);
      stats.update({ shown: last, sections });
    },
  };
}

function headingPart(): Part<ShownTap> {
  const node = element('header', { class: 'panel-header' });
  const draw = ({ run, at: { tap }, pair }: ShownTap): void => {
    const { differing } = run;
    const name = differing.tap[tap] ?? '';
    const kernel = kernelOf(indexOf(run), run.rows[differing.row[tap] ?? -1]?.layer ?? -2, name);
    const counts = l10n.t('{0} of {1} differ', formatCount(differing.differingElements[tap] ?? 0), amount(differing.elements[tap] ?? 0, l10n.t('{0} element'), l10n.t('{0} elements')));
    const first = l10n.t('first at {0}', formatCount(differing.firstIndex[tap] ?? 0));
    const most = l10n.t('max |A − B| {0}', formatFloat(differing.maxAbs[tap] ?? 0, 3));
    node.replaceChildren(
      element(
        'div',
        {},
        element('h2', { attributes: { translate: 'no' } }, name, pair ? foreign(` ${pair.source.dtype} ${shapeInWords(pair.source.shape)}`, 'muted') : null),
        element('p', { class: 'muted' }, [counts, first, most].join(' · ')),
        kernel ? element('p', { class: 'muted' }, 'A ', code(kernel.a), ' · B ', code(kernel.b)) : '',
      ),
    );
  };
  return { node, update: whenChanged(({ run, at, pair }) => [run, at.tap, pair], draw) };
}

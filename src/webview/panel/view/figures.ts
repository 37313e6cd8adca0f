// Rates of the run, and the drafts that were accepted round by round.
import * as l10n from '@vscode/l10n';
import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';
import type { PanelRates } from '../../../shared/panelProtocol';
import { formatCount, formatFloat } from '../../../shared/format';
import { share } from '../../model/numbers';
import { element, svg, whenChanged, type Part } from '../../view/dom';
import { barsOf, pathOf } from '../model/rounds';
import { figuresOf } from '../model/words';
import type { State } from '../store';

const high = 32;

function chart({ rounds, drafted, acceptedPerRound }: PanelRates): readonly Node[] {
  const bars = barsOf(acceptedPerRound);
  const highest = max(bars) ?? 0;
  const most = Math.max(share(drafted, rounds), highest, 1);
  const y = scaleLinear([0, most], [0, high]);
  const mean = formatFloat(share(acceptedPerRound.reduce((sum, n) => sum + n, 0), acceptedPerRound.length), 3);
  const label = l10n.t('Accepted drafts of {0} rounds, {1} a round, at most {2}', formatCount(acceptedPerRound.length), mean, formatFloat(highest, 3));
  // Stretched to the width there is; nothing in it has a stroke that would be stretched as well.
  const picture = svg(
    'svg',
    { class: 'round-bars', attributes: { role: 'img', 'aria-label': label, viewBox: `0 0 ${bars.length} ${high}`, preserveAspectRatio: 'none' } },
    svg('path', { attributes: { d: pathOf(bars.map((bar) => y(bar)), high) } }),
  );
  const caption = element('figcaption', {}, element('span', {}, l10n.t('Accepted drafts a round')), element('span', {}, l10n.t('{0} of {1}', mean, formatFloat(share(drafted, rounds), 3))));
  return [caption, picture];
}

export function figures(): Part<State> {
  const list = element('dl', { class: 'figures' });
  const rounds = element('figure', { class: 'rounds' });
  const node = element('section', { attributes: { 'aria-label': l10n.t('Figures of the run') } }, list, rounds);
  const draw = whenChanged<State>(
    ({ run }) => [run?.rates, run?.state],
    ({ run }) => {
      node.hidden = run === null;
      if (run === null) return;
      list.replaceChildren(...figuresOf(run).map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))));
      rounds.hidden = run.rates.acceptedPerRound.length === 0;
      rounds.replaceChildren(...(rounds.hidden ? [] : chart(run.rates)));
    },
  );
  return { node, update: draw };
}

// What the lines under the tokens mean, and how many of each there are.
import * as l10n from '@vscode/l10n';
import { tokenOrigins, type PanelToken, type TokenOrigin } from '../../../shared/panelProtocol';
import { formatCount } from '../../../shared/format';
import { element, whenChanged, type Part } from '../../view/dom';
import { originWords } from '../model/origins';
import type { State } from '../store';

/** Counted as they come, not from the start each time. */
class Counts {
  private shown = -1;
  private seen = 0;
  private counts = new Map<TokenOrigin, number>();

  of(shown: number, tokens: readonly PanelToken[]): ReadonlyMap<TokenOrigin, number> {
    if (shown !== this.shown) [this.shown, this.seen, this.counts] = [shown, 0, new Map<TokenOrigin, number>()];
    for (; this.seen < tokens.length; this.seen++) {
      const { origin } = tokens[this.seen] ?? { origin: 'unknown' };
      this.counts.set(origin, (this.counts.get(origin) ?? 0) + 1);
    }
    return this.counts;
  }
}

export function originLegend(): Part<State> {
  const node = element('ul', { class: 'origins', attributes: { 'aria-label': l10n.t('Tokens by origin') } });
  const all = new Counts();
  const draw = whenChanged<State>(
    ({ shown, run }) => [shown, run?.tokens],
    ({ shown, run }) => {
      const counts = all.of(shown, run?.tokens ?? []);
      const keys = tokenOrigins.flatMap((origin) => {
        const { name, means } = originWords[origin];
        const count = counts.get(origin) ?? 0;
        return count === 0 ? [] : [element('li', { attributes: { title: means } }, element('span', { class: `token ${origin}` }, name), ' ', formatCount(count))];
      });
      node.replaceChildren(...keys);
    },
  );
  return { node, update: draw };
}

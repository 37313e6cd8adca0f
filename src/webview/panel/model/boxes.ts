// What stands in the boxes of the panel, and what it means as options of a request. Numbers stay as they are typed.
import * as l10n from '@vscode/l10n';
import type { PanelOptions } from '../../../shared/panelProtocol';
import { formatCount, formatFloat } from '../../../shared/format';

export interface Boxes {
  readonly maxTokens: string;
  readonly temperature: string;
  readonly chat: boolean;
  readonly speculation: boolean;
  readonly cache: boolean;
}

/** Beyond them a typing error is likelier than a wish. */
export const limits = { maxTokens: 1_000_000, temperature: 10 } as const;

export const boxesOf = ({ maxTokens, temperature, ...rest }: PanelOptions): Boxes => ({ ...rest, maxTokens: String(maxTokens), temperature: String(temperature) });

const numberIn = (text: string): number => (text.trim() === '' ? NaN : Number(text));

/** Options, or what is wrong with a box. */
export function optionsOf({ maxTokens, temperature, ...rest }: Boxes): PanelOptions | string {
  const [tokens, heat] = [numberIn(maxTokens), numberIn(temperature)];
  if (!Number.isInteger(tokens) || tokens < 1 || tokens > limits.maxTokens) return l10n.t('Max. tokens: give a whole number from 1 to {0}.', formatCount(limits.maxTokens));
  if (!(heat >= 0 && heat <= limits.temperature)) return l10n.t('Temperature: give a number from 0 (greedy) to {0}.', limits.temperature);
  return { ...rest, maxTokens: tokens, temperature: heat };
}

/** One phrase, readable while the options are folded. */
export function optionsInWords(options: PanelOptions | string): string {
  if (typeof options === 'string') return l10n.t('to be mended');
  const { maxTokens, temperature, chat, speculation, cache } = options;
  return [
    l10n.t('{0} tokens', formatCount(maxTokens)),
    temperature === 0 ? l10n.t('greedy') : l10n.t('temperature {0}', formatFloat(temperature, 3)),
    ...(chat ? [l10n.t('chat')] : []),
    ...(speculation ? [] : [l10n.t('no speculation')]),
    ...(cache ? [] : [l10n.t('no cache')]),
  ].join(' · ');
}

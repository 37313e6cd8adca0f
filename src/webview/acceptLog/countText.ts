// A number of a log.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import { element, type Child } from '../view/dom';

/** "12,345", a dash where the log does not say. */
export const countText = (value: number | null): Child => (value === null ? element('span', { class: 'muted', attributes: { title: l10n.t('the log does not say') } }, '–') : formatCount(value));

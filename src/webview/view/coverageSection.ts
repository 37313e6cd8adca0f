// What was compared, and what was not.
import * as l10n from '@vscode/l10n';
import type { Report } from '../../shared/report';
import { amount } from '../model/amount';
import { element } from './dom';
import type { SectionOptions } from './section';

type Coverage = Report['coverage'];

export const coverageSection: SectionOptions<Coverage> = {
  name: 'coverage',
  title: l10n.t('Coverage'),
  open: true,
  summary: ({ notCovered }) => (notCovered.length === 0 ? l10n.t('no limits named') : amount(notCovered.length, l10n.t('{0} thing not covered'), l10n.t('{0} things not covered'))),
  draw: ({ compared, notCovered }) => [
    element('div', { class: 'two' }, listOf(l10n.t('Compared'), compared, l10n.t('Nothing was compared.'), 'covered'), listOf(l10n.t('Not covered'), notCovered, l10n.t('The report names no limits.'), 'uncovered')),
  ],
};

function listOf(title: string, items: readonly string[], empty: string, name: string): HTMLElement {
  const content = items.length === 0 ? element('p', { class: 'empty' }, empty) : element('ul', { class: name, attributes: { translate: 'no' } }, ...items.map((item) => element('li', {}, item)));
  return element('div', {}, element('h3', {}, title), content);
}

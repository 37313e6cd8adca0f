// What was compared, and what was not.
import { plural } from '../../shared/format';
import type { Report } from '../../shared/report';
import { element } from './dom';
import type { SectionOptions } from './section';

type Coverage = Report['coverage'];

export const coverageSection: SectionOptions<Coverage> = {
  name: 'coverage',
  title: 'Coverage',
  open: true,
  summary: ({ notCovered }) => (notCovered.length === 0 ? 'no limits named' : `${plural(notCovered.length, 'thing')} not covered`),
  draw: ({ compared, notCovered }) => [
    element('div', { class: 'two' }, listOf('Compared', compared, 'Nothing was compared.', 'covered'), listOf('Not covered', notCovered, 'The report names no limits.', 'uncovered')),
  ],
};

function listOf(title: string, items: readonly string[], empty: string, name: string): HTMLElement {
  const content = items.length === 0 ? element('p', { class: 'empty' }, empty) : element('ul', { class: name }, ...items.map((item) => element('li', {}, item)));
  return element('div', {}, element('h3', {}, title), content);
}

// A report in words and tables: the account of its probe, section by section.
import * as l10n from '@vscode/l10n';
import { accountOf, type Section, type Table } from '../../shared/account';
import type { Report } from '../../shared/report';
import { isVerdict } from '../../shared/verdictWord';
import type { Store, View } from '../store';
import { element, foreign, muted, whenChanged, type Child, type Part } from './dom';
import { amount } from '../model/amount';
import { verdictBadge } from './icons';
import { inPages } from './more';
import { section, type SectionInput } from './section';
import { table, type Column } from './table';

export interface AccountInput {
  readonly report: Report;
  readonly view: View;
}

type Row = readonly string[];

function columnsOf({ columns }: Table): Column<Row>[] {
  return columns.map(({ title, right }, i): Column<Row> => ({ title, ...(right === true ? { number: true } : {}), ...(i === 0 ? { heads: true } : {}), cell: (row) => cellOf(row[i] ?? '') }));
}

const cellOf = (text: string): Child => (isVerdict(text) ? verdictBadge(text) : text === '-' ? muted('–') : text);

function told(caption: string, one: Table): HTMLElement {
  const node = table({ caption, columns: columnsOf(one), rows: one.rows });
  node.translate = false;
  return node;
}

const linesAPage = 100;
const sectionsAPage = 50;

function drawn({ heading, lines, tables }: Section): Child[] {
  const paragraphs = element('div', { class: 'account-lines' });
  const more = inPages(lines, linesAPage, paragraphs, (line) => element('p', { class: 'account-line', attributes: { dir: 'auto', translate: 'no' } }, line));
  const parts = tables.flatMap((one): Child[] => [told(heading, one), one.note === '' ? null : element('p', {}, foreign(one.note, 'muted'))]);
  return [...(lines.length === 0 ? [] : [paragraphs, more]), ...parts];
}

/** Readable while the section is folded. */
function summaryOf({ lines, tables }: Section): string {
  const rows = tables.reduce((sum, { rows: { length } }) => sum + length, 0);
  return rows > 0 ? amount(rows, l10n.t('{0} row'), l10n.t('{0} rows')) : lines.length === 1 ? '' : l10n.t('{0} lines', lines.length);
}

export function accountView(store: Store): Part<AccountInput> {
  const node = element('div', { class: 'account' });
  const toggled = (name: string, open: boolean): void => store.dispatch({ type: 'section', name, open });
  let parts: { readonly part: Part<SectionInput<Section>>; readonly content: Section }[] = [];
  let kept: View['sections'] = {};
  const build = whenChanged<Report>(
    (report) => [report],
    (report) => {
      const { question, sections } = accountOf(report);
      parts = [];
      const folds = element('div', { class: 'sections' });
      const more = inPages(sections, sectionsAPage, folds, (content) => {
        const part = section<Section>({ name: `account-${content.heading}`, title: content.heading, foreign: 'title', open: !content.detail, summary: summaryOf, draw: drawn }, toggled);
        part.update({ content, sections: kept });
        parts.push({ part, content });
        return part.node;
      });
      node.replaceChildren(element('p', { class: 'question', attributes: { translate: 'no' } }, question), folds, more);
    },
  );
  return {
    node,
    update({ report, view }) {
      kept = view.sections;
      build(report);
      for (const { part, content } of parts) part.update({ content, sections: view.sections });
    },
  };
}

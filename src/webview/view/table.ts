// Real tables, drawn in pages so that ten thousand rows do not become ten thousand nodes at once.
import { element, type Child } from './dom';
import { inPages } from './more';
import { scroller } from './scroller';

export interface Column<Row> {
  readonly title: string;
  readonly hint?: string;
  readonly number?: boolean;
  readonly cell: (row: Row, index: number) => Child;
  /** Names the row: becomes its header cell. */
  readonly heads?: boolean;
  /** Its cells hold names and words of the report, which no language changes. */
  readonly foreign?: boolean;
}

export interface TableOptions<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowClass?: (row: Row, index: number) => string;
  /** Heading cells other than plain titles, one a column. */
  readonly heading?: (column: Column<Row>, index: number) => HTMLElement;
  readonly page?: number;
}

export function table<Row>(options: TableOptions<Row>): HTMLElement {
  const { caption, columns, rows, page = 200 } = options;
  const body = element('tbody');
  const heading = options.heading ?? plainHeading;
  const made = element(
    'table',
    {},
    element('caption', { class: 'reader-only' }, caption),
    element('thead', {}, element('tr', {}, ...columns.map((column, i) => heading(column, i)))),
    body,
  );
  return scroller(caption, made, inPages(rows, page, body, (row, i) => tableRow(options, row, i)));
}

function plainHeading<Row>({ title, hint, number }: Column<Row>): HTMLElement {
  return element('th', { class: number === true ? 'number' : '', attributes: { scope: 'col', ...(hint === undefined ? {} : { title: hint }) } }, title);
}

export function cellNode<Row>({ cell, number, heads, foreign }: Column<Row>, row: Row, index: number): HTMLElement {
  const attributes = { ...(heads === true ? { scope: 'row' } : {}), ...(foreign === true ? { translate: 'no' } : {}) };
  return element(heads === true ? 'th' : 'td', { class: number === true ? 'number' : '', attributes }, cell(row, index));
}

function tableRow<Row>({ columns, rowClass }: TableOptions<Row>, row: Row, index: number): HTMLElement {
  return element('tr', { class: rowClass?.(row, index) ?? '' }, ...columns.map((column) => cellNode(column, row, index)));
}

/** A share as a short bar with its words. */
export function bar(share: number, words: string, title = ''): HTMLElement {
  const fill = element('span', { class: 'bar-fill' });
  fill.style.width = `${Math.max(share > 0 ? 2 : 0, share * 100)}%`;
  return element('span', { class: 'barred', attributes: title === '' ? {} : { title } }, element('span', { class: 'bar', attributes: { 'aria-hidden': 'true' } }, fill), element('span', {}, words));
}

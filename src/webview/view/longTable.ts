// A table of any length: real rows for what is in sight, room for the rest. Its rows are reached by keys as well: arrows, pages, ends, Enter.
import { element } from './dom';
import { cellNode, type Column } from './table';
import { RowCache } from './rowCache';

/** Pixels; the style sheet holds rows to it. */
const rowHeight = 24;
const overscan = 8;
/** A browser has no element much higher than this. */
const mostPixels = 30_000_000;

export interface LongColumn<Row> extends Column<Row> {
  /** Class of its width, of the style sheet. */
  readonly width: string;
}

export interface LongTableOptions<Row> {
  readonly name: string;
  readonly caption: string;
  readonly columns: readonly LongColumn<Row>[];
  readonly fetch: (from: number, to: number) => Promise<readonly Row[]>;
  readonly failed: (error: unknown) => void;
  readonly rowClass?: (row: Row, index: number) => string;
  /** Moving to a row chooses it; its row, if it is there already. */
  readonly chosen?: (index: number, row: Row | undefined) => void;
  /** Enter on a row, or a double click. */
  readonly entered?: (row: Row, index: number) => void;
}

export class LongTable<Row> {
  readonly node: HTMLElement;
  private readonly grid: HTMLTableElement;
  private readonly body = element('tbody');
  private readonly above = element('td', { attributes: { 'aria-hidden': 'true' } });
  private readonly below = element('td', { attributes: { 'aria-hidden': 'true' } });
  private readonly cache: RowCache<Row>;
  private count = 0;
  private active = 0;
  private drawing = 0;
  private fresh = true;

  constructor(private readonly options: LongTableOptions<Row>) {
    const { name, caption, columns } = options;
    this.cache = new RowCache(options.fetch, () => this.drawSoon(), options.failed);
    const headings = columns.map(({ title, hint, number }) => element('th', { class: number === true ? 'number' : '', attributes: { scope: 'col', ...(hint === undefined ? {} : { title: hint }) } }, title));
    this.grid = element(
      'table',
      { class: `long-${name}`, attributes: { role: 'grid', tabindex: 0, 'aria-label': caption, 'aria-colcount': columns.length } },
      element('colgroup', {}, ...columns.map(({ width }) => element('col', { class: width }))),
      element('thead', {}, element('tr', { attributes: { 'aria-rowindex': 1 } }, ...headings)),
      this.body,
    );
    this.node = element('div', { class: `long-table long-table-${name}` }, this.grid);
    for (const edge of [this.above, this.below]) edge.colSpan = columns.length;
    this.node.addEventListener('scroll', () => this.drawSoon(), { passive: true });
    this.grid.addEventListener('keydown', (event) => this.pressed(event));
    this.body.addEventListener('click', (event) => this.clicked(event));
    this.body.addEventListener('dblclick', (event) => this.enter(this.indexOf(event.target)));
    new ResizeObserver(() => this.drawSoon()).observe(this.node);
  }

  /** The list has this many rows now; `changed`: those that were there may be others. */
  show(count: number, changed: boolean): void {
    if (changed || count !== this.count) this.cache.renew();
    this.fresh = true;
    this.count = Math.min(count, Math.floor(mostPixels / rowHeight));
    this.active = Math.min(this.active, Math.max(0, this.count - 1));
    this.grid.setAttribute('aria-rowcount', String(count + 1));
    this.drawSoon();
  }

  /** Makes a row the active one and brings it into sight, `lead` rows below the upper edge. */
  reveal(index: number, lead = 3): void {
    this.active = index;
    // A table that was not drawn since its length changed cannot be scrolled yet.
    if (this.fresh) this.draw();
    const room = this.node.clientHeight - rowHeight;
    const top = index * rowHeight;
    if (top < this.node.scrollTop || top + rowHeight > this.node.scrollTop + room) this.node.scrollTop = Math.max(0, top - lead * rowHeight);
    this.drawSoon();
  }

  get activeRow(): number {
    return this.active;
  }

  private drawSoon(): void {
    if (this.drawing !== 0) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.draw();
    });
  }

  private draw(): void {
    const { count, node } = this;
    this.fresh = false;
    const from = Math.max(0, Math.floor(node.scrollTop / rowHeight) - overscan);
    const to = Math.min(count, Math.ceil((node.scrollTop + Math.max(node.clientHeight, rowHeight)) / rowHeight) + overscan);
    const rows = Array.from({ length: Math.max(0, to - from) }, (_, i) => this.rowNode(from + i));
    this.above.style.height = `${from * rowHeight}px`;
    this.below.style.height = `${Math.max(0, count - to) * rowHeight}px`;
    const edge = (cell: HTMLElement): HTMLElement => element('tr', { class: 'edge', attributes: { role: 'presentation' } }, cell);
    // A button of a row that is drawn again keeps the focus.
    const focused = document.activeElement instanceof HTMLElement && this.body.contains(document.activeElement) ? document.activeElement.closest('tr')?.id : undefined;
    this.body.replaceChildren(edge(this.above), ...rows, edge(this.below));
    if (focused !== undefined) (this.body.querySelector<HTMLElement>(`#${CSS.escape(focused)} button`) ?? this.grid).focus({ preventScroll: true });
    if (count > 0) this.grid.setAttribute('aria-activedescendant', this.idOf(this.active));
    else this.grid.removeAttribute('aria-activedescendant');
  }

  private idOf(index: number): string {
    return `${this.options.name}-${index}`;
  }

  private rowNode(index: number): HTMLElement {
    const row = this.cache.row(index);
    const { columns, rowClass } = this.options;
    const isActive = index === this.active;
    const attributes = { id: this.idOf(index), 'aria-rowindex': index + 2, 'aria-selected': String(isActive), 'data-index': index };
    const cells = row === undefined ? [element('td', { class: 'waiting', attributes: { colspan: columns.length } }, '…')] : columns.map((column) => cellNode(column, row, index));
    return element('tr', { class: [isActive ? 'chosen' : '', row === undefined ? '' : (rowClass?.(row, index) ?? '')].join(' ').trim(), attributes }, ...cells);
  }

  private indexOf(target: EventTarget | null): number | null {
    const index = target instanceof Element ? target.closest('tr')?.dataset['index'] : undefined;
    return index === undefined ? null : Number(index);
  }

  private clicked(event: Event): void {
    const index = this.indexOf(event.target);
    if (index !== null) this.moveTo(index);
  }

  private enter(index: number | null): void {
    const row = index === null ? undefined : this.cache.row(index);
    if (row !== undefined && index !== null) this.options.entered?.(row, index);
  }

  private pressed(event: KeyboardEvent): void {
    if (event.target !== this.grid || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === 'Enter') this.enter(this.active);
    else {
      const page = Math.max(1, Math.floor(this.node.clientHeight / rowHeight) - 2);
      const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
      const step = steps[event.key];
      if (step === undefined) return;
      this.moveTo(Math.min(this.count - 1, Math.max(0, this.active + step)));
    }
    event.preventDefault();
  }

  private moveTo(index: number): void {
    if (index < 0 || index >= this.count) return;
    this.reveal(index, index < this.active ? 0 : Math.max(0, Math.floor(this.node.clientHeight / rowHeight) - 3));
    this.options.chosen?.(index, this.cache.row(index));
  }
}

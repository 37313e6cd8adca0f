// The timeline of the request that is looked at, or of the two that are compared. Asks for one picture of tokens at a time, and for none while it is folded.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import type { LogTokens, RequestDetail } from '../../shared/logReaderProtocol';
import { mostPositions } from '../../shared/timelineLimits';
import { button, enable } from '../controls';
import { cellText, rowText } from '../model/export/cells';
import type { Drawing } from '../model/export/sheet';
import type { Cell, Grid } from '../model/grid';
import { spanAt } from '../model/spanAt';
import { followingCell, keptSight, type Sight } from '../model/span';
import { element } from '../view/dom';
import { fold } from '../view/fold';
import { contentFrom, gridDrawing, gridTable } from '../view/export/gridPicture';
import { pictureTools, type PictureSource } from '../view/export/pictureTools';
import { heatMap } from '../view/map/heatMap';
import type { LogEvents } from './events';
import { compareTimeline, requestTimeline } from './logTimelines';
import type { Questions } from './questions';

/** What is to be seen. `reveal`: shows the round of a token in the table below, by its place. */
export interface Shown {
  readonly a: Pick<RequestDetail, 'ordinal' | 'facts' | 'shown'>;
  readonly b: Pick<RequestDetail, 'ordinal' | 'facts' | 'shown'> | null;
  /** Where both texts part, null: nowhere that both tell. */
  readonly fork: number | null;
  readonly reveal: (round: number) => void;
  /** Of the requests and their logs. */
  readonly title: string;
}

/** Milliseconds: who holds a key down to go through the requests looks at none of them. */
const rest = 120;

/** As it is looked at. */
interface Seen {
  readonly grid: Grid;
  readonly title: string;
  readonly selected: Cell;
  readonly sight: Sight | null;
}

interface Picture {
  readonly grid: Grid;
  readonly tokens: LogTokens;
  /** Positions in all, of the longer of two. */
  readonly total: number;
}

export class TimelinePanel {
  private readonly map = heatMap({ choose: (cell) => this.choose(cell), look: (sight) => this.look(sight) });
  private readonly range = element('span', { class: 'muted', attributes: { role: 'status' } });
  private readonly earlier = button(l10n.t('Earlier'), () => this.move(-mostPositions));
  private readonly later = button(l10n.t('Later'), () => this.move(mostPositions));
  private readonly pages = element('div', { class: 'toolbar' }, this.earlier, this.later, this.range);
  private readonly words = element('p', { class: 'cell-words' });
  private readonly tools = pictureTools(this.source(), { copy: (text) => this.events.copy(text), exported: (file) => this.events.pictureAs(file), notExported: () => undefined }, ['png', 'svg', 'csv']);
  private readonly fold;
  readonly node: HTMLElement;
  private isOpen = true;
  private shown: Shown | null = null;
  private picture: Picture | null = null;
  private from = 0;
  private selected: Cell = { row: 0, position: 0 };
  private sight: Sight | null = null;
  private waiting: number | undefined;
  /** Of the latest question: an older one that is answered later is not drawn. */
  private asked = 0;
  private stale = false;

  constructor(
    private readonly questions: Questions,
    private readonly events: LogEvents,
  ) {
    const body = element('div', {}, this.tools.node, this.pages, this.map.node, this.words);
    this.fold = fold({ name: 'timeline', title: l10n.t('Timeline'), open: true }, body, (_name, open) => this.toggled(open));
    this.fold.update('', {});
    this.node = element('div', { class: 'log-timeline' }, this.fold.node);
  }

  /** The same request again is one that grew: it stays where it is looked at. */
  show(shown: Shown): void {
    const same = this.shown?.a.ordinal === shown.a.ordinal && this.shown.b?.ordinal === shown.b?.ordinal;
    this.shown = shown;
    // Where one of two has no rounds in order, nothing stands beside the other.
    this.node.hidden = [shown.a, ...(shown.b === null ? [] : [shown.b])].some((one) => (one.shown ?? 0) === 0);
    if (!same) {
      this.picture = null;
      this.from = shown.fork === null ? 0 : pageOf(shown.fork);
      this.sight = null;
    }
    this.askSoon();
  }

  private toggled(open: boolean): void {
    this.isOpen = open;
    this.fold.update(this.note, { timeline: open });
    if (open && this.stale) this.askSoon();
  }

  private get note(): string {
    return this.picture === null ? '' : l10n.t('{0} tokens', formatCount(this.picture.total));
  }

  private askSoon(): void {
    this.stale = true;
    window.clearTimeout(this.waiting);
    if (this.isOpen && !this.node.hidden) this.waiting = window.setTimeout(() => void this.ask().catch((error: unknown) => this.events.failed(error)), rest);
  }

  private async ask(): Promise<void> {
    const { shown, from } = this;
    if (shown === null) return;
    const question = (this.asked += 1);
    this.stale = false;
    const { a, b } = shown;
    const tokens = await this.questions.ask({ ask: 'tokens', slot: 'a', request: a.ordinal, from });
    const other = b === null ? null : await this.questions.ask({ ask: 'tokens', slot: 'b', request: b.ordinal, from });
    if (question !== this.asked || shown !== this.shown) return;
    const grid = b === null || other === null ? requestTimeline(tokens, a.facts) : compareTimeline({ tokens, facts: a.facts }, { tokens: other, facts: b.facts }, shown.fork);
    const isFirst = this.picture === null;
    this.picture = { grid, tokens, total: Math.max(tokens.total, other?.total ?? 0) };
    if (isFirst) this.selected = grid.first ?? { row: 0, position: 0 };
    this.selected = { row: Math.min(this.selected.row, grid.rows.length - 1), position: Math.min(this.selected.position, Math.max(0, grid.positions - 1)) };
    this.draw();
  }

  private draw(): void {
    if (this.picture === null) return;
    const { grid, total } = this.picture;
    const { from, selected } = this;
    this.sight = keptSight(this.sight, grid.rows.length, grid.positions);
    const to = from + grid.positions;
    this.pages.hidden = total <= mostPositions;
    this.range.textContent = l10n.t('Tokens {0} to {1} of {2}. The others are not in this picture.', formatCount(from), formatCount(to - 1), formatCount(total));
    enable(this.earlier, from > 0, from > 0 ? '' : l10n.t('The picture begins with the first token.'));
    enable(this.later, to < total, to < total ? '' : l10n.t('The picture ends with the last token.'));
    this.fold.update(this.note, { timeline: this.isOpen });
    this.map.update({ grid, measure: 'tokens', selected, sight: this.sight });
    this.words.textContent = grid.words(selected);
    const seen = this.seen();
    if (seen !== null) this.tools.update(seen);
  }

  private seen(): Seen | null {
    const { picture, shown, selected, sight, isOpen } = this;
    return picture === null || shown === null || !isOpen || this.node.hidden ? null : { grid: picture.grid, title: shown.title, selected, sight };
  }

  private source(): PictureSource<Seen> {
    const drawing = ({ grid, title, sight }: Seen): Drawing => gridDrawing({ grid, measure: 'tokens', sight }, { title: l10n.t('Timeline'), verdict: '', run: title });
    return {
      state: () => this.seen(),
      content: (seen, format) => contentFrom(format, { drawing: () => drawing(seen), table: () => gridTable(seen.grid), record: () => '' }),
      drawing,
      cell: ({ grid, selected }) => cellText(grid, selected),
      row: ({ grid, selected }) => rowText(grid, { name: 'tokens' }, selected.row),
      name: ({ title }) => title,
      key: ({ grid, selected: { row, position } }) => [grid, row, position],
    };
  }

  private choose(cell: Cell): void {
    this.selected = cell;
    this.sight = this.sight && followingCell(this.sight, cell);
    this.draw();
    const round = this.picture && spanAt(this.picture.tokens.rounds, this.from + cell.position);
    if (round) this.shown?.reveal(round.place);
  }

  private look(sight: Sight): void {
    this.sight = sight;
    this.draw();
  }

  private move(by: number): void {
    this.from = Math.max(0, this.from + by);
    [this.sight, this.selected] = [null, { row: 0, position: 0 }];
    this.askSoon();
  }
}

/** The beginning of the picture that a position lies in. */
const pageOf = (position: number): number => Math.floor(position / mostPositions) * mostPositions;

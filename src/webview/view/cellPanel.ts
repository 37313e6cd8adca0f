// The taps of the selected cell as a lane in data order: equal until the first that differs.
import * as l10n from '@vscode/l10n';
import type { BisectRun } from '../../shared/report';
import type { Selection } from '../../shared/viewProtocol';
import { button } from '../controls';
import { bisectGrid } from '../model/bisectGrid';
import { cellAmounts } from '../model/cellAmounts';
import { differingCells } from '../model/grid';
import { along, differingNode, isLaneKey, laneOf, type Lane } from '../model/lane';
import { tapList } from '../model/tapList';
import { cellInWords, kindWords, positionInWords } from '../model/words';
import { element, foreign, muted, whenChanged, type Part } from './dom';
import { laneView, markChosen } from './lane';

export interface CellInput {
  readonly run: BisectRun;
  readonly selection: Selection;
}

export interface CellEvents {
  readonly choose: (tap: number) => void;
  /** Next (1) or previous (-1) differing cell. */
  readonly step: (step: 1 | -1) => void;
  readonly leave: () => void;
}

export interface CellPanel extends Part<CellInput> {
  readonly focus: () => void;
}

const noLane: Lane = { nodes: [], lines: [], rails: 0, first: -1 };

export const cellPanel = (events: CellEvents): CellPanel => new Panel(events);

class Panel implements CellPanel {
  readonly node = element('section', { class: 'cell-panel', attributes: { 'aria-label': l10n.t('Taps of the selected cell') } });
  private readonly steps: HTMLElement;
  private readonly draw: (input: CellInput) => void;
  private lane = noLane;
  private chosen = -1;

  constructor(private readonly events: CellEvents) {
    const previous = button(l10n.t('‹ Previous'), () => this.step(-1));
    const next = button(l10n.t('Next ›'), () => this.step(1));
    previous.title = l10n.t('Previous differing tap, in this cell or an earlier one (p)');
    next.title = l10n.t('Next differing tap, in this cell or a later one (n)');
    this.steps = element('div', { class: 'actions' }, previous, next);
    this.draw = whenChanged<CellInput>(({ run, selection }) => [run, selection.row, selection.position], (input) => this.redraw(input));
    this.node.addEventListener('keydown', (event) => this.pressed(event));
    this.node.addEventListener('click', (event) => this.clicked(event));
  }

  update(input: CellInput): void {
    this.draw(input);
    this.chosen = input.selection.tap;
    markChosen(this.node, this.chosen);
  }

  readonly focus = (): void => this.node.querySelector<HTMLElement>('.lane-node[tabindex="0"]')?.focus();

  private redraw({ run, selection: { row, position } }: CellInput): void {
    const kind = run.rows[row]?.kind;
    this.lane = kind === undefined ? noLane : laneOf(kind, tapList(run, row, position));
    this.steps.hidden = differingCells(bisectGrid(run)).length === 0;
    const summary = element('p', { class: 'cell-summary' }, cellAmounts(run, row, position));
    const taps = this.lane.nodes.length === 0 ? element('p', { class: 'empty' }, l10n.t('The report names no taps for this row.')) : laneView(l10n.t('Taps of {0}', cellInWords(run, row, position)), this.lane);
    this.node.replaceChildren(heading(run, row, position, this.steps), summary, taps);
  }

  /** The next differing tap; at the end of the lane the first of the next differing cell, and backwards the last of the one before. */
  private step(step: 1 | -1): void {
    const inLane = this.focused() !== null;
    const next = differingNode(this.lane, this.focused() ?? this.lane.nodes.findIndex(({ differing }) => differing >= 0 && differing === this.chosen), step);
    if (next >= 0) this.choose(next);
    else {
      this.events.step(step);
      this.choose(step > 0 ? this.lane.first : differingNode(this.lane, this.lane.nodes.length, -1));
    }
    if (inLane) this.focus();
  }

  private choose(at: number): void {
    const tap = this.lane.nodes[at]?.differing ?? -1;
    if (tap >= 0 && tap !== this.chosen) this.events.choose(tap);
  }

  private focused(): number | null {
    const at = document.activeElement instanceof HTMLElement && this.node.contains(document.activeElement) ? document.activeElement.dataset['at'] : undefined;
    return at === undefined ? null : Number(at);
  }

  private clicked({ target }: Event): void {
    const at = target instanceof Element ? target.closest<HTMLElement>('.lane-node')?.dataset['at'] : undefined;
    if (at !== undefined) this.choose(Number(at));
  }

  private pressed(event: KeyboardEvent): void {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { key } = event;
    const at = this.focused();
    if (key === 'Escape') this.events.leave();
    else if (key === 'n' || key === 'p') this.step(key === 'n' ? 1 : -1);
    else if (at !== null && isLaneKey(key)) this.node.querySelector<HTMLElement>(`.lane-node[data-at="${along(this.lane, at, key)}"]`)?.focus();
    else return;
    event.preventDefault();
  }
}

function heading(run: BisectRun, row: number, position: number, steps: HTMLElement): HTMLElement {
  const mapRow = run.rows[row];
  const kind = mapRow && mapRow.label !== kindWords[mapRow.kind].name ? ` · ${kindWords[mapRow.kind].name}` : '';
  return element(
    'header',
    { class: 'panel-header' },
    element('div', {}, element('h2', {}, foreign(mapRow?.label ?? ''), muted(kind)), element('p', { class: 'muted' }, positionInWords(run, position))),
    steps,
  );
}

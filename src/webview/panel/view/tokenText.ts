// The text of a run, token by token. It only ever grows: what was drawn is not touched again until another run is shown.
import * as l10n from '@vscode/l10n';
import type { PanelRun, PanelToken } from '../../../shared/panelProtocol';
import { element, type Part } from '../../view/dom';
import { align, left, type Piece, type Waiting } from '../model/align';
import { signOf, tokenInWords } from '../model/origins';
import type { State } from '../store';
import { tokenCard } from './tokenCard';
import type { Ui } from './ui';

/** Nearer to the end than this many pixels counts as being there. */
const atEnd = 12;
/** A block has at least so many tokens, and ends with the next line. */
const blockTokens = 64;
/** A line that is longer is broken here. */
const longestBlock = 512;

interface Drawn {
  readonly shown: number;
  readonly tokens: number;
  readonly text: number;
}
const nothing: Drawn = { shown: -1, tokens: 0, text: 0 };

export interface TokenText extends Part<State> {
  /** To be placed above all that scrolls. */
  readonly card: HTMLElement;
}

export const tokenText = (ui: Ui): TokenText => new Tokens(ui);

class Tokens implements TokenText {
  readonly node = element('div', { class: 'text', attributes: { tabindex: 0, role: 'group', 'aria-label': l10n.t('Text of the run: left and right go from token to token'), dir: 'auto', translate: 'no' } });
  private readonly spoken = element('div', { class: 'reader-only', attributes: { 'aria-live': 'polite' } });
  private readonly facts = tokenCard();
  readonly card = element('div', {}, this.facts.node, this.spoken);
  private run: PanelRun | null = null;
  private drawn = nothing;
  private waiting: readonly Waiting[] = [];
  private block = element('div');
  private inBlock = 0;
  /** Nodes of each token, more than one where a block ends within it, and the token of each node. */
  private nodes: HTMLElement[][] = [];
  private readonly tokenOf = new WeakMap<Element, number>();
  private current = -1;
  private marked: readonly HTMLElement[] = [];
  private follows = true;
  /** Where the pointer is in the text: what scrolls moves below it. */
  private pointer: { readonly x: number; readonly y: number } | null = null;

  constructor(private readonly ui: Ui) {
    new ResizeObserver(() => this.toEnd()).observe(this.node);
    this.node.addEventListener('scroll', () => this.scrolled(), { passive: true });
    // Of the text, or of the page around it: another token comes below the pointer.
    document.addEventListener('scroll', () => this.moved(), { capture: true, passive: true });
    this.node.addEventListener('pointermove', (event) => {
      this.pointer = { x: event.clientX, y: event.clientY };
      this.point(this.under(event.target));
    });
    this.node.addEventListener('pointerleave', () => {
      this.pointer = null;
      this.point(-1);
    });
    this.node.addEventListener('click', (event) => this.go(this.under(event.target), false));
    this.node.addEventListener('keydown', (event) => this.press(event));
    this.node.addEventListener('blur', () => this.point(-1));
    this.node.addEventListener('copy', (event) => this.copy(event));
  }

  update({ run, shown, scroll }: State): void {
    this.run = run;
    if (shown !== this.drawn.shown) this.clear(shown);
    if (run === null) return;
    const opened = this.drawn.tokens === 0 && this.drawn.text === 0;
    if (opened) this.follows = scroll.text === null;
    if (!this.append(run)) return;
    if (opened && scroll.text !== null) this.node.scrollTop = scroll.text;
    this.toEnd();
  }

  private toEnd(): void {
    if (this.follows) this.node.scrollTop = this.node.scrollHeight;
  }

  private clear(shown: number): void {
    this.point(-1);
    this.node.replaceChildren();
    this.openBlock();
    [this.drawn, this.waiting, this.nodes, this.current] = [{ ...nothing, shown }, [], [], -1];
  }

  /** Whether there was anything to add. */
  private append(run: PanelRun): boolean {
    const told = run.tokens.slice(this.drawn.tokens).map((token, i): Waiting => ({ token: this.drawn.tokens + i, text: token.text, begun: false }));
    const { pieces, waiting } = align([...this.waiting, ...told], run.text.slice(this.drawn.text));
    const ended = run.state !== 'running';
    this.waiting = ended ? [] : waiting;
    this.drawn = { ...this.drawn, tokens: run.tokens.length, text: run.text.length };
    const added = [...pieces, ...(ended ? left(waiting) : [])];
    for (const piece of added) this.put(piece, run.tokens[piece.token]);
    return added.length > 0;
  }

  /** Text goes into blocks, since a browser lays out all of a paragraph again when something is added to it. Blocks end with a line. */
  private put({ token: index, text }: Piece, token: PanelToken | undefined): void {
    const line = this.inBlock >= blockTokens ? text.lastIndexOf('\n') + 1 : 0;
    const first = line > 0 ? text.slice(0, line) : text;
    this.block.append(this.made(index, token, first));
    this.inBlock += 1;
    if (line === 0 && this.inBlock < longestBlock) return;
    this.openBlock();
    if (first.length < text.length) this.block.append(this.made(index, token, text.slice(line)));
  }

  private openBlock(): void {
    [this.block, this.inBlock] = [element('div'), 0];
    this.node.append(this.block);
  }

  private made(index: number, token: PanelToken | undefined, text: string): Node {
    if (token === undefined) return document.createTextNode(text);
    const known = this.nodes[index];
    const sign = known === undefined ? signOf(text) : null;
    const node = element('span', { class: ['token', token.origin, sign ?? '', known === undefined ? '' : 'rest'].filter((name) => name !== '').join(' ') }, document.createTextNode(text));
    this.tokenOf.set(node, index);
    if (known === undefined) this.nodes[index] = [node];
    else known.push(node);
    return node;
  }

  private scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.node;
    this.follows = scrollHeight - scrollTop - clientHeight <= atEnd;
    this.ui.dispatch({ type: 'scrolled', scroll: { text: this.follows ? null : Math.round(scrollTop) } });
  }

  private moved(): void {
    this.point(this.pointer === null ? -1 : this.under(document.elementFromPoint(this.pointer.x, this.pointer.y)));
  }

  private under(target: EventTarget | null): number {
    const node = target instanceof Element ? target.closest('.token') : null;
    return node === null ? -1 : (this.tokenOf.get(node) ?? -1);
  }

  /** Shows the card of a token and marks its round; -1 for none. */
  private point(index: number): void {
    for (const node of this.marked) node.classList.remove('same-round');
    const [node, token] = [this.nodes[index]?.[0], this.run?.tokens[index]];
    if (!node || !token || !this.run) {
      this.marked = [];
      this.facts.hide();
      return;
    }
    this.marked = this.roundAround(index);
    for (const other of this.marked) other.classList.add('same-round');
    this.facts.show(token, this.run, node);
  }

  private roundAround(index: number): readonly HTMLElement[] {
    const tokens = this.run?.tokens ?? [];
    const round = tokens[index]?.round ?? -1;
    let [from, to] = [index, index + 1];
    if (round >= 0) {
      while (tokens[from - 1]?.round === round) from -= 1;
      while (tokens[to]?.round === round) to += 1;
    }
    return this.nodes.slice(from, to).flat();
  }

  /** The text as it came, without the line that a browser puts between blocks. */
  private copy(event: ClipboardEvent): void {
    const selected = getSelection();
    if (!selected || selected.rangeCount === 0 || !event.clipboardData) return;
    event.clipboardData.setData('text/plain', selected.getRangeAt(0).cloneContents().textContent);
    event.preventDefault();
  }

  private press(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const last = this.nodes.length - 1;
    const to = { ArrowRight: Math.min(last, this.current + 1), ArrowLeft: Math.max(0, this.current - 1), Home: 0, End: last, Escape: -1 }[event.key];
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.go(to, true);
  }

  private go(index: number, speaks: boolean): void {
    for (const node of this.nodes[this.current] ?? []) node.classList.remove('current');
    this.current = index;
    const [nodes, token] = [this.nodes[index] ?? [], this.run?.tokens[index]];
    for (const node of nodes) node.classList.add('current');
    nodes[0]?.scrollIntoView({ block: 'nearest' });
    if (speaks && token && this.run) this.spoken.textContent = tokenInWords(token, this.run);
    // After the scrolling, which hides the card.
    requestAnimationFrame(() => this.point(index));
  }
}

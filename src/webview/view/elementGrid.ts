// A row an element, any number of them: index, bits and value of both arms, and how they differ. A field and keys lead to any of them.
import * as l10n from '@vscode/l10n';
import { bisectLeft, bisectRight } from 'd3-array';
import { formatCount } from '../../shared/format';
import { button, textField } from '../controls';
import { signDiffers, xorBits } from '../model/bits';
import type { Element, ElementPair } from '../model/elements';
import { placeOf } from '../model/elementPlace';
import type { ShownTap } from '../model/shownTap';
import type { TensorPair } from '../model/tensorPair';
import { code, element, foreign, muted, whenChanged, type Part } from './dom';
import { LongTable, type LongColumn } from './longTable';

export interface ElementGridEvents {
  readonly failed: (error: unknown) => void;
  /** An element is asked for that is not there: false where it cannot be loaded. */
  readonly load: (shown: ShownTap, around: number) => boolean;
}

export interface ElementGrid extends Part<ShownTap> {
  /** Brings an element into sight. */
  readonly reveal: (index: number) => void;
}

export const elementGrid = (events: ElementGridEvents): ElementGrid => new Grid(events);

class Grid implements ElementGrid {
  private readonly place = element('div', { class: 'element-table' });
  private readonly said = element('span', { class: 'muted', attributes: { role: 'status' } });
  private readonly steps: readonly HTMLElement[];
  readonly node: HTMLElement;
  private readonly renew: (shown: ShownTap) => void;
  private table: LongTable<ElementPair> | null = null;
  private shown: ShownTap | null = null;
  /** An element of a tap that is asked for and not there yet. */
  private wanted: { readonly run: number; readonly tap: number; readonly index: number } | null = null;

  constructor(private readonly events: ElementGridEvents) {
    const field = jumpField((text) => this.jump(text));
    this.steps = [button(l10n.t('‹ Difference'), () => this.step(-1)), button(l10n.t('Difference ›'), () => this.step(1))];
    this.steps.forEach((made, i) => (made.title = i === 0 ? l10n.t('Previous differing element (p)') : l10n.t('Next differing element (n)')));
    this.node = element('div', { class: 'element-grid' }, element('div', { class: 'element-tools' }, field, ...this.steps, this.said), this.place);
    this.node.addEventListener('keydown', (event) => this.pressed(event));
    this.renew = whenChanged<ShownTap>(({ run, at, pair }) => [run, at.run, at.tap, pair], (shown) => this.fill(shown));
  }

  update(shown: ShownTap): void {
    this.shown = shown;
    this.node.hidden = shown.pair === null;
    this.renew(shown);
  }

  readonly reveal = (index: number): void => {
    const pair = this.shown?.pair;
    if (pair?.has(index) !== true) return;
    this.table?.reveal(index - pair.source.start, 4);
    this.say(pair, index);
  };

  private fill({ run, at, pair }: ShownTap): void {
    if (pair === null) {
      this.table = null;
      this.place.replaceChildren();
      return;
    }
    const first = run.differing.firstIndex[at.tap] ?? -1;
    const { start } = pair.source;
    const rowClass = ({ index, differs }: ElementPair): string => (index === first ? 'differs first' : differs ? 'differs' : 'equal');
    this.table = new LongTable<ElementPair>({
      name: 'elements',
      caption: l10n.t('Elements, n and p go to the next and the previous that differs'),
      columns: columnsOf(pair),
      rowClass,
      fetch: (from, to) => Promise.resolve(Array.from({ length: Math.max(0, Math.min(to, pair.count) - from) }, (_, i) => pair.at(start + from + i))),
      failed: this.events.failed,
      chosen: (row) => this.say(pair, start + row),
    });
    this.place.className = `element-table size-${pair.size}`;
    this.place.replaceChildren(this.table.node);
    this.table.show(pair.count, true);
    const { wanted } = this;
    const asked = wanted?.run === at.run && wanted.tap === at.tap && pair.has(wanted.index);
    this.reveal(asked ? wanted.index : first);
    if (asked) this.wanted = null;
  }

  /** Goes to what a text names; a sentence where it cannot. */
  private jump(text: string): string {
    const { shown } = this;
    if (shown?.pair === undefined || shown.pair === null) return '';
    const { shape, total } = shown.pair.source;
    const place = placeOf(text, shape, total);
    if (typeof place === 'string') return place;
    if (shown.pair.has(place)) {
      this.reveal(place);
      return '';
    }
    this.wanted = { ...shown.at, index: place };
    if (this.events.load(shown, place)) return '';
    this.wanted = null;
    return l10n.t('The report keeps no element {0}.', formatCount(place));
  }

  private step(step: 1 | -1): void {
    const pair = this.shown?.pair;
    if (!pair || !this.table) return;
    const here = pair.source.start + this.table.activeRow;
    const next = pair.differing[step > 0 ? bisectRight(pair.differing, here) : bisectLeft(pair.differing, here) - 1];
    if (next === undefined) this.said.textContent = step > 0 ? l10n.t('No later element differs.') : l10n.t('No earlier element differs.');
    else this.reveal(next);
  }

  private pressed(event: KeyboardEvent): void {
    const typing = event.target instanceof HTMLElement && event.target.localName === 'vscode-text-field';
    if (typing || event.ctrlKey || event.altKey || event.metaKey || (event.key !== 'n' && event.key !== 'p')) return;
    this.step(event.key === 'n' ? 1 : -1);
    event.preventDefault();
  }

  private say({ differing }: TensorPair, index: number): void {
    const at = bisectLeft(differing, index);
    const total = formatCount(differing.length);
    this.said.textContent = differing[at] === index ? l10n.t('difference {0} of {1}', formatCount(at + 1), total) : l10n.t('equal, {0} differ', total);
  }
}

function jumpField(go: (text: string) => string): HTMLElement {
  let text = '';
  const wrong = element('span', { class: 'no-element', attributes: { role: 'status' } });
  const field = textField({ label: l10n.t('Element'), placeholder: l10n.t('Go to 210, [3, 18]'), hideLabel: true }, (value) => {
    text = value;
    wrong.textContent = '';
  });
  field.node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || text.trim() === '') return;
    event.preventDefault();
    wrong.textContent = go(text);
  });
  return element('span', { class: 'find' }, field.node, wrong);
}

function columnsOf({ source: { dtype, shape } }: TensorPair): readonly LongColumn<ElementPair>[] {
  const several = shape.length > 1;
  return [
    { title: l10n.t('Element'), width: several ? 'col-places' : 'col-place', heads: true, number: true, cell: (pair) => element('span', {}, formatCount(pair.index), several && pair.at.length > 0 && foreign(` [${pair.at.join(', ')}]`, 'muted')) },
    { title: l10n.t('A bits'), width: 'col-bits', hint: l10n.t('Hex, most significant digit first'), cell: ({ a, b }) => digits(a, b, 'a') },
    { title: l10n.t('A value'), width: 'col-value', number: true, cell: ({ a }) => valueText(a) },
    { title: l10n.t('B bits'), width: 'col-bits', hint: l10n.t('Hex, most significant digit first'), cell: ({ a, b }) => digits(b, a, 'b') },
    { title: l10n.t('B value'), width: 'col-value', number: true, cell: ({ b }) => valueText(b) },
    { title: l10n.t('ULP'), width: 'col-ulp', number: true, cell: (pair) => (pair.differs ? ulpText(pair.ulp) : muted('=')) },
    { title: '±', width: 'col-sign', hint: l10n.t('Whether the signs differ'), cell: ({ a, b }) => signDiffers(a.bits, b.bits, dtype) && element('span', { class: 'tag', attributes: { title: l10n.t('the signs differ') } }, '±') },
    { title: l10n.t('A xor B'), width: 'col-xor', hint: l10n.t('Bits that differ: sign, exponent, mantissa; bytes of an integer'), cell: ({ a, b, differs }) => differs && xorText(a, b, dtype) },
  ];
}

const ulpText = (ulp: bigint | null): string => (ulp === null ? '—' : ulp.toLocaleString('en-US'));

/** NaN and infinities are set off. */
function valueText({ value }: Element): HTMLElement {
  const odd = value === 'NaN' || value.endsWith('Infinity');
  return odd ? element('strong', { class: 'non-finite', attributes: { translate: 'no' } }, value) : code(value);
}

function xorText(a: Element, b: Element, dtype: string): HTMLElement {
  const groups = xorBits(a.bits, b.bits, dtype).map((bits) => element('span', { class: bits.includes('1') ? 'xor some' : 'xor' }, bits));
  return element('code', { class: 'xor-bits', attributes: { dir: 'ltr' } }, ...groups);
}

/** Bits with the digits set off that the other arm has otherwise. */
function digits({ bits }: Element, other: Element, arm: 'a' | 'b'): HTMLElement {
  const node = element('code', { class: `bits arm-${arm}` });
  for (let i = 0; i < bits.length; i++) {
    const digit = bits.charAt(i);
    const last = node.lastElementChild;
    const kind = digit === other.bits[i] ? 'same' : 'other';
    if (last?.className === kind) last.append(digit);
    else node.append(element('span', { class: kind }, digit));
  }
  return node;
}

// Making nodes. Text only ever becomes a text node, so that nothing in a report can turn into markup, and no style attribute is written, which the page's CSP forbids.
import { cut, room } from '../model/cut';

export type Child = Node | string | null | false;

interface Options {
  readonly class?: string;
  readonly attributes?: Readonly<Record<string, string | number>>;
}

const names = ['style', 'onclick', 'onload', 'onerror', 'src', 'srcdoc'];

function fill(node: Element, { class: className, attributes = {} }: Options, children: readonly Child[]): void {
  if (className !== undefined) node.setAttribute('class', className);
  for (const [name, value] of Object.entries(attributes)) {
    if (names.includes(name)) throw new Error(`The attribute ${name} is not for this page.`);
    node.setAttribute(name, name === 'title' || name === 'aria-label' ? cut(String(value), room.sentence) : String(value));
  }
  // Of a text that is to stand whole, however long it is, its maker gives a text node.
  node.append(...children.filter((child) => child !== null && child !== false).map((child) => (typeof child === 'string' ? cut(child, room.text) : child)));
}

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, options?: Options, ...children: readonly Child[]): HTMLElementTagNameMap[K];
export function element(tag: `vscode-${string}`, options?: Options, ...children: readonly Child[]): HTMLElement;
export function element(tag: string, options: Options = {}, ...children: readonly Child[]): HTMLElement {
  const node = document.createElement(tag);
  fill(node, options, children);
  return node;
}

export function svg<K extends keyof SVGElementTagNameMap>(tag: K, options: Options = {}, ...children: readonly Child[]): SVGElementTagNameMap[K] {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(node, options, children);
  return node;
}

/** Names of models, tensors and kernels: a direction of writing inside of them stays inside. */
export const code = (text: string | Text): HTMLElement => element('code', { attributes: { dir: 'ltr' } }, text);

export const muted = (text: string): HTMLElement => element('span', { class: 'muted' }, text);

/** What no language changes: names and sentences of reports, logs, models and the engine. */
export const foreign = (text: string, className?: string): HTMLElement => element('span', { ...(className === undefined ? {} : { class: className }), attributes: { translate: 'no' } }, text);

function filledBy(text: string, parts: readonly (Node | string)[], own: (piece: string) => Node | string): (Node | string)[] {
  return text.split(/\{(\d+)\}/).flatMap((piece, i) => (i % 2 === 1 ? (parts[Number(piece)] ?? []) : piece === '' ? [] : own(piece)));
}

/** A text with nodes, or other texts, where its {0}, {1} … stand. */
export const filled = (text: string, ...parts: readonly (Node | string)[]): (Node | string)[] => filledBy(text, parts, (piece) => piece);

/** The same with the text itself muted, and not what stands in it. */
export const filledMuted = (text: string, ...parts: readonly (Node | string)[]): (Node | string)[] => filledBy(text, parts, muted);

/** A part of the page that is drawn again only when what it reads has changed. */
export interface Part<Input> {
  readonly node: HTMLElement;
  readonly update: (input: Input) => void;
}

/** Runs `draw` when `reads` gives other values than the time before. */
export function whenChanged<Input>(reads: (input: Input) => readonly unknown[], draw: (input: Input) => void): (input: Input) => void {
  let before: readonly unknown[] | undefined;
  return (input) => {
    const now = reads(input);
    if (before?.length === now.length && now.every((value, i) => Object.is(value, before?.[i]))) return;
    before = now;
    draw(input);
  };
}

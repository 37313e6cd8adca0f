// Making nodes. Text only ever becomes a text node, so that nothing in a report can turn into markup, and no style attribute is written, which the page's CSP forbids.
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
    node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== null && child !== false));
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
export const code = (text: string): HTMLElement => element('code', { attributes: { dir: 'ltr' } }, text);

export const muted = (text: string): HTMLElement => element('span', { class: 'muted' }, text);

/** What comes from a report, a log or a model: the same in every language. */
export const foreign = (text: string): HTMLElement => element('span', { attributes: { translate: 'no' } }, text);

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

// Texts below a timeline, a token a piece: the fork in place, and a token that is chosen is the cell that is chosen.
import * as l10n from '@vscode/l10n';
import { formatCount } from '../../shared/format';
import { cut, room } from '../model/cut';
import type { Cell } from '../model/grid';
import { visible } from '../model/timeline';
import type { ForkedText, TextSpan } from '../model/timelines/texts';
import { element, muted, whenChanged, type Child, type Part } from './dom';

export interface TokenTextInput {
  readonly text: ForkedText | null;
  readonly selected: Cell;
}

/** Tokens of a text that are shown: before the fork enough to find it, behind it enough to read on. */
const most = { before: 120, after: 2000 } as const;

interface Shown {
  readonly span: TextSpan;
  readonly node: HTMLElement;
  readonly tokens: readonly HTMLElement[];
}

export function tokenText(choose: (cell: Cell) => void): Part<TokenTextInput> {
  const node = element('div', { class: 'texts' });
  let lists: readonly Shown[] = [];
  const build = whenChanged<TokenTextInput>(
    ({ text }) => [text],
    ({ text }) => {
      const drawn = text === null ? null : texts(text, choose);
      lists = drawn?.lists ?? [];
      node.hidden = drawn === null;
      node.replaceChildren(...(drawn?.nodes ?? []));
    },
  );
  const mark = whenChanged<TokenTextInput>(({ text, selected }) => [text, selected.row, selected.position], ({ selected }) => lists.forEach((list) => showSelected(list, selected)));
  return {
    node,
    update(input) {
      build(input);
      mark(input);
    },
  };
}

function texts({ common, branches, note }: ForkedText, choose: (cell: Cell) => void): { readonly lists: readonly Shown[]; readonly nodes: readonly Node[] } {
  const forks = branches.length > 0;
  const heading = forks ? l10n.t('The same until the fork') : l10n.t('The same text');
  const skipped = forks ? Math.max(0, common.tokens.length - most.before) : 0;
  const shared = list(heading, { ...common, from: common.from + skipped, tokens: common.tokens.slice(skipped, skipped + most.after) }, choose);
  const rest = branches.map(({ name, ...span }) => ({ name, all: span.tokens.length, list: list(l10n.t('{0}, from the fork on', name), { ...span, tokens: span.tokens.slice(0, most.after) }, choose) }));
  const sides = rest.map(({ name, all, list: { node: own } }) => {
    own.classList.add('forked');
    return element('section', {}, element('h3', { attributes: { translate: 'no' } }, name), all === 0 ? element('p', { class: 'text forked' }, muted(l10n.t('nothing: it ends here'))) : own, leftOut(all - most.after));
  });
  const nodes = [
    element('h3', {}, heading),
    ...(skipped > 0 ? [element('p', {}, muted(l10n.t('… {0} tokens before', formatCount(skipped))))] : []),
    ...(common.tokens.length === 0 ? [element('p', {}, muted(l10n.t('nothing: they part at the first token')))] : [shared.node]),
    ...present([leftOut(common.tokens.length - skipped - most.after)]),
    ...(sides.length > 0 ? [element('div', { class: 'branches' }, ...sides)] : []),
    ...(forks && note !== '' ? [element('p', {}, muted(note))] : []),
  ];
  return { lists: [shared, ...rest.map((one) => one.list)], nodes };
}

const present = (children: readonly Child[]): Node[] => children.filter((child) => child instanceof Node);

const leftOut = (count: number): Child => (count <= 0 ? null : element('p', {}, muted(l10n.t('… {0} more tokens: the timeline has them all', formatCount(count)))));

let made = 0;

/** One place of the tab order; arrows and ends choose a token of it. */
function list(label: string, span: TextSpan, choose: (cell: Cell) => void): Shown {
  const id = `text-${(made += 1)}`;
  const tokens = span.tokens.map(({ text }, i) => element('span', { class: 'token', attributes: { role: 'option', id: `${id}-${i}`, 'aria-selected': 'false', 'aria-label': visible(text) || l10n.t('no text'), 'data-at': i } }, cut(text, room.token)));
  const node = element('div', { class: 'text', attributes: { role: 'listbox', tabindex: 0, dir: 'auto', translate: 'no', 'aria-label': label, 'aria-orientation': 'horizontal' } }, ...tokens);
  const at = (i: number): void => choose({ row: span.row, position: span.from + Math.max(0, Math.min(tokens.length - 1, i)) });
  node.addEventListener('click', ({ target }) => {
    const token = target instanceof Element ? target.closest<HTMLElement>('.token') : null;
    if (token !== null) at(Number(token.dataset['at']));
  });
  node.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const active = tokens.findIndex((token) => token.getAttribute('aria-selected') === 'true');
    const steps: Readonly<Record<string, number>> = { ArrowRight: active + 1, ArrowDown: active + 1, ArrowLeft: active - 1, ArrowUp: active - 1, Home: 0, End: tokens.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    at(to);
  });
  return { span, node, tokens };
}

/** The text that both share is of all lanes; the others are of one. */
function showSelected({ span, node, tokens }: Shown, { row, position }: Cell): void {
  const before = node.getAttribute('aria-activedescendant');
  const token = node.classList.contains('forked') && row !== span.row ? undefined : tokens[position - span.from];
  if (before === (token?.id ?? null)) return;
  tokens.find(({ id }) => id === before)?.setAttribute('aria-selected', 'false');
  token?.setAttribute('aria-selected', 'true');
  if (token === undefined) node.removeAttribute('aria-activedescendant');
  else {
    node.setAttribute('aria-activedescendant', token.id);
    if (document.activeElement === node) token.scrollIntoView({ block: 'nearest' });
  }
}

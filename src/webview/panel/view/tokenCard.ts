// What is known of a token, beside it.
import type { PanelRun, PanelToken } from '../../../shared/panelProtocol';
import { code, element, muted } from '../../view/dom';
import { factCard } from '../../view/factCard';
import { escaped, remarkOn, tokenFacts } from '../model/origins';

export interface TokenCard {
  readonly node: HTMLElement;
  readonly show: (token: PanelToken, run: PanelRun, beside: HTMLElement) => void;
  readonly hide: () => void;
}

/** Between token and card, and between card and the page's edge. */
const gap = 4;

const clamp = (value: number, low: number, high: number): number => Math.max(low, Math.min(value, high));

/** Below the token's first line, or above where there is no room. */
function place(node: HTMLElement, beside: HTMLElement): void {
  const box = beside.getClientRects()[0] ?? beside.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const below = box.bottom + gap;
  const y = below + node.offsetHeight <= clientHeight - gap ? below : box.top - gap - node.offsetHeight;
  const x = clamp(box.left, gap, Math.max(gap, clientWidth - node.offsetWidth - gap));
  node.style.transform = `translate(${Math.round(x)}px, ${Math.round(clamp(y, gap, Math.max(gap, clientHeight - node.offsetHeight - gap)))}px)`;
}

export function tokenCard(): TokenCard {
  const { node, fill, hide } = factCard();
  node.classList.add('fixed');
  return {
    node,
    show(token, run, beside) {
      const remark = remarkOn(token.text);
      fill([element('strong', {}, code(escaped(token.text))), ...(remark === '' ? [] : [muted(remark)])], tokenFacts(token, run));
      place(node, beside);
    },
    hide,
  };
}

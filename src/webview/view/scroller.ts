// What is wider than the page scrolls by itself; only while it does, the keyboard has to reach it.
import { element } from './dom';

const watch = new ResizeObserver((entries) => {
  for (const { target } of entries) reach(target.classList.contains('table-wrap') ? target : target.parentElement);
});

function reach(wrap: Element | null): void {
  if (wrap === null) return;
  const hides = wrap.scrollWidth > wrap.clientWidth + 1 || wrap.scrollHeight > wrap.clientHeight + 1;
  if (hides) wrap.setAttribute('tabindex', '0');
  else wrap.removeAttribute('tabindex');
}

/** `label`: heard when the focus comes to it. */
export function scroller(label: string, content: HTMLElement | SVGElement, ...more: readonly Node[]): HTMLElement {
  const wrap = element('div', { class: 'table-wrap', attributes: { role: 'group', 'aria-label': label } }, content, ...more);
  watch.observe(wrap);
  watch.observe(content);
  return wrap;
}

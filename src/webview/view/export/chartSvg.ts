// A chart of the page as a drawing of its own: its style is written into it, since a file has no style sheet.
import { headingOf, onSheet, sheet, type Drawing, type Heading } from '../../model/export/sheet';
import { withoutControls } from '../../model/export/xml';
import { hexColours, pageColours } from './colours';

const colours = ['fill', 'stroke'] as const;
const plain = ['stroke-width', 'stroke-dasharray', 'font-size', 'font-weight', 'text-anchor', 'opacity'] as const;

/** `from` is the same node in the page, whose style the browser knows. */
function dress(node: Element, from: Element, ground: string): void {
  const style = getComputedStyle(from);
  for (const name of colours) {
    const value = style.getPropertyValue(name);
    node.setAttribute(name, value === 'none' ? value : (hexColours([value], ground)[0] ?? 'none'));
  }
  for (const name of plain) node.setAttribute(name, style.getPropertyValue(name));
  // Of the page, or of the drawing, as all its text.
  for (const name of ['class', 'font-family', 'translate']) node.removeAttribute(name);
  [...node.children].forEach((child, i) => {
    const twin = from.children[i];
    if (twin !== undefined) dress(child, twin, ground);
  });
}

export function chartSvg(chart: SVGSVGElement, heading: Heading): Drawing {
  const palette = pageColours({ scale: 'log' });
  const copy = chart.cloneNode(true) as SVGSVGElement;
  dress(copy, chart, palette.background);
  const own = { width: Number(chart.getAttribute('width')), height: Number(chart.getAttribute('height')) };
  const width = Math.max(640, own.width + 2 * sheet.side);
  const head = headingOf(heading, palette, width);
  copy.setAttribute('x', String(sheet.side));
  copy.setAttribute('y', String(head.bottom + 8));
  const body = head.body + withoutControls(new XMLSerializer().serializeToString(copy));
  return onSheet(body, { width, height: head.bottom + own.height + 24 }, palette, { title: heading.title, description: chart.getAttribute('aria-label') ?? '' });
}

// SVG as text. Whatever stands in a report stays text in it.

// Characters that no XML document may hold, not even as a reference: controls, halves of surrogate pairs, and two that are none.
// eslint-disable-next-line no-control-regex
const never = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const withoutControls = (text: string): string => text.replace(never, '\ufffd');

/** Fit for a text node and for an attribute in quotes. */
export const xmlText = (text: string): string => withoutControls(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? sign);

type Attributes = Readonly<Record<string, string | number>>;

/** At most two digits after the point: a hundredth of a pixel. */
const numberText = (value: number): string => String(Math.round(value * 100) / 100);

/** `content` is markup already: what `tag` and `xmlText` gave. */
export function tag(name: string, attributes: Attributes, content = ''): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${typeof value === 'number' ? numberText(value) : xmlText(value)}"`);
  return content === '' ? `<${name}${written.join('')}/>` : `<${name}${written.join('')}>${content}</${name}>`;
}

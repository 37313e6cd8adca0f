// An element as a user names it: "210", "1,024" or "[3, 18]".

/** Flat index, or a sentence that says what is wrong. */
export function placeOf(text: string, shape: readonly number[], total: number): number | string {
  const inner = /^\s*\[(.*)\]\s*$/.exec(text)?.[1];
  return inner === undefined ? flat(text, total) : perDimension(inner, shape, total);
}

function flat(text: string, total: number): number | string {
  const plain = /^\s*(\d{1,3}(?:,\d{3})+|\d{1,15})\s*$/.exec(text)?.[1];
  if (plain === undefined) return 'Name an element by its index, or by one index per dimension in brackets.';
  const index = Number(plain.replaceAll(',', ''));
  return index < total ? index : `The last element is ${(total - 1).toLocaleString('en-US')}.`;
}

function perDimension(inner: string, shape: readonly number[], total: number): number | string {
  const at = inner.split(',').map((part) => (/^\s*\d{1,15}\s*$/.test(part) ? Number(part) : NaN));
  const lengths = shape.length === 0 ? [total] : shape;
  if (at.length !== lengths.length || at.some(Number.isNaN)) return `This tensor has ${lengths.length} ${lengths.length === 1 ? 'dimension' : 'dimensions'}: [${lengths.join(', ')}].`;
  const outside = at.findIndex((index, i) => index >= (lengths[i] ?? 0));
  if (outside >= 0) return `The last index of dimension ${outside} is ${(lengths[outside] ?? 1) - 1}.`;
  return at.reduce((index, one, i) => index * (lengths[i] ?? 1) + one, 0);
}

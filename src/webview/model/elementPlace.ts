// An element as a user names it: "210", "1,024" or "[3, 18]".
import * as l10n from '@vscode/l10n';
import { shapeInWords } from './elements';

/** Flat index, or a sentence that says what is wrong. */
export function placeOf(text: string, shape: readonly number[], total: number): number | string {
  const inner = /^\s*\[(.*)\]\s*$/.exec(text)?.[1];
  return inner === undefined ? flat(text, total) : perDimension(inner, shape, total);
}

function flat(text: string, total: number): number | string {
  const plain = /^\s*(\d{1,3}(?:,\d{3})+|\d{1,15})\s*$/.exec(text)?.[1];
  if (plain === undefined) return l10n.t('Name an element by its index, or by one index per dimension in brackets.');
  const index = Number(plain.replaceAll(',', ''));
  return index < total ? index : l10n.t('The last element is {0}.', (total - 1).toLocaleString('en-US'));
}

function perDimension(inner: string, shape: readonly number[], total: number): number | string {
  const at = inner.split(',').map((part) => (/^\s*\d{1,15}\s*$/.test(part) ? Number(part) : NaN));
  const lengths = shape.length === 0 ? [total] : shape;
  if (at.length !== lengths.length || at.some(Number.isNaN)) return lengths.length === 1 ? l10n.t('This tensor has {0} dimension: {1}.', lengths.length, shapeInWords(lengths)) : l10n.t('This tensor has {0} dimensions: {1}.', lengths.length, shapeInWords(lengths));
  const outside = at.findIndex((index, i) => index >= (lengths[i] ?? 0));
  if (outside >= 0) return l10n.t('The last index of dimension {0} is {1}.', outside, (lengths[outside] ?? 1) - 1);
  return at.reduce((index, one, i) => index * (lengths[i] ?? 1) + one, 0);
}

// What differs in how two reports came to be: experiment, switches and provenance.
import * as l10n from '@vscode/l10n';
import type { Report } from '../../../shared/report';
import { cut } from '../cut';

export interface Difference {
  readonly group: string;
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

const longest = 240;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null && !Array.isArray(value);
const isNames = (value: unknown): value is readonly string[] => Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string');

/** One value in words. */
function told(value: unknown): string {
  if (value === undefined || value === null || value === '') return l10n.t('not told');
  if (typeof value === 'string') return cut(value, longest);
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return cut(value.join(', ') || l10n.t('none'), longest);
  return cut(JSON.stringify(value), longest);
}

/** Of two long lists of names only what the other lacks. */
function names(own: readonly string[], other: readonly string[]): string {
  const both = new Set(other);
  const more = own.filter((name) => !both.has(name));
  return more.length === 0 ? l10n.t('nothing beside what both have') : cut(l10n.t('also {0}', more.join(', ')), longest);
}

function differing(group: string, path: string, a: unknown, b: unknown): Difference[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (isRecord(a) && isRecord(b)) return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) => differing(group, path === '' ? key : `${path} · ${key}`, a[key], b[key]));
  if (isNames(a) && isNames(b) && a.length + b.length > 8) return [{ group, name: path, a: names(a, b), b: names(b, a) }];
  return [{ group, name: path === '' ? group.toLowerCase() : path, a: told(a), b: told(b) }];
}

/** In the order of the report; empty when both came to be in the same way. */
export function differencesOf(a: Report, b: Report): readonly Difference[] {
  const { switchesA: aA, switchesB: aB, kernelsA: kernelsAA, kernelsB: kernelsAB, ...provenanceA } = a.provenance;
  const { switchesA: bA, switchesB: bB, kernelsA: kernelsBA, kernelsB: kernelsBB, ...provenanceB } = b.provenance;
  return [
    ...differing(l10n.t('Experiment'), '', a.experiment, b.experiment),
    ...differing(l10n.t('Switches of arm A'), '', aA, bA),
    ...differing(l10n.t('Switches of arm B'), '', aB, bB),
    ...differing(l10n.t('Kernels'), l10n.t('arm A'), kernelsAA, kernelsBA),
    ...differing(l10n.t('Kernels'), l10n.t('arm B'), kernelsAB, kernelsBB),
    ...differing(l10n.t('Provenance'), '', provenanceA, provenanceB),
  ];
}

// The times of an arm by figure.
import { overRounds } from './limit';
import type { Arm, ModelRun } from './raw';
import type { Spread } from './stats';

export type Figure = { readonly kind: 'decode' } | { readonly kind: 'block'; readonly width: number } | { readonly kind: 'prefill' };

/** Milliseconds of one call. Null where it was not measured. */
export function timeOf(run: ModelRun, arm: Arm | undefined, threads: number, figure: Figure): Spread | null {
  const turns = arm?.turns.filter((turn) => turn.threads === threads) ?? [];
  switch (figure.kind) {
    case 'decode':
      return overRounds(turns.map(({ decode }) => decode));
    case 'block':
      return overRounds(turns.map(({ blocks }) => blocks[run.widths.indexOf(figure.width)] ?? []));
    case 'prefill':
      return overRounds(turns.map(({ prefill }) => prefill));
  }
}

export function figureName(figure: Figure, { prefill }: Pick<ModelRun, 'prefill'>): string {
  if (figure.kind === 'block') return `verify W = ${figure.width}`;
  return figure.kind === 'decode' ? 'decode' : `prefill ${prefill}`;
}

/** Rows whose linear layers, and whose logits, one call computes. */
export function rowsOf(figure: Figure, { prefill }: Pick<ModelRun, 'prefill'>): { readonly layers: number; readonly head: number } {
  if (figure.kind === 'prefill') return { layers: prefill, head: 1 };
  const rows = figure.kind === 'block' ? figure.width : 1;
  return { layers: rows, head: rows };
}

export function figuresOf({ widths }: Pick<ModelRun, 'widths'>): Figure[] {
  return [{ kind: 'decode' }, ...widths.map((width): Figure => ({ kind: 'block', width })), { kind: 'prefill' }];
}

export const armOf = ({ arms }: ModelRun, engine: Arm['engine'], format = ''): Arm | undefined => arms.find((arm) => arm.engine === engine && (format === '' || arm.format === format));

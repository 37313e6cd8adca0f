// Sections that the accounts of several probes share.
import { formatCount, formatFloat, plural } from '../format';
import type { Noise, PromptFacts, StateDiff } from '../results/parts';
import type { LogFacts } from '../results/replay';
import { column, section, table, type Section, type Table } from './account';

export function promptLine({ source, ids }: PromptFacts): string {
  return `Prompt: ${plural(ids.length, 'token')} (${source}).`;
}

export function noiseLine({ repeatDifferingBytes, floor, orders }: Noise): string {
  return `Noise: single steps run twice differ in ${plural(repeatDifferingBytes, 'byte')}; the floor, another reduction order (${orders}), moves a logit by up to ${formatFloat(floor)}.`;
}

/** Tensors that differ; how many were compared stands in the note. */
export function stateTable(state: readonly StateDiff[], most = 24): Table {
  const differing = state.filter(({ differingBytes }) => differingBytes > 0);
  return table(
    [column.number('layer'), column.text('tensor'), column.number('differing bytes'), column.number('of'), column.number('max ULP'), column.number('relative L2')],
    differing.map(({ layer, tensor, differingBytes, bytes, maxUlp, relL2 }) => [String(layer), tensor, formatCount(differingBytes), formatCount(bytes), formatCount(maxUlp), formatFloat(relL2)]),
    most,
  );
}

export function logSection(log: LogFacts | null): Section {
  if (log === null) return section('Log', []);
  const { file, engine, request, name, grade, rounds, rewinds, keptSum, accepted, findings, notes } = log;
  const counts = `Burst ${request}${name === '' ? '' : ` (${name})`} of ${file}, written by ${engine}, grade ${grade}: ${plural(rounds, 'round')}, ${plural(rewinds, 'rewind')}, kept sum ${formatCount(keptSum)}, ${formatCount(accepted)} accepted drafts.`;
  return section('Log', [counts, ...(findings.length === 0 ? ['Its rounds hold together, and the replay has the same counts.'] : findings), ...notes]);
}

export const listOfIds = (ids: readonly number[], most = 32): string => `${ids.slice(0, most).join(', ')}${ids.length > most ? `, ... (${formatCount(ids.length)} in all)` : ''}`;

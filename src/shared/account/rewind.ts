// The account of a rewind audit.
import { formatCount, formatFloat, formatList, plural } from '../format';
import type { ReportOf } from '../report';
import type { RewindResult } from '../results/rewind';
import { column, section, table, type Account, type Section } from './account';
import { logSection, promptLine } from './parts';

const bytes = (value: number | undefined): string => (value === undefined || value < 0 ? '-' : formatCount(value));

const against = { trace: 'other rejected ids', kept: 'kept rows alone', chain: 'single steps' } as const;

function tensors({ tensors: found }: RewindResult): Section {
  const rows = found.map((one) => [String(one.layer), one.tensor, against[one.against], formatCount(one.differingBytes), formatCount(one.bytes), formatFloat(one.relL2), formatCount(one.rewinds), formatCount(one.firstRound)]);
  const columns = [column.number('layer'), column.text('tensor'), column.text('against'), column.number('differing bytes'), column.number('of'), column.number('relative L2'), column.number('rewinds'), column.number('first round')];
  return section('State tensors that differ', rows.length === 0 ? ['None, after any rewind.'] : [], [table(columns, rows, 48)]);
}

function rewinds({ audits, batch }: RewindResult): Section {
  const bad = audits.round.map((_, i) => i).filter((i) => audits.asked[i] !== audits.dropped[i] || Math.max(audits.traceBytes[i] ?? 0, audits.keptBytes[i] ?? 0, audits.chainBytes[i] ?? 0) > 0);
  const shown = bad.length > 0 ? bad : audits.round.map((_, i) => i);
  const rows = shown.map((i) => [formatCount(audits.round[i] ?? 0), ...(batch > 1 ? [String(audits.row[i] ?? 0)] : []), formatCount(audits.asked[i] ?? 0), formatCount(audits.dropped[i] ?? 0), bytes(audits.traceBytes[i]), bytes(audits.keptBytes[i]), bytes(audits.chainBytes[i])]);
  const columns = [column.number('round'), ...(batch > 1 ? [column.number('batch row')] : []), column.number('to drop'), column.number('dropped'), column.number('trace bytes'), column.number('against kept rows'), column.number('against single steps')];
  const what = bad.length > 0 ? `${plural(bad.length, 'rewind')} of ${formatCount(audits.round.length)} with something to see.` : `All ${plural(audits.round.length, 'rewind')}.`;
  return section('Rewinds', audits.round.length === 0 ? [] : [what], [table(columns, rows, 40)], bad.length === 0);
}

function ways({ how }: RewindResult): string {
  const layers = new Map<string, number[]>();
  for (const one of how) {
    const own = layers.get(one.how) ?? [];
    own.push(one.layer);
    layers.set(one.how, own);
  }
  return [...layers].map(([kind, own]) => `${kind}: layers ${formatList(own)}`).join('; ');
}

export function rewindAccount({ rewind }: ReportOf<'rewind'>): Account {
  const { width, batch, rounds, keptSum, accepted, prompt } = rewind;
  return {
    question: 'After every rewind, is the state that of a session that never saw the rejected rows?',
    sections: [
      tensors(rewind),
      rewinds(rewind),
      section('Accept sequence', [
        `Width ${width}${batch > 1 ? `, ${plural(batch, 'batch row')} that begin the list at different entries` : ''}: ${plural(rounds, 'round')}, ${plural(rewind.rewinds, 'rewind')}, kept sum ${formatCount(keptSum)}, ${formatCount(accepted)} accepted drafts.`,
        promptLine(prompt),
        ...(rewind.how.length === 0 ? [] : [`How layers go back: ${ways(rewind)}.`]),
      ]),
      logSection(rewind.log),
    ],
  };
}

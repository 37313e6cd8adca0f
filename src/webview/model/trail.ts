// Where one is in a report, from the whole of it down to a tap.
import * as l10n from '@vscode/l10n';
import type { Report } from '../../shared/report';
import { formatCount } from '../../shared/format';
import type { Selection } from '../../shared/viewProtocol';
import { cut, room } from './cut';
import { mappedRuns } from './grids';

export type Level = 'report' | 'run' | 'row' | 'position' | 'tap';

export interface Crumb {
  readonly level: Level;
  readonly label: string;
  /** What going there does. */
  readonly title: string;
}

const tapName = (report: Report, { run, tap }: Selection): string | undefined => (report.kind === 'bisect' ? report.bisect.runs[run]?.differing.tap[tap] : undefined);

/** Only levels that the report has. */
export function trailOf(report: Report, fileName: string, selection: Selection): readonly Crumb[] {
  const run = mappedRuns(report)[selection.run];
  const row = run?.grid?.rows[selection.row];
  const tap = tapName(report, selection);
  return [
    { level: 'report', label: cut(fileName, room.name), title: l10n.t('Go to the top of the report') },
    ...(run === undefined ? [] : [{ level: 'run', label: cut(run.label, room.name), title: l10n.t('Show all of this run, at its first divergence') } as const]),
    ...(row === undefined ? [] : [{ level: 'row', label: cut(row.label, room.name), title: row.kind === null ? l10n.t('Show all positions of this lane') : l10n.t('Show all positions of this row') } as const]),
    ...(row === undefined ? [] : [{ level: 'position', label: l10n.t('position {0}', formatCount(selection.position)), title: l10n.t('Go to the cell in the picture') } as const]),
    ...(row === undefined || tap === undefined ? [] : [{ level: 'tap', label: cut(tap, room.name), title: l10n.t('Go to the tap in its list') } as const]),
  ];
}

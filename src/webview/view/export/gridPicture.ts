// A map or timeline as it is looked at: its drawing, its picture, its cells as a table.
import * as l10n from '@vscode/l10n';
import type { ExportFormat } from '../../../shared/exportLimits';
import { formatCount } from '../../../shared/format';
import { cellsCsv, cellsLimit } from '../../model/export/cells';
import { pictureSvg } from '../../model/export/pictureSvg';
import type { Drawing, Heading } from '../../model/export/sheet';
import type { Grid, MeasureName } from '../../model/grid';
import type { Sight } from '../../model/span';
import { pageColours } from './colours';
import { NotThere } from './notThere';
import { base64Of, pngOf } from './raster';

export interface LookedAt {
  readonly grid: Grid;
  readonly measure: MeasureName;
  readonly sight: Sight | null;
}

export function gridDrawing({ grid, measure: name, sight }: LookedAt, heading: Heading): Drawing {
  const measure = grid.measures.find((one) => one.name === name) ?? grid.measures[0];
  return pictureSvg({ grid, measure: name, sight }, heading, pageColours(measure ?? { scale: 'log' }));
}

/** Throws NotThere. */
export function gridTable(grid: Grid): string {
  const csv = cellsCsv(grid);
  if (csv === null) throw new NotThere(l10n.t('The run has more than {0} cells, too many for a table. The report itself is JSON.', formatCount(cellsLimit)));
  return csv;
}

/** What a file of a format holds, text or the base64 of a PNG; each is made when it is asked for. */
export async function contentFrom(format: ExportFormat, { drawing, table, record }: { readonly drawing: () => Drawing; readonly table: () => string; readonly record: () => string }): Promise<string> {
  switch (format) {
    case 'png':
      return base64Of(await pngOf(drawing()));
    case 'svg':
      return drawing().svg;
    case 'csv':
      return table();
    case 'md':
      return record();
  }
}

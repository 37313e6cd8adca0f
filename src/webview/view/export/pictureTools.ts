// Copy and export of what is shown: two menus, keys, and a line that says what was done.
import * as l10n from '@vscode/l10n';
import { exportLimit, type ExportFormat } from '../../../shared/exportLimits';
import { button } from '../../controls';
import { cellText, rowText } from '../../model/export/cells';
import { mappedRuns } from '../../model/grids';
import { reasonOf } from '../../page';
import type { ReportState, Store } from '../../store';
import { element, whenChanged, type Child, type Part } from '../dom';
import { inTextField } from '../keys';
import { menu } from '../menu';
import { contentOf, drawingOf, NotThere, shownGrid } from './content';
import { pngOf } from './raster';

export interface ExportedFile {
  readonly format: ExportFormat;
  /** Of what is in it. */
  readonly name: string;
  readonly content: string;
  readonly order: number;
}

export interface ExportEvents {
  readonly copy: (text: string) => void;
  readonly exported: (file: ExportedFile) => void;
  readonly notExported: (order: number, reason: string) => void;
}

export interface PictureTools extends Part<ReportState> {
  /** By an order of the host. */
  readonly exportAs: (format: ExportFormat, order: number) => void;
}

export function pictureTools(store: Store, events: ExportEvents): PictureTools {
  const said = element('p', { class: 'said', attributes: { role: 'status' } });
  const say = (...words: readonly Child[]): void => said.replaceChildren(...words.filter((word) => word !== null && word !== false));
  const shown = (): ReportState | null => {
    const state = store.state();
    return state.screen === 'report' ? state : null;
  };
  const copy = (done: string, text: (state: ReportState) => string | null): void => {
    const state = shown();
    const found = state && text(state);
    if (found !== null) events.copy(found);
    say(found === null ? l10n.t('There is no cell to copy here.') : done);
  };
  const copyCell = (): void => copy(l10n.t('Copied the cell.'), (state) => cellOf(state));
  const copyRow = (): void => copy(l10n.t('Copied the row.'), (state) => rowOf(state));

  const copyPicture = async (): Promise<void> => {
    const state = shown();
    if (state === null) return;
    try {
      const picture = pngOf(drawingOf(state));
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
      say(l10n.t('Copied the picture.'));
    } catch (error) {
      if (error instanceof NotThere) say(error.message);
      else say(l10n.t('The picture was not copied: {0}', reasonOf(error)), button(l10n.t('Save as PNG'), () => void exportAs('png')));
    }
  };

  async function exportAs(format: ExportFormat, order = 0): Promise<void> {
    const state = shown();
    try {
      if (state === null) throw new NotThere(l10n.t('No report is shown.'));
      const content = await contentOf(state, format);
      if (content.length > exportLimit) throw new NotThere(l10n.t('It is too large for a file. Zoom in, and export what is in sight.'));
      events.exported({ format, name: nameOf(state), content, order });
      say('');
    } catch (error) {
      say(l10n.t('Nothing was exported: {0}', reasonOf(error)));
      if (order > 0) events.notExported(order, reasonOf(error));
    }
  }

  const copies = menu(l10n.t('Copy'), l10n.t('Copy what is shown'), [
    { label: l10n.t('Cell'), hint: l10n.t('Ctrl+C'), run: copyCell },
    { label: l10n.t('Row'), hint: l10n.t('tab separated'), run: copyRow },
    { label: l10n.t('Picture'), hint: l10n.t('PNG'), run: () => void copyPicture() },
  ]);
  const files = menu(l10n.t('Export'), l10n.t('Export what is shown as a file'), [
    { label: l10n.t('Picture as PNG'), hint: l10n.t('pixels'), run: () => void exportAs('png') },
    { label: l10n.t('Picture as SVG'), hint: l10n.t('drawing'), run: () => void exportAs('svg') },
    { label: l10n.t('Cells as CSV'), hint: l10n.t('table'), run: () => void exportAs('csv') },
    { label: l10n.t('Record as Markdown'), hint: l10n.t('text'), run: () => void exportAs('md') },
  ]);
  const node = element('div', { class: 'picture-tools' }, copies, files, said);
  listenForCopy(node, () => {
    const state = shown();
    if (state === null || shownGrid(state) === null) return false;
    copyCell();
    return true;
  });
  const hush = whenChanged<ReportState>(({ report, view: { selection } }) => [report, selection], () => say(''));
  return { node, update: hush, exportAs: (format, order) => void exportAs(format, order) };
}

function cellOf(state: ReportState): string | null {
  const grid = shownGrid(state);
  return grid && cellText(grid, state.view.selection);
}

function rowOf(state: ReportState): string | null {
  const grid = shownGrid(state);
  const { measure, row } = state.view.selection;
  return grid && rowText(grid, { name: measure }, row);
}

const nameOf = ({ report, view }: ReportState): string => mappedRuns(report)[view.selection.run]?.label ?? '';

/** Text that is marked in the page, and text that is written, is what the user means to copy. */
function listenForCopy(node: HTMLElement, copy: () => boolean): void {
  const heard = (event: ClipboardEvent): void => {
    if (!node.isConnected) {
      document.removeEventListener('copy', heard);
      return;
    }
    const marked = document.getSelection();
    if (inTextField(event) || (marked !== null && !marked.isCollapsed)) return;
    if (copy()) event.preventDefault();
  };
  document.addEventListener('copy', heard);
}

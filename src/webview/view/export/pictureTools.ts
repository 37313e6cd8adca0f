// Copy and export of what is shown: two menus, keys, and a line that says what was done.
import * as l10n from '@vscode/l10n';
import type { ExportedFile } from '../../../shared/exportedFile';
import { exportFormats, exportLimit, type ExportFormat } from '../../../shared/exportLimits';
import { button } from '../../controls';
import type { Drawing } from '../../model/export/sheet';
import { reasonOf } from '../../page';
import { element, whenChanged, type Child, type Part } from '../dom';
import { inTextField } from '../keys';
import { menu } from '../menu';
import { whileThere } from '../whileThere';
import { NotThere } from './notThere';
import { pngOf } from './raster';

export interface ExportEvents {
  readonly copy: (text: string) => void;
  /** `order`: that it answers, 0 for none. */
  readonly exported: (file: ExportedFile, order: number) => void;
  readonly notExported: (order: number, reason: string) => void;
}

/** What a page has to give away. */
export interface PictureSource<State> {
  /** Null while the page shows nothing of that kind. */
  readonly state: () => State | null;
  /** Text, or the base64 of a PNG. Throws NotThere. */
  readonly content: (state: State, format: ExportFormat) => Promise<string>;
  /** Throws NotThere. */
  readonly drawing: (state: State) => Drawing;
  /** The selected cell as text, and its row; null where there is none. */
  readonly cell: (state: State) => string | null;
  readonly row: (state: State) => string | null;
  /** Of what is in it, for the name of the file. */
  readonly name: (state: State) => string;
  /** What was said of a copy holds until one of these is another. */
  readonly key: (state: State) => readonly unknown[];
}

export interface PictureTools<State> extends Part<State> {
  /** By an order of the host. */
  readonly exportAs: (format: ExportFormat, order: number) => void;
}

/** `formats`: of files that the page can give. */
export function pictureTools<State>(source: PictureSource<State>, events: ExportEvents, formats: readonly ExportFormat[] = exportFormats): PictureTools<State> {
  const said = element('p', { class: 'said', attributes: { role: 'status' } });
  const say = (...words: readonly Child[]): void => said.replaceChildren(...words.filter((word) => word !== null && word !== false));
  const copy = (done: string, text: (state: State) => string | null): void => {
    const state = source.state();
    const found = state && text(state);
    if (found !== null) events.copy(found);
    say(found === null ? l10n.t('There is no cell to copy here.') : done);
  };
  const copyCell = (): void => copy(l10n.t('Copied the cell.'), source.cell);
  const copyRow = (): void => copy(l10n.t('Copied the row.'), source.row);

  const copyPicture = async (): Promise<void> => {
    const state = source.state();
    if (state === null) return;
    try {
      const picture = pngOf(source.drawing(state));
      await navigator.clipboard.write([new ClipboardItem({ 'image/png': picture })]);
      say(l10n.t('Copied the picture.'));
    } catch (error) {
      if (error instanceof NotThere) say(error.message);
      else say(l10n.t('The picture was not copied: {0}', reasonOf(error)), button(l10n.t('Save as PNG'), () => void exportAs('png')));
    }
  };

  async function exportAs(format: ExportFormat, order = 0): Promise<void> {
    const state = source.state();
    try {
      if (state === null) throw new NotThere(l10n.t('Nothing is shown.'));
      const content = await source.content(state, format);
      if (content.length > exportLimit) throw new NotThere(l10n.t('It is too large for a file. Zoom in, and export what is in sight.'));
      events.exported({ format, name: source.name(state), content }, order);
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
  const files = menu(l10n.t('Export'), l10n.t('Export what is shown as a file'), formats.map((format) => ({ ...formatWords[format], run: () => void exportAs(format) })));
  const node = element('div', { class: 'picture-tools' }, copies, files, said);
  listenForCopy(node, () => {
    const state = source.state();
    if (state === null || source.cell(state) === null) return false;
    copyCell();
    return true;
  });
  const hush = whenChanged<State>(source.key, () => say(''));
  return { node, update: hush, exportAs: (format, order) => void exportAs(format, order) };
}

const formatWords: Readonly<Record<ExportFormat, { readonly label: string; readonly hint: string }>> = {
  png: { label: l10n.t('Picture as PNG'), hint: l10n.t('pixels') },
  svg: { label: l10n.t('Picture as SVG'), hint: l10n.t('drawing') },
  csv: { label: l10n.t('Cells as CSV'), hint: l10n.t('table') },
  md: { label: l10n.t('Record as Markdown'), hint: l10n.t('text') },
};

/** Text that is marked in the page, and text that is written, is what the user means to copy. */
function listenForCopy(node: HTMLElement, copy: () => boolean): void {
  whileThere(node, 'copy', (event) => {
    const marked = document.getSelection();
    if (inTextField(event) || (marked !== null && !marked.isCollapsed)) return;
    if (copy()) event.preventDefault();
  });
}

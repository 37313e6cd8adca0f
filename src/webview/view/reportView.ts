// A report of any kind: header first, coverage and provenance last.
import type { Report } from '../../shared/report';
import type { ElementLoads } from '../elementLoads';
import type { ReportState, Store } from '../store';
import { accountView } from './accountView';
import { bisectView } from './bisectView';
import { coverageSection } from './coverageSection';
import { diffTable } from './diffTable';
import { element, type Part } from './dom';
import { reportSource } from './export/content';
import { pictureTools, type ExportEvents, type PictureTools } from './export/pictureTools';
import { header, type HeaderEvents } from './header';
import { keyList } from './keyList';
import { lengthPicture } from './lengthPicture';
import { picture } from './picture';
import { provenanceSection } from './provenanceSection';
import { section } from './section';
import { sweepPicture } from './sweepPicture';
import { switchPicture } from './switchPicture';
import { trail } from './trail';

/** The part that only one kind of report has. */
function bodyOf(kind: Report['kind'], store: Store, loads: ElementLoads): Part<ReportState> {
  if (kind === 'bisect') {
    const part = bisectView(store, loads);
    return together({ node: part.node, update: ({ report, view }) => report.kind === 'bisect' && part.update({ report, view }) }, lengthPicture(store));
  }
  if (kind === 'diff') {
    const part = diffTable((arrangement) => store.dispatch({ type: 'arrange', arrangement }));
    return { node: part.node, update: ({ report, view }) => report.kind === 'diff' && part.update({ report, arrangement: view.arrangement }) };
  }
  return together(kind === 'widths' ? sweepPicture() : kind === 'switches' ? switchPicture() : picture(store), lengthPicture(store), accountView(store));
}

/** Where the arms part comes first, then at which lengths they do, then all that is told. */
function together(...parts: readonly Part<ReportState>[]): Part<ReportState> {
  return { node: element('div', {}, ...parts.map(({ node }) => node)), update: (state) => parts.forEach((part) => part.update(state)) };
}

export interface ReportEvents extends HeaderEvents, ExportEvents {}

export interface ReportView extends Part<ReportState>, Pick<PictureTools<ReportState>, 'exportAs'> {}

export function reportView(kind: Report['kind'], store: Store, loads: ElementLoads, events: ReportEvents): ReportView {
  const top = header(events);
  const tools = pictureTools(reportSource(store), events);
  const path = trail(store, tools.node, keyList());
  const body = bodyOf(kind, store, loads);
  const toggled = (name: string, open: boolean): void => store.dispatch({ type: 'section', name, open });
  const coverage = section(coverageSection, toggled);
  const provenance = section(provenanceSection, toggled);
  return {
    exportAs: tools.exportAs,
    node: element('main', { class: 'report' }, top.node, path.node, body.node, element('div', { class: 'sections' }, coverage.node, provenance.node)),
    update(state) {
      const { report, view } = state;
      top.update(state);
      path.update(state);
      tools.update(state);
      body.update(state);
      coverage.update({ content: report.coverage, sections: view.sections });
      provenance.update({ content: report, sections: view.sections });
    },
  };
}

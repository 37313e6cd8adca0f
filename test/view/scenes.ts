// Every view in the states that a user meets, for what has to hold in all of them: pictures that stay the same, and names for readers by ear.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FromCompare, ToCompare } from '../../src/shared/compareProtocol';
import type { FromPanel, ToPanel } from '../../src/shared/panelProtocol';
import type { Report } from '../../src/shared/report';
import { readReport } from '../../src/shared/reportFile';
import type { FileState, ToView } from '../../src/shared/viewProtocol';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { openLog, startLogHarness, type LogHarness } from './logPage';
import { settled } from './page';
import { drafters, entryOf, models, noServer, options, runOf, served } from './panelData';
import { diffReport, sampleReport } from './reports';
import { speculationReports } from './speculationReports';
import type { ThemeName } from './themes';

export interface Stages {
  readonly report: ViewHarness;
  readonly panel: ViewHarness<FromPanel, ToPanel>;
  readonly log: LogHarness;
  readonly compare: ViewHarness<FromCompare, ToCompare>;
}

/** @param texts of a language pack for all pages; undefined for English */
export async function startStages(texts?: Readonly<Record<string, string>>): Promise<Stages> {
  const [report, panel, log, compare] = await Promise.all([
    ViewHarness.start('src/webview/main.ts', texts),
    ViewHarness.start<FromPanel, ToPanel>('src/webview/panel/main.ts', texts),
    startLogHarness(texts),
    ViewHarness.start<FromCompare, ToCompare>('src/webview/compare/main.ts', texts),
  ]);
  return { report, panel, log, compare };
}

export const stopStages = (stages: Stages): Promise<unknown> => Promise.all(Object.values(stages).map((stage: { stop: () => Promise<void> }) => stage.stop()));

type Open = Pick<ViewPage, 'page' | 'errors' | 'setTheme'>;

/** The kit of controls takes a theme up some frames after it has changed. */
const themedMs = 150;

export async function changeTheme({ page, setTheme }: Pick<Open, 'page' | 'setTheme'>, theme: ThemeName): Promise<void> {
  await setTheme(theme);
  await page.waitForTimeout(themedMs);
  await settled(page);
}

export interface Scene {
  readonly name: string;
  readonly open: (stages: Stages, page: PageOptions) => Promise<Open>;
}

const progress = { text: 'width 8 · draw 2 of 3 · token 5 of 8 · about 12 s left', done: 5, total: 8 };

function reportScene(name: string, ...messages: ToView[]): Scene {
  return {
    name,
    async open({ report }, page) {
      const view = await report.open({ width: 1000, height: 680, ...page });
      for (const message of messages) await view.send(message);
      await view.page.locator('main.report, .screen').waitFor();
      await settled(view.page);
      return view;
    },
  };
}

const shown = (report: Report): ToView => ({ type: 'report', report, fileName: 'run.moire.json' });

function panelScene(name: string, ...messages: ToPanel[]): Scene {
  return {
    name,
    async open({ panel }, page) {
      const view = await panel.open({ width: 340, height: 800, place: 'sideBar', ...page });
      for (const message of messages) await view.send(message);
      await settled(view.page);
      return view;
    },
  };
}

function logScene(name: string, file: string, other?: string): Scene {
  const at = (name: string): string => path.join(import.meta.dirname, '../..', name);
  return {
    name,
    async open({ log }, page) {
      const view = await openLog(log, at(file), { width: 1000, height: 680, ...page });
      if (other !== undefined) await view.compareWith(at(other));
      await settled(view.page);
      return view;
    },
  };
}

function compareScene(name: string): Scene {
  const side = (file: string): FileState => {
    const read = readReport(readFileSync(path.join(import.meta.dirname, '../fixtures/compare', file), 'utf8'));
    if (!read.ok) throw new Error(`${file}: ${read.problem.detail}`);
    return { type: 'report', report: read.report, fileName: file };
  };
  return {
    name,
    async open({ compare }, page) {
      const view = await compare.open({ width: 1000, height: 680, ...page });
      await view.send({ type: 'compared', files: { a: 'file:///before.moire.json', b: 'file:///after.moire.json' }, a: side('before.moire.json'), b: side('after.moire.json') });
      await view.page.locator('.compare-header').waitFor();
      await settled(view.page);
      return view;
    },
  };
}

const run = runOf(60, { seed: 5 });
const folders: ToPanel = { type: 'folders', models, drafters, model: models[0]!.path, drafter: drafters[0]!.path };
const capture = 'samples/served/rounds.moire-capture.jsonl';

export const scenes: readonly Scene[] = [
  reportScene('report-loading'),
  reportScene('report-running', { type: 'running', fileName: 'run.moire.json', title: 'Bisect of target-4bit', progress }),
  reportScene('report-ended', shown({ ...sampleReport(), complete: false, incompleteReason: 'The run was cancelled.' })),
  reportScene('report-problem', { type: 'problem', fileName: 'run.moire.json', title: 'This report is damaged', detail: 'bisect.runs[0].cells.maxUlp: has 3 entries where 80 belong.', action: 'Run the experiment again.' }),
  reportScene('report-bisect', shown(sampleReport())),
  reportScene('report-diff', shown(diffReport())),
  ...speculationReports().map((report) => reportScene(`report-${report.kind}`, shown(report))),
  panelScene('panel-empty', { type: 'server', server: noServer }, { type: 'folders', models, drafters, model: '', drafter: '' }),
  panelScene('panel-run', { type: 'server', server: served }, folders, { type: 'options', options }, { type: 'prompt', text: 'Merge two lists.' }, { type: 'history', entries: [entryOf(run)] }, { type: 'run', run }),
  logScene('log', capture),
  logScene('log-compare', capture, capture),
  compareScene('compare'),
];

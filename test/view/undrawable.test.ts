// What a page is given and cannot draw, on whatever way in it breaks: it says so, and shows nothing older under a new name.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FromCompare, ToCompare } from '../../src/shared/compareProtocol';
import type { LogState, RequestDetail } from '../../src/shared/logReaderProtocol';
import type { FromLogView, ToLogView } from '../../src/shared/logViewProtocol';
import type { FromPanel, ToPanel } from '../../src/shared/panelProtocol';
import type { Report } from '../../src/shared/report';
import { Desk } from '../../src/engine/acceptLogs/desk';
import { ViewHarness, type PageOptions, type ViewPage } from './harness';
import { served } from './panelData';
import { sampleReport } from './reports';
import { speculationReports } from './speculationReports';

/** A report whose model cannot be made. */
const broken = { ...speculationReports().find(({ kind }) => kind === 'parity'), parity: { prompts: [], classic: [] } } as unknown as Report;
/** One whose model can, and whose page cannot. */
const undrawable = { ...sampleReport(), coverage: null } as unknown as Report;

const alert = (view: { page: ViewPage['page'] }): Promise<string> => view.page.locator('[role=alert]:visible').innerText({ timeout: 10_000 });

async function using<From, To>(entry: string, work: (harness: ViewHarness<From, To>) => Promise<void>): Promise<void> {
  const harness = await ViewHarness.start<From, To>(`src/webview/${entry}.ts`);
  try {
    await work(harness);
  } finally {
    await harness.stop();
  }
}

describe('a report that cannot be drawn', () => {
  it.each([
    ['a fresh page', false, broken],
    ['a fresh page', false, undrawable],
    ['a page that shows another one', true, broken],
    ['a page that shows another one', true, undrawable],
  ])('is a problem in %s', async (_, other, report) => {
    await using('main', async (harness: ViewHarness) => {
      const view = await harness.open();
      if (other) {
        await view.send({ type: 'report', report: sampleReport(), fileName: 'good.moire.json' });
        await view.page.locator('main.report').waitFor();
      }
      await view.send({ type: 'report', report, fileName: 'odd.moire.json' });
      const words = await alert(view);
      expect(words).toMatch(/^This report cannot be drawn\.\s+odd\.moire\.json\s+\S/);
      expect(await view.page.locator('main.report').count()).toBe(0);
      expect((await view.posted()).filter(({ type }) => type === 'failed')).toHaveLength(1);
      await view.page.getByText('Open as text').click();
      expect((await view.posted()).at(-1)).toEqual({ type: 'openAsText' });
      // The next one is shown again.
      await view.send({ type: 'report', report: sampleReport(), fileName: 'good.moire.json' });
      await view.page.locator('main.report').waitFor({ timeout: 10_000 });
      expect(view.errors).toEqual([]);
    });
  });

  it.each([broken, undrawable].map((report, i) => ({ report, i })))('is a problem of a comparison as well ($i)', async ({ report }) => {
    await using('compare/main', async (harness: ViewHarness<FromCompare, ToCompare>) => {
      const view = await harness.open();
      const files = { a: 'file:///a', b: 'file:///b' };
      const compared = (b: Report): ToCompare => ({ type: 'compared', files, a: { type: 'report', report: b, fileName: 'a.moire.json' }, b: { type: 'report', report: b, fileName: 'b.moire.json' } });
      const bad = { ...report, ...(report === undrawable ? { verdict: { word: 'none of ours', sentence: '' } } : {}) } as Report;
      for (const before of [null, sampleReport()]) {
        if (before !== null) {
          await view.send(compared(before));
          await view.page.locator('main.report').waitFor({ timeout: 10_000 });
        }
        await view.send(compared(bad));
        expect(await alert(view)).toMatch(/^These reports cannot be compared\.\s+A: a\.moire\.json · B: b\.moire\.json\s+\S/);
        expect(await view.page.locator('main.report').count()).toBe(0);
      }
      await view.page.getByText('Open report B').click();
      expect((await view.posted()).at(-1)).toEqual({ type: 'open', side: 'b' });
      expect(view.errors).toEqual([]);
    });
  });
});

describe('an accept log that cannot be drawn', () => {
  const file = path.join(import.meta.dirname, '../../samples/served/rounds.moire-capture.jsonl');
  const opened = async (harness: ViewHarness<FromLogView, ToLogView>, odd: { log?: (state: LogState) => unknown; request?: (detail: RequestDetail) => unknown }): Promise<ViewPage<FromLogView, ToLogView>> => {
    const desk = new Desk(() => undefined);
    const state = await desk.read('a', file, new AbortController().signal);
    const hears: PageOptions['hears'] = (data) => {
      const message = data as FromLogView;
      if (message.type === 'ready') return [{ type: 'log', slot: 'a', state: odd.log?.(state) ?? state }];
      if (message.type !== 'ask') return [];
      const value = desk.ask(message.question);
      return [{ type: 'answer', id: message.id, value: message.question.ask === 'request' && odd.request !== undefined ? odd.request(value as RequestDetail) : value }];
    };
    return harness.open({ hears });
  };

  it('is a problem, and one of its requests is one beside the list', async () => {
    await using('acceptLog/main', async (harness: ViewHarness<FromLogView, ToLogView>) => {
      const log = await opened(harness, { log: (state) => ({ ...state, counts: null }) });
      expect(await alert(log)).toMatch(/^This log cannot be drawn\./);
      await log.page.getByText('Open as text').click();
      expect((await log.posted()).at(-1)).toEqual({ type: 'openAsText' });
      const request = await opened(harness, { request: (detail) => ({ ...detail, usable: null }) });
      expect(await alert(request)).toMatch(/^This request cannot be drawn: \S/);
      for (const view of [log, request]) expect((await view.posted()).filter(({ type }) => type === 'failed').length).toBeGreaterThan(0);
    });
  });
});

describe('what the panel is told and cannot draw', () => {
  it('is said above what was there before, until it draws again', async () => {
    await using('panel/main', async (harness: ViewHarness<FromPanel, ToPanel>) => {
      const view = await harness.open();
      await view.send({ type: 'server', server: served });
      await view.send({ type: 'history', entries: null } as unknown as ToPanel);
      expect(await alert(view)).toMatch(/^What came last cannot be drawn, so what stands here may be old: \S/);
      expect((await view.posted()).filter(({ type }) => type === 'failed').length).toBeGreaterThan(0);
      await view.send({ type: 'history', entries: [] });
      await expect.poll(() => view.page.locator('[role=alert]:visible').count(), { timeout: 10_000 }).toBe(0);
      expect(view.errors).toEqual([]);
    });
  });
});

// Texts of any length: the page shows what it has room for, keeps its width, and answers at once. "Open as text" has the rest.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromCompare, ToCompare } from '../../src/shared/compareProtocol';
import type { BisectReport } from '../../src/shared/report';
import { cut, room } from '../../src/webview/model/cut';
import { ViewHarness, type ViewPage } from './harness';
import { inTime, patience, realReport, shownInTime } from './hostileReports';
import { sampleReport } from './reports';

let harness: ViewHarness;
beforeAll(async () => {
  harness = await ViewHarness.start();
});
afterAll(() => harness.stop());

const long = 'x'.repeat(3_000_000);

function longReport(): BisectReport {
  const report = structuredClone(sampleReport());
  report.verdict.sentence = long;
  for (const run of report.bisect.runs) [run.label, run.rows[0]!.label] = [long, long];
  return report;
}

async function expectRoom({ page, errors }: Pick<ViewPage, 'page' | 'errors'>): Promise<void> {
  const { characters, wide } = await page.evaluate(() => ({ characters: document.documentElement.outerHTML.length, wide: document.documentElement.scrollWidth - document.documentElement.clientWidth }));
  expect(characters).toBeLessThan(1_500_000);
  expect(wide).toBe(0);
  expect(errors).toEqual([]);
}

it('a text is cut between characters, and says that it was', () => {
  expect(cut('abc', 3)).toBe('abc');
  expect(cut('abcd', 3)).toBe('ab…');
  expect(cut('a\u{1f600}b\u{1f600}', 3)).toBe('a…');
});

describe('a report of long texts', () => {
  it('has a verdict of a few lines, labels of a few words, and no more in the page', async () => {
    const view = await shownInTime(harness, longReport());
    expect((await view.page.locator('h1').innerText()).length).toBe(room.heading);
    expect((await view.page.locator('.headline-more').innerText()).length).toBe(room.sentence);
    expect((await view.page.locator('.row-labels text > title').first().textContent())!.length).toBe(room.name);
    await expectRoom(view);
  });

  it('shows tokens and answers as far as there is room', async () => {
    const report = realReport('cache', ({ answers }) => {
      for (const answer of answers.answers) [answer.tokens, answer.text] = [answer.tokens.map(() => 'ä\u202e\ud800'.repeat(3_000)), 'word '.repeat(60_000)];
      answers.prompts = answers.prompts.map(() => 'p '.repeat(100_000));
    });
    await expectRoom(await shownInTime(harness, report));
  });

  it('can be compared', async () => {
    const compare = await ViewHarness.start<FromCompare, ToCompare>('src/webview/compare/main.ts');
    try {
      const view = await compare.open();
      const side = (report: BisectReport) => ({ type: 'report', report, fileName: 'long.moire.json' }) as const;
      await inTime(view.send({ type: 'compared', files: { a: 'file:///a', b: 'file:///b' }, a: side(longReport()), b: side(sampleReport()) }));
      await view.page.locator('main.compare').waitFor({ timeout: patience });
      await expectRoom(view);
    } finally {
      await compare.stop();
    }
  });
});

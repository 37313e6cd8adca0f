// What a page makes in another language, and what stays English in it. The texts are there before the modules that have some.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { LogTokens } from '../../../src/shared/logReaderProtocol';
import type { Report } from '../../../src/shared/report';
import { bisectReport, bisectRun } from '../../view/reports';
import { speculationReports } from '../../view/speculationReports';

const reports = (): readonly Report[] => [...speculationReports(), bisectReport([bisectRun({ seed: 1, layers: 3, width: 4, first: { layer: 1, tap: 'q_rope', position: 2 } }), bisectRun({ seed: 2, layers: 3, width: 8, first: null })])];
const texts = Object.keys(JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../l10n/bundle.l10n.json'), 'utf8')) as Record<string, string>);
const bundle = Object.fromEntries(texts.map((text) => [text, `⟦${text}⟧`]));

/** Of a log: a bonus of the prefill, a round that keeps a draft, and one that rejects its own. */
const logged: LogTokens = { from: 0, total: 4, ids: [7, 8, 9, 6], drafts: [-1, 8, -1, 4], rounds: [{ index: 0, from: 1, kept: 2, accepted: 1, drafted: 1, live: 12, line: 3, place: 0 }, { index: 1, from: 3, kept: 1, accepted: 0, drafted: 1, live: 13, line: 4, place: 1 }], promptTokens: 10 };

async function modules() {
  const [{ requestTimeline, compareTimeline }, { cellsCsv, cellText, rowText }, { mappedRuns }, { comparisonOf }, { comparisonRecord }, { outcomeInWords }, { found }] = await Promise.all([
    import('../../../src/webview/acceptLog/logTimelines'),
    import('../../../src/webview/model/export/cells'),
    import('../../../src/webview/model/grids'),
    import('../../../src/webview/model/compare/comparison'),
    import('../../../src/webview/model/compare/record'),
    import('../../../src/webview/model/compare/words'),
    import('../../../src/webview/model/find'),
  ]);
  return { requestTimeline, compareTimeline, cellsCsv, cellText, rowText, mappedRuns, comparisonOf, comparisonRecord, outcomeInWords, found };
}
type Modules = Awaited<ReturnType<typeof modules>>;

/** All that is made for files and the clipboard of a table. */
function filesOf({ cellsCsv, rowText, mappedRuns, comparisonOf, comparisonRecord, requestTimeline, compareTimeline }: Modules, all: readonly Report[]): string[] {
  const deltas = all.flatMap((report) => comparisonOf(report, structuredClone(report)).runs.flatMap(({ maps }) => maps?.delta ?? []));
  const ofLogs = [requestTimeline(logged, {}), compareTimeline({ tokens: logged, facts: {} }, { tokens: { ...logged, ids: [7, 8, 5, 6] }, facts: {} }, 2)];
  const grids = [...all.flatMap((report) => mappedRuns(report).flatMap(({ grid }) => grid ?? [])), ...deltas, ...ofLogs];
  const tables = grids.flatMap((grid) => [cellsCsv(grid) ?? '', ...grid.measures.map((measure) => rowText(grid, measure, 0))]);
  const names = { a: 'a', b: 'b' };
  const records = all.flatMap((report) => {
    const other = structuredClone(report);
    other.provenance.cpu.cores += 1;
    return [comparisonRecord(comparisonOf(report, other), names), comparisonRecord(comparisonOf(report, all[0]!), names)];
  });
  return [...tables, ...records];
}

describe('in another language', () => {
  let [english, made] = [[] as string[], undefined as Modules | undefined];
  beforeAll(async () => {
    const plain = await modules();
    english = filesOf(plain, reports());
    vi.resetModules();
    (await import('../../../src/webview/model/language')).speak(JSON.stringify(bundle));
    made = await modules();
  });

  it('files are the same as in English', () => {
    expect(english.length).toBeGreaterThan(30);
    expect(filesOf(made!, reports())).toEqual(english);
  });

  it('pages are not, and stay so when a file was made', () => {
    const [report] = reports();
    const comparison = made!.comparisonOf(report!, structuredClone(report!));
    for (const _ of [1, 2]) {
      expect(made!.outcomeInWords(comparison)).toBe('⟦Both reports found the same.⟧');
      made!.comparisonRecord(comparison, { a: 'a', b: 'b' });
    }
    const grid = made!.mappedRuns(reports().at(-1)!)[0]!.grid!;
    expect(made!.cellText(grid, { row: 0, position: 1 })).toMatch(/^⟦.* · position 1⟧\n/);
  });

  it('a position is found by the English word and by the own one', () => {
    const grid = made!.mappedRuns(reports().at(-1)!)[0]!.grid!;
    for (const text of ['pos 2', 'position 2', '⟦position⟧ 2', '2', 'Token2']) expect(made!.found(grid, { row: 0, position: 0 }, text)).toEqual({ row: 0, position: 2 });
    expect(made!.found(grid, { row: 0, position: 0 }, 'nothing 2')).toBeNull();
  });
});

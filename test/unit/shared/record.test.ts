// Reports as Markdown records: whole tables, and text that stays text.
import { describe, expect, it } from 'vitest';
import { recordOf } from '../../../src/shared/record';
import type { Report } from '../../../src/shared/report';
import { reportOfKind, reports, withTexts } from './reports';

const lines = (report: Report, options = {}): string[] => recordOf(report, options).split('\n');
/** Cells of a table row; an escaped pipe ends none. */
const cells = (line: string): string[] => line.split(/(?<!\\)(?:\\\\)*\|/);
const headings = (report: Report): string[] => lines(report).filter((line) => line.startsWith('#')).map((line) => line.replace(/ .*/, ''));

const hostile = ['a | b', '`code`', '```', 'line\nbreak', '\r\n\r\n# Heading', '<img src=x onerror=alert(1)>', '</details>', '![x](http://h/i.png)', '[x](javascript:1)', '**bold** __b__ ~~s~~', 'back\\slash \\| pipe', '&lt;b&gt; &#60;', '- item', '1. item', '> quote', '| - | - |'];

describe.each(reports.map((report) => ({ kind: report.kind, report })))('of $kind', ({ report }) => {
  it('has question, host, method, prediction, tables, controls and what was not covered', () => {
    const text = recordOf(report);
    for (const heading of ['Question', 'Host', 'Method', 'Prediction and result', 'Controls', 'Not covered']) expect(text).toContain(`\n## ${heading}\n`);
    expect(text).toMatch(new RegExp(`^# .*: ${report.verdict.word}\n\n`));
    expect(text.endsWith('\n')).toBe(true);
    expect(text).not.toMatch(/undefined|\[object/);
  });

  it.each(hostile)('%j stays text everywhere', (text) => {
    for (const evil of [withTexts(report, (own) => `${own}${text}`), withTexts(report, (own) => `${text}${own}`), withTexts(report, () => text)]) {
      const own = lines(evil);
      expect(headings(evil)).toEqual(headings(report));
      expect(own.filter((line) => line.startsWith('```'))).toEqual(['```', '```']);
      const fence = own.indexOf('```');
      const outside = [...own.slice(0, fence), ...own.slice(own.lastIndexOf('```') + 1)].join('\n');
      const tags = outside.match(/<[^>]*>?/g) ?? [];
      expect(tags.filter((tag) => !['<details>', '</details>', '<summary>', '</summary>'].includes(tag))).toEqual([]);
      expect(own.filter((line) => line === '</details>')).toHaveLength(own.filter((line) => line.startsWith('<details>')).length);
      expectTables(own);
      expect(outside).not.toMatch(/(?<!\\)`|\]\(|(?<!\\)~/);
      for (const line of outside.split('\n')) expect(line).not.toMatch(/^\s*(?:>|\d+[.)]|\+) /);
    }
  });
});

/** Every row of a table has as many cells as its head, and nothing else begins with a pipe. */
function expectTables(all: readonly string[]): void {
  for (const [i, line] of all.entries()) {
    if (!line.startsWith('|')) continue;
    let head = i;
    while (all[head - 1]?.startsWith('|') === true) head -= 1;
    expect(all[head + 1]).toMatch(/^\|( -+:? \|)+$/);
    expect(cells(line).length, line).toBe(cells(all[head]!).length);
  }
}

describe('prediction', () => {
  it('is what the user expected', () => {
    expect(recordOf(reportOfKind('replay'), { prediction: 'equal | at 4' })).toContain('- predicted: equal \\| at 4\n- result: defect\n');
  });

  it('else what the switches promise', () => {
    const report = reportOfKind('replay');
    const exact = { matmul: 'exact', attention: 'exact', prefillAttention: 'auto', delta: 'recurrent', rope: 'row' };
    const promising = { ...report, provenance: { ...report.provenance, switchesA: exact } };
    expect(recordOf(promising)).toContain('- predicted: equal: the exact kernels promise');
    expect(recordOf({ ...promising, provenance: { ...promising.provenance, switchesA: { ...exact, matmul: 'auto' } } })).toContain('- predicted: no promise: under matmul auto');
    expect(recordOf(reportOfKind('diff'))).toContain('- predicted: none was made');
  });
});

describe('controls', () => {
  it('are live where another order moved a logit, else void', () => {
    const report = structuredClone(reportOfKind('replay'));
    expect(recordOf(report)).toContain('- another reduction order (x against y): live, it moves a logit by up to 0.25');
    report.replay.noise.floor = 0;
    expect(recordOf(report)).toContain('- another reduction order (x against y): VOID, it moved no logit');
    report.replay.noise.repeatDifferingBytes = 3;
    expect(recordOf(report)).toContain('- repeat of arm A: 3 bytes differ, so nothing else can be judged');
  });

  it('of a matrix name each switch', () => {
    const text = recordOf(reportOfKind('switches'));
    expect(text).toContain('- matmul: live (it changes bytes)');
    expect(text).toContain('- threads: VOID (it has one value here)');
  });
});

it('says that a run is not complete, and why', () => {
  const text = recordOf({ ...reportOfKind('gate'), complete: false, incompleteReason: 'It was cancelled.' });
  expect(text).toContain('\n**Not complete.** It was cancelled.\n');
});

it('closes what is of second rank, so that an issue stays short', () => {
  const text = recordOf(reportOfKind('prefill'));
  expect(text).toContain('<details><summary>Taps that differ · classic against burst (verify)</summary>\n\n2 taps of 9, in data order.\n\n| layer | tap |');
  expect(text.split('<details>')).toHaveLength(text.split('</details>').length);
});

// What every report says in words and tables.
import { describe, expect, it } from 'vitest';
import { accountOf, type Account, type Table } from '../../../src/shared/account';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { reportOfKind, reports } from './reports';

const tablesOf = ({ sections }: Account): readonly Table[] => sections.flatMap(({ tables }) => tables);
const textOf = (account: Account): string => JSON.stringify(account);

describe.each(reports.map((report) => ({ kind: report.kind, report })))('of $kind', ({ report }) => {
  const account = accountOf(report);

  it('is one of a report that opens', () => {
    expect(readReport(formatReport(report))).toMatchObject({ ok: true });
  });

  it('has a question and sections that say something', () => {
    expect(account.question).toMatch(/\?$/);
    expect(account.sections.length).toBeGreaterThan(0);
    for (const { heading, lines, tables } of account.sections) {
      expect(heading).not.toBe('');
      expect(lines.length + tables.length).toBeGreaterThan(0);
      for (const line of lines) expect(line).not.toBe('');
    }
    expect(account.sections.some(({ detail }) => !detail)).toBe(true);
  });

  it('has tables whose rows have a cell a column, and no hole where a number belongs', () => {
    for (const { columns, rows } of tablesOf(account)) {
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toHaveLength(columns.length);
    }
    expect(textOf(account)).not.toMatch(/undefined|\[object|NaNx|"null"/);
  });

  it('says every differing thing once, whatever is empty', () => {
    const empty = structuredClone(report);
    if (empty.kind === 'replay') empty.replay.runs = [];
    if (empty.kind === 'rewind') Object.assign(empty.rewind, { tensors: [], first: null, how: [], audits: { round: [], row: [], asked: [], dropped: [], traceBytes: [], keptBytes: [], chainBytes: [] } });
    if (empty.kind === 'prefill') empty.prefill.runs = [];
    if (empty.kind === 'gate') empty.gate.widths = [];
    if (empty.kind === 'parity') Object.assign(empty.parity, { runs: [], widths: [], prompts: [], classic: [] });
    if (empty.kind === 'widths') Object.assign(empty.widths, { widths: [] });
    if (empty.kind === 'switches') Object.assign(empty.switches, { combinations: [], controls: [] });
    if (empty.kind === 'bisect') empty.bisect.runs = [];
    if (empty.kind === 'diff') empty.diff.entries = [];
    if (empty.kind === 'ids') Object.assign(empty.ids, { a: { ...empty.ids.a, ids: [] }, b: { ...empty.ids.b, ids: [] }, fork: null, texts: undefined });
    expect(textOf(accountOf(empty))).not.toMatch(/undefined|\[object/);
  });
});

describe('words', () => {
  it('of a replay name arm, place and other choices', () => {
    const account = accountOf(reportOfKind('replay'));
    expect(tablesOf(account)[0]!.rows[0]).toEqual(['block, wrong ids', 'defect', '2 of 3', '12', 'token 1 (round 0, row 0)', '1', 'token 2 (round 1, row 0)', '1', '1,024']);
    expect(textOf(account)).toContain('The model itself leaves it at token 1.');
    expect(textOf(account)).toContain('Line 3: the bonus is another.');
    expect(textOf(account)).not.toContain('Its rounds hold together');
  });

  it('of a rewind audit show the rewinds with something to see, and only those', () => {
    const account = accountOf(reportOfKind('rewind'));
    const rewinds = account.sections.find(({ heading }) => heading === 'Rewinds')!;
    expect(rewinds.lines).toEqual(['1 rewind of 2 with something to see.']);
    expect(rewinds.tables[0]!.rows).toEqual([['0', '1', '2', '2', '12', '-', '12']]);
    expect(textOf(account)).toContain('truncate: layers 0; recompute: layers 1');
  });

  it('of a gate are loud about an override', () => {
    expect(tablesOf(accountOf(reportOfKind('gate')))[0]!.rows).toEqual([['8', '8', 'OVERRIDDEN', 'inexact', 'exact', 'remembered'], ['8', '8', 'decline', 'inexact', '-', 'remembered']]);
  });

  it('of a parity run do not count the first bonus as a verified token', () => {
    // 8 emitted by one prompt in 3 rounds: 7 of them came from a round.
    expect(tablesOf(accountOf(reportOfKind('parity')))[0]!.rows[0]).toEqual(['4', 'tie', 'override', '0', '1', '0', '3', '0.444', '2.333']);
  });

  it('of a sweep tell drift of the machine, the resolution and what separates', () => {
    const text = textOf(accountOf(reportOfKind('widths')));
    expect(text).toContain('DRIFT: the classic passes that open the repeats and those that close them do not overlap');
    expect(text).toContain('classic against itself within a repeat gives -2.0 % to +0.0 %');
    const rows = tablesOf(accountOf(reportOfKind('widths')))[1]!.rows;
    expect(rows.map((row) => [row[0], row.at(-1)])).toEqual([['classic, open', 'bracket'], ['classic, close', 'bracket'], ['classic, again', 'null arm'], ['width 8', 'yes']]);
  });

  it('of two lists of ids show the places around the fork', () => {
    const account = accountOf(reportOfKind('ids'));
    expect(account.sections[0]!.lines).toEqual(['A: 3 ids of a.json.', 'B: 4 ids of b.log, request 2 of a log.']);
    expect(tablesOf(account)[0]!.rows).toEqual([['0', '5 "a"', '5 "a"', ''], ['1', '6 "b"', '6 "b"', ''], ['2', '7 "c"', '8 "d"', 'first difference'], ['3', 'no id', '9', 'differs']]);
  });

  it('of a switch matrix give equal bytes equal letters', () => {
    expect(tablesOf(accountOf(reportOfKind('switches')))[0]!.rows).toEqual([['auto', '', 'equal', 'A', ''], ['exact', '', 'equal', 'B', 'not complete']]);
  });
});

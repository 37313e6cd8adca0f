import { describe, expect, it } from 'vitest';
import { cellsCsv, cellText, rowText } from '../../../src/webview/model/export/cells';
import { csvField, csvOf } from '../../../src/webview/model/export/csv';
import { sweepCsv } from '../../../src/webview/model/export/sweepCsv';
import { mappedRuns } from '../../../src/webview/model/grids';
import { timelineGrid } from '../../../src/webview/model/timeline';
import { random } from '../../view/random';
import { sampleReport } from '../../view/reports';

/** RFC 4180, written down once more: the fields of a text. */
function parsed(text: string): string[][] {
  const rows: string[][] = [];
  let [row, field, quoted] = [[] as string[], '', false];
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quoted) {
      if (c === '"' && text[i + 1] === '"') [field, i] = [`${field}"`, i + 1];
      else if (c === '"') quoted = false;
      else field += c;
    } else if (c === '"') quoted = true;
    else if (c === ',') [row, field] = [[...row, field], ''];
    else if (c === '\r' && text[i + 1] === '\n') {
      rows.push([...row, field]);
      [row, field, i] = [[], '', i + 1];
    } else field += c;
  }
  expect([row, field, quoted]).toEqual([[], '', false]);
  return rows;
}

describe('a field of a table', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['two\nlines', '"two\nlines"'],
    [' edge', '" edge"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@x', "'@x"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
    ['\t=1', "'\t=1"],
    [' =1', "' =1"],
    ['', ''],
  ])('%j becomes %j', (text, field) => {
    expect(csvField(text)).toBe(field);
  });

  it('is a number where it is one, also below zero, and empty where nothing is known', () => {
    expect([csvField(-1), csvField(1e-7), csvField(Infinity), csvField(null)]).toEqual(['-1', '1e-7', 'Infinity', '']);
  });

  it('comes back whatever stands in it', () => {
    const r = random(5);
    const signs = ['a', '"', ',', '\n', '\r', ' ', '=', '+', '-', '@', '\t', 'é', '🙂', "'"];
    const rows = Array.from({ length: 300 }, () => Array.from({ length: 3 }, () => Array.from({ length: r.whole(0, 6) }, () => r.pick(signs)).join('')));
    const back = parsed(csvOf(rows));
    expect(back).toHaveLength(rows.length);
    rows.forEach((row, i) => row.forEach((text, j) => expect([text, `'${text}`]).toContain(back[i]![j])));
    // And nothing is a formula.
    expect(back.flat().filter((text) => /^\s*[=+\-@]/.test(text))).toEqual([]);
  });
});

const report = sampleReport();
const grid = mappedRuns(report)[3]!.grid!;
const run = report.bisect.runs[3]!;

describe('the cells of a bisect', () => {
  const [head, ...lines] = parsed(cellsCsv(grid)!);

  it('stand one a line with every measure', () => {
    expect(head).toEqual(['row', 'kind', 'layer', 'position', 'bytes', 'maxUlp', 'relL2', 'argmax', 'margin']);
    expect(lines).toHaveLength(run.rows.length * run.cells.positions);
    lines.forEach((line, cell) => {
      const row = run.rows[Math.floor(cell / run.cells.positions)]!;
      expect(line.slice(0, 4)).toEqual([row.label, row.kind, String(row.layer), String(cell % run.cells.positions)]);
      const differing = run.cells.differingBytes[cell]!;
      expect(Number(line[4])).toBe(differing / run.cells.rowBytes[Math.floor(cell / run.cells.positions)]!);
      if (differing > 0) expect(Number(line[8])).toBeCloseTo(Number(run.logits.marginA[cell % run.cells.positions]), 12);
      expect(['equal', 'differs, same greedy choice', 'differs, other greedy choice']).toContain(line[7]);
    });
  });

  it('are copied one by one and row by row', () => {
    const cell = run.first!;
    expect(cellText(grid, cell)).toMatch(/^layer 0 · position 0\ngated delta.*\nbytes: .*\nmax ULP: /);
    const [positions, values] = rowText(grid, { name: 'maxUlp' }, cell.row).trimEnd().split('\n').map((line) => line.split('\t'));
    expect(positions).toEqual(['position', ...Array.from({ length: grid.positions }, (_, i) => String(i))]);
    expect(values![0]).toBe('layer 0, Largest distance in representable values (ULP)');
    expect(values!.slice(1).map(Number)).toEqual(run.cells.maxUlp.slice(cell.row * grid.positions, (cell.row + 1) * grid.positions));
  });

  it('are refused as a table when there are too many', () => {
    expect(cellsCsv({ ...grid, positions: 1_000_000 })).toBeNull();
  });
});

describe('the tokens of a timeline', () => {
  const lanes = timelineGrid({
    lanes: [
      { name: '=classic', tokens: [{ id: 7, text: 'a' }, { id: 8, text: '=b,"c"' }, { id: -1, text: '\n' }] },
      { name: 'burst', tokens: [{ id: 7, text: 'a' }, { id: 9, text: 'x' }] },
    ],
    rounds: [],
    drifts: () => false,
    facts: () => [],
  });

  it('stand one a line with id, text and state', () => {
    expect(parsed(cellsCsv(lanes)!)).toEqual([
      ['lane', 'position', 'id', 'text', 'state'],
      ["'=classic", '0', '7', 'a', 'equal'],
      ["'=classic", '1', '8', `'=b,"c"`, 'other token'],
      ["'=classic", '2', '', '\n', 'other token'],
      ['burst', '0', '7', 'a', 'equal'],
      ['burst', '1', '9', 'x', 'other token'],
      ['burst', '2', '', '', 'ended'],
    ]);
  });

  it('are copied as a row of texts', () => {
    expect(rowText(lanes, { name: 'tokens' }, 1)).toBe("position\t0\t1\t2\nburst\ta\tx\t\n");
  });
});

it('the repeats of a sweep stand one a line', () => {
  const arm = { label: 'width 4', against: [1.25, 1.5], tokensPerSecond: [10, 12], acceptance: 0.5, word: 'equal', decision: 'engage', kernels: ['qmv', 'rope'] } as const;
  expect(parsed(sweepCsv({ arms: [arm, { ...arm, label: 'width 8', against: [], word: null, acceptance: null }], floor: null }))).toEqual([
    ['arm', 'repeat', 'against classic', 'tokens per second', 'accepted share', 'verdict', 'gate', 'kernels not of every width'],
    ['width 4', '1', '1.25', '10', '0.5', 'equal', 'engage', 'qmv rope'],
    ['width 4', '2', '1.5', '12', '0.5', 'equal', 'engage', 'qmv rope'],
    ['width 8', '', '', '', '', '', 'engage', 'qmv rope'],
  ]);
});

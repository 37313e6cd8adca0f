// Reading reports that may hold anything.
import { describe, expect, it } from 'vitest';
import type { BisectReport } from '../../../src/shared/report';
import { reportJsonSchema } from '../../../src/shared/reportSchema';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { reportOf } from '../engine/support';

const good = await reportOf({ widths: [2, 8], walk: 8 });

/** The report with one place set to another value. */
function changed(path: string, value: unknown): string {
  const document = structuredClone(good) as unknown as Record<string, unknown>;
  const parts = path.split('.');
  const last = parts.pop() ?? '';
  const holder = parts.reduce((node, part) => node[part] as Record<string, unknown>, document);
  holder[last] = value;
  return JSON.stringify(document);
}

function problem(text: string): { title: string; detail: string; action: string } {
  const read = readReport(text);
  if (read.ok) throw new Error('it was accepted');
  for (const part of [read.problem.title, read.problem.detail, read.problem.action]) expect(part.length).toBeLessThan(400);
  return read.problem;
}

describe('text of a report', () => {
  it('comes back as it was', () => {
    expect(readReport(formatReport(good))).toEqual({ ok: true, report: good });
  });

  it('does not depend on the order in which records were filled', () => {
    const turned = (record: Readonly<Record<string, string | number>>): Record<string, string | number> => Object.fromEntries(Object.entries(record).reverse());
    const { provenance } = good;
    const other: BisectReport = { ...good, provenance: { ...provenance, switchesA: turned(provenance.switchesA), switchesB: turned(provenance.switchesB) } };
    expect(formatReport(other)).toBe(formatReport(good));
  });

  it('keeps NaN and infinities by name', () => {
    const floor = structuredClone(good);
    floor.bisect.runs[0]!.noise.floor = 'NaN';
    const read = readReport(formatReport(floor));
    expect(read.ok && read.report.kind === 'bisect' && read.report.bisect.runs[0]!.noise.floor).toBe('NaN');
  });

  it('has a line a column', () => {
    const lines = formatReport(good).split('\n').filter((line) => line.includes('"firstIndex"') && line.includes('['));
    expect(lines).toHaveLength(good.bisect.runs.length);
    expect(lines.every((line) => line.includes(']'))).toBe(true);
  });
});

describe('files that are no report of ours', () => {
  it.each(['', '{', 'null', '[]', '"x"', '{"format":"moire.report"}', '{"format":"other","version":1}', '\u0000', '['.repeat(100_000), '{"__proto__":{"format":"moire.report","version":1}}'])('%#: is named as such', (text) => {
    expect(problem(text).title).toMatch(/not a (Moire )?report/);
  });

  it('of a newer version ask for an update', () => {
    expect(problem(changed('version', 2))).toMatchObject({ title: 'This report was written by a newer version of Moire' });
  });

  it('keeps records with hostile names apart from the objects of the language', () => {
    const text = formatReport(good).replace(/"switchesA": \{/, (start) => `${start}\n   "__proto__": "x", "constructor": "y",`);
    const read = readReport(text);
    const switches = read.ok ? read.report.provenance.switchesA : {};
    expect(Object.hasOwn(switches, 'constructor') && switches.constructor).toBe('y');
    expect(Object.getPrototypeOf(switches)).toBe(Object.prototype);
    expect(read.ok && readReport(formatReport(read.report)).ok).toBe(true);
  });

  const places: [string, unknown][] = [
    ['bisect.runs.0.cells.maxUlp', [1]],
    ['bisect.runs.1.cells.differingBytes.3', -1],
    ['bisect.runs.0.logits.argmaxA', ['<img>']],
    ['bisect.runs.0.verdict.word', 'fine'],
    ['bisect.runs.0.noise.floor', null],
    ['bisect.runs.0.blockIds', []],
    ['provenance.cpu.cores', 1.5],
    ['provenance.switchesA', []],
    ['experiment.widths.0', 1e9],
    ['complete', 'true'],
    ['run.location', 'elsewhere'],
  ];
  it.each(places)('damaged at %s say so', (path, value) => {
    expect(problem(changed(path, value)).detail).toContain(path);
  });

  const floods: [string, string][] = [
    ['entries of a list that are wrong', `[${'-1,'.repeat(3_000_000)}-1]`],
    ['objects that are empty', `[${'{},'.repeat(1_000_000)}{}]`],
    ['lists', `[${'[],'.repeat(3_000_000)}[]]`],
    ['names', `{${Array.from({ length: 300_000 }, (_, i) => `"n${i}":-1`).join()}}`],
    ['levels', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ];
  it.each(floods)('with a flood of %s are refused at the first', (_, flood) => {
    for (const field of ['coverage', 'notCovered', 'runs', 'switchesA', 'cost', 'state', 'tapsCompared']) {
      const text = formatReport(good).replace(new RegExp(`"${field}": (?=[[{])`), `$&${flood}, "rest": `);
      expect(text.includes('"rest"')).toBe(true);
      const start = performance.now();
      const read = readReport(text);
      expect(read.ok).toBe(false);
      // A flood is some megabytes, which take a moment to parse; a fault for each of it took half a minute.
      expect(performance.now() - start).toBeLessThan(8000);
      expect(JSON.stringify(read).length).toBeLessThan(1000);
    }
  });

  it('with an index that points nowhere', () => {
    const wide = good.bisect.runs.findIndex(({ width }) => width === 8);
    expect(problem(changed(`bisect.runs.${wide}.differing.row.0`, 99)).detail).toContain(`runs.${wide}.differing`);
    expect(problem(changed(`bisect.runs.${wide}.differing.tile.0`, 1e6)).detail).toContain('differing');
    expect(problem(changed(`bisect.runs.${wide}.tiles.0.a`, 'zz')).detail).toContain('tiles.0');
    expect(problem(changed(`bisect.runs.${wide}.first.row`, 99)).detail).toContain('first');
  });
});

it('has a JSON Schema that names its parts', () => {
  const text = JSON.stringify(reportJsonSchema());
  for (const part of ['moire.report', 'differingBytes', 'notCovered', 'captureDifferingBytes', 'gated_delta']) expect(text).toContain(part);
});

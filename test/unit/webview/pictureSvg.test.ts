import { describe, expect, it } from 'vitest';
import { binsFor, binsLimit, stretches } from '../../../src/webview/model/export/bins';
import { pictureSvg } from '../../../src/webview/model/export/pictureSvg';
import type { Colours } from '../../../src/webview/model/export/sheet';
import { tag, xmlText } from '../../../src/webview/model/export/xml';
import { mappedRuns } from '../../../src/webview/model/grids';
import { plotOf } from '../../../src/webview/model/plot';
import { random } from '../../view/random';
import { bisectReport, bisectRun, sampleReport } from '../../view/reports';

const colours: Colours = { background: '#000000', foreground: '#ffffff', muted: '#888888', line: '#333333', levels: ['#010101', '#020202', ...Array.from({ length: 64 }, (_, i) => `#${(i + 16).toString(16).padStart(2, '0')}0000`)] };

describe('text in a drawing', () => {
  it.each([
    [`<script>&"'`, '&lt;script&gt;&amp;&quot;&#39;'],
    ['a\u0000b\u0008c\u001b', 'a\ufffdb\ufffdc\ufffd'],
    ['\ud83d\ude42 \ud83d x \ude42', '\ud83d\ude42 \ufffd x \ufffd'],
    ['\ufffe\uffff', '\ufffd\ufffd'],
    ['tab\tline\n', 'tab\tline\n'],
  ])('%j becomes %j', (text, written) => {
    expect(xmlText(text)).toBe(written);
    expect(tag('t', { a: text })).toBe(`<t a="${written}"/>`);
  });
});

describe('the rectangles of a drawing', () => {
  it('cover each bin once, with the gravest of its cells, whatever is in sight', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const r = random(seed);
      const [rows, positions] = [r.whole(1, 70), r.whole(1, r.pick([20, 3000]))];
      const levels = Uint8Array.from({ length: rows * positions }, () => (r.next() < 0.98 ? 1 : r.whole(0, 66)));
      const sight = { rows: { from: r.whole(0, rows), size: 1 }, positions: { from: 0, size: positions } };
      sight.rows.size = r.whole(1, rows - sight.rows.from + 1);
      const plot = plotOf(rows, positions, { width: 1100, maxHeight: 600 }, sight);
      const bins = binsFor(plot);
      expect(bins.rows.length * bins.columns.length).toBeLessThanOrEqual(binsLimit);
      const drawn = [...stretches(bins, levels, positions)];
      const area = drawn.reduce((sum, { width, height }) => sum + width * height, 0);
      expect(area, `seed ${seed}`).toBe(plot.width * plot.height);
      // No cell is lost: what is drawn where it lies is at least as grave.
      for (let row = sight.rows.from; row < sight.rows.from + sight.rows.size; row++) {
        for (let position = 0; position < positions; position++) {
          const level = levels[row * positions + position]!;
          if (level < 2) continue;
          const own = bins.rows.filter(({ first, last }) => row >= first && row < last);
          const column = bins.columns.find(({ first, last }) => position >= first && position < last)!;
          for (const { from } of own) {
            const over = drawn.find(({ x, y, width, height }) => y <= from && y + height > from && x <= column.from && x + width > column.from)!;
            expect(over.level).toBeGreaterThanOrEqual(level);
          }
        }
      }
      for (const one of drawn) {
        const next = drawn.find(({ x, y }) => y === one.y && x === one.x + one.width);
        expect(next?.level).not.toBe(one.level);
      }
    }
  });

  it('are one a cell up to 20,000 cells, and fewer than that beyond', () => {
    expect(binsFor(plotOf(20, 1000, { width: 1100, maxHeight: 600 })).aggregated).toBe(false);
    const beyond = binsFor(plotOf(21, 1000, { width: 1100, maxHeight: 600 }));
    expect([beyond.aggregated, beyond.rows.length, beyond.columns.length]).toEqual([true, 21, 952]);
  });
});

describe('the drawing of a map', () => {
  const heading = { title: 'Bisect of <model>', verdict: 'drift: it & that.', run: 'run.moire.json · width 16' };
  const grid = mappedRuns(sampleReport())[3]!.grid!;

  it('says what it is, and draws rows, positions, legend and the first divergence', () => {
    const { svg, width, height } = pictureSvg({ grid, measure: 'bytes', sight: null }, heading, colours);
    expect(svg).toContain(`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`);
    expect(svg).toContain('<title>Bisect of &lt;model&gt;</title>');
    expect(svg).toContain('drift: it &amp; that.');
    expect(svg).toMatch(/<desc>run\.moire\.json · width 16: rows 0 to \d+ of \d+, positions 0 to 15 of 16\. Every cell is drawn\.<\/desc>/);
    for (const { label } of grid.rows) expect(svg).toContain(`>${label}</text>`);
    for (const words of ['equal', 'first divergence', 'Share of differing bytes']) expect(svg).toContain(`>${words}</text>`);
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });

  it('says when cells share rectangles', () => {
    const large = mappedRuns(bisectReport([bisectRun({ seed: 9, layers: 30, width: 900, first: { layer: 3, tap: 'conv', position: 7 } })]))[0]!.grid!;
    const { svg } = pictureSvg({ grid: large, measure: 'maxUlp', sight: null }, heading, colours);
    expect(svg).toMatch(/28,800 cells are aggregated by maximum to 32 x 625 rectangles/);
    expect(svg.match(/<rect/g)!.length).toBeLessThan(binsLimit);
    const near = pictureSvg({ grid: large, measure: 'maxUlp', sight: { rows: { from: 0, size: 32 }, positions: { from: 100, size: 40 } } }, heading, colours).svg;
    expect(near).toContain('positions 100 to 139 of 900. Every cell is drawn.');
  });

  it('draws every measure', () => {
    for (const { name } of grid.measures) expect(pictureSvg({ grid, measure: name, sight: null }, heading, colours).svg).not.toMatch(/NaN|undefined/);
  });
});

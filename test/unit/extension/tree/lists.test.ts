// How the tree sorts reports, tells ages, and what it takes from the config of a checkpoint.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ageOf } from '../../../../src/extension/tree/age';
import { configFacts, factsOf } from '../../../../src/extension/tree/modelFacts';
import { byVerdict, withoutCopies, type ModelNode, type ReportNode } from '../../../../src/extension/tree/nodes';
import type { VerdictWord } from '../../../../src/shared/verdictWord';

const samples = path.join(import.meta.dirname, '../../../../samples');

const report = (name: string, word: VerdictWord | null, at: number, startedAt: number | null = null): ReportNode => ({
  type: 'report',
  file: { path: name, bytes: 1, at },
  listed: word === null ? { unlisted: 'cut off' } : { head: { word, sentence: '', complete: true, probe: 'Bisect', subject: name, widths: [], switches: [], allAsked: true, startedAt } },
});

describe('reports by verdict', () => {
  it('stand gravest first, each newest first, and last those that cannot be read', () => {
    const groups = byVerdict([report('a', 'equal', 1), report('b', null, 9), report('c', 'defect', 2), report('d', 'tie', 3), report('e', 'defect', 1, 5)]);
    expect(groups.map(({ word, reports }) => [word, reports.map(({ file }) => file.path).join('')])).toEqual([['defect', 'ec'], ['tie', 'd'], ['equal', 'a'], [null, 'b']]);
  });
  it('have no group without a report', () => {
    expect(byVerdict([])).toEqual([]);
  });
});

describe('models', () => {
  const model = (folder: string, place: ModelNode['place'], weightBytes = 1): ModelNode => ({ type: 'model', folder, place, facts: { architecture: 'a', quantisation: null, dtype: 'b', drafter: false, weightBytes } });
  const left = (...models: ModelNode[]): string[] => withoutCopies(models).map(({ folder }) => folder);

  it('of the samples are left out where the workspace has them', () => {
    expect(left(model('/w/target', 'workspace'), model('/w/other', 'recent'), model('/s/target', 'sample'), model('/s/drafter', 'sample'))).toEqual(['/w/target', '/w/other', '/s/drafter']);
  });
  it('that differ stay, and so do two of the user', () => {
    expect(left(model('/w/target', 'workspace', 2), model('/x/target', 'recent', 2), model('/s/target', 'sample'))).toEqual(['/w/target', '/x/target', '/s/target']);
  });
});

describe('an age', () => {
  const now = Date.UTC(2026, 0, 31);
  it.each([
    [0, 'now'],
    [59_000, 'now'],
    [60_000, '1 minute ago'],
    [3_599_000, '59 minutes ago'],
    [5 * 3_600_000, '5 hours ago'],
    [25 * 3_600_000, 'yesterday'],
    [15 * 86_400_000, '2 weeks ago'],
    [400 * 86_400_000, 'last year'],
    [-5000, 'now'],
  ])('of %d ms is "%s" to the ear, and shorter to the eye', (ms, heard) => {
    expect(ageOf(now - ms, now, 'en', 'long')).toBe(heard);
    expect(ageOf(now - ms, now, 'en', 'narrow').length).toBeLessThanOrEqual(heard.length);
  });
  it('is told in the language of the user', () => {
    expect(ageOf(now - 3 * 3_600_000, now, 'de', 'long')).toBe('vor 3 Stunden');
  });
});

describe('what a config tells', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'moire-models-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const json = (file: string): unknown => JSON.parse(readFileSync(path.join(samples, file), 'utf8'));

  it('is the architecture and quantisation of the sample, and that its drafter is one', () => {
    expect(configFacts(json('target-4bit/config.json'))).toEqual({ architecture: 'qwen3_5', quantisation: { bits: 4, group: 64 }, dtype: 'bfloat16', drafter: false });
    expect(configFacts(json('drafter/config.json'))).toEqual({ architecture: 'qwen3', quantisation: null, dtype: 'bfloat16', drafter: true });
  });

  it('is the size of all weights', async () => {
    const { weightBytes, drafter } = await factsOf(path.join(samples, 'drafter'));
    expect({ weightBytes, drafter }).toEqual({ weightBytes: 1_995_931, drafter: true });
  });

  it.each([null, 7, 'text', [], { model_type: { toString: 1 }, architectures: [{ toString: 1 }], quantization: { bits: 'x', group_size: -1 }, dtype: '<b>' }, { text_config: [] }, { model_type: 'x'.repeat(500) }])('is nothing where %j stands', (config) => {
    expect(configFacts(config)).toEqual({ architecture: '', quantisation: null, dtype: '', drafter: false });
  });

  it('is nothing where the config is cut, too large or a folder', async () => {
    const nothing = { architecture: '', quantisation: null, dtype: '', drafter: false, weightBytes: 0 };
    for (const [name, content] of [['cut', '{"model_type": "qw'], ['large', `{"model_type": "q", "x": "${'y'.repeat(1 << 20)}"}`]] as const) {
      mkdirSync(path.join(folder, name));
      writeFileSync(path.join(folder, name, 'config.json'), content);
      expect(await factsOf(path.join(folder, name))).toEqual(nothing);
    }
    mkdirSync(path.join(folder, 'folder', 'config.json'), { recursive: true });
    expect(await factsOf(path.join(folder, 'folder'))).toEqual(nothing);
    expect(await factsOf(path.join(folder, 'gone'))).toEqual(nothing);
  });
});

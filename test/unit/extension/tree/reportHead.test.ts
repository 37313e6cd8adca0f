// The head of a report file, whatever the file holds.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Heads, readHead } from '../../../../src/extension/tree/headFile';
import { scanHead } from '../../../../src/extension/tree/jsonHead';
import { headOf, type ListedHead } from '../../../../src/extension/tree/reportHead';
import { titleOf } from '../../../../src/shared/reportFacts';
import { readReport } from '../../../../src/shared/reportFile';

const fixtures = path.join(import.meta.dirname, '../../../fixtures/reports');
const folder = mkdtempSync(path.join(tmpdir(), 'moire-heads-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, `${name}.moire.json`);
  writeFileSync(file, content);
  return file;
}

const fields = { format: 'moire.report', version: 1, complete: true, incompleteReason: '', verdict: { word: 'drift', sentence: 'Bytes differ.' }, run: { startedAt: '2026-11-30T07:25:56.013Z' }, kind: 'bisect', experiment: { kind: 'bisect', model: '/models/small' } };
const text = (changes: object = {}): string => JSON.stringify({ ...fields, ...changes }, null, 1);
const unlisted = (listed: ListedHead): string => ('unlisted' in listed ? listed.unlisted : 'listed');

describe('the head of a report', () => {
  it.each(readdirSync(fixtures))('says of %s what the whole report says', async (name) => {
    const file = path.join(fixtures, name);
    const read = readReport(readFileSync(file, 'utf8'));
    if (!read.ok) throw new Error(read.problem.detail);
    const { verdict, complete, run, experiment } = read.report;
    const [probe, subject] = titleOf(experiment).split(' of ');
    const { widths = [], width, switches = {} } = experiment as { widths?: number[]; width?: number; switches?: Record<string, unknown> };
    const asked = { widths: width === undefined ? widths : [width], switches: Object.entries(switches).map(([one, value]) => `${one}=${String(value)}`) };
    expect(await readHead(file)).toEqual({ head: { ...asked, allAsked: true, word: verdict.word, sentence: verdict.sentence.length > 600 ? `${verdict.sentence.slice(0, 600)}…` : verdict.sentence, complete, probe, subject, startedAt: Date.parse(run.startedAt) } });
  });

  it('comes from the two ends of the file alone, which may be larger than what can be read', async () => {
    const file = fileOf('large', `${text().trimEnd().slice(0, -1)}, "more": "`);
    // Nothing but a hole: 64 GiB that no disk holds.
    const opened = openSync(file, 'r+');
    writeSync(opened, '"}\n', 64 * 2 ** 30);
    closeSync(opened);
    expect(unlisted(await readHead(file))).toBe('listed');
    rmSync(file);
  });

  it('goes on to the kind where much stands before it', async () => {
    const listed = await readHead(fileOf('late', text({ provenance: { notes: ['n'.repeat(100_000)] }, kind: undefined, experiment: undefined, ...{ z: 1 } }).replace('"z": 1', '"kind": "bisect", "experiment": {"model": "/m/late"}')));
    expect('head' in listed && [listed.head.probe, listed.head.subject]).toEqual(['Bisect', 'late']);
  });

  it('says what was asked, a part of it where the file holds very much', () => {
    const head = (experiment: object): unknown => {
      const listed = headOf(text({ experiment: { model: 'm', ...experiment } }));
      return 'head' in listed && [listed.head.widths, listed.head.switches];
    };
    expect(head({ widths: [2, 8, 2, [4], { x: 5 }, 'six', null], switches: { matmul: 'exact', 'burst.prefill': 'verify', threads: 2 } })).toEqual([[2, 8], ['matmul=exact', 'burst.prefill=verify', 'threads=2']]);
    expect(head({ width: 4 })).toEqual([[4], []]);
    expect(head({ widths: Array.from({ length: 500 }, (_, i) => i), switches: Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`s${i}`, 'v'.repeat(500)])) })).toMatchObject([{ length: 8 }, { length: 8, 0: `s0=${'v'.repeat(97)}…` }]);
    expect(head({ widths: 'all', switches: [1, 2], more: { widths: [3] } })).toEqual([[], []]);
  });

  it('goes on to the end of what was asked, and says where it did not come to it', async () => {
    const asked = (length: number): string => text({ experiment: { model: 'm', prompts: ['p'.repeat(length)], widths: [4], switches: { matmul: 'qmm' } } });
    expect(await readHead(fileOf('asked', asked(50_000)))).toMatchObject({ head: { widths: [4], switches: ['matmul=qmm'], allAsked: true } });
    expect(await readHead(fileOf('endless', asked(500_000)))).toMatchObject({ head: { probe: 'Bisect', widths: [], switches: [], allAsked: false } });
  });

  it('marks what did not come to its end', () => {
    const listed = headOf(text({ complete: false }));
    expect('head' in listed && listed.head.complete).toBe(false);
  });

  it('names a server without what is no name', () => {
    const listed = headOf(text({ kind: 'repeat', experiment: { server: { url: 'http://127.0.0.1:8080', model: 'qwen\u0000\n3' } } }));
    expect('head' in listed && listed.head.subject).toBe('qwen 3 at 127.0.0.1:8080');
    const wrong = headOf(text({ kind: 'repeat', experiment: { server: { url: 'nowhere', model: 'm' } } }));
    expect('head' in wrong && [wrong.head.probe, wrong.head.subject]).toEqual(['Repeat check', '']);
  });
});

describe('a file that is no report', () => {
  const nested = '{"a":'.repeat(200_000);
  const cases: readonly (readonly [string, string | Uint8Array, string])[] = [
    ['empty', '', 'empty'],
    ['blank', ' \n\t ', 'empty'],
    ['words', 'no { json', 'not JSON'],
    ['a list', '[1, 2]', 'not JSON'],
    ['binary', Uint8Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256), 'not JSON'],
    ['other JSON', '{"format": "else", "version": 1}', 'no report'],
    ['no version', text({ version: '1' }), 'no report'],
    ['a newer version', text({ version: 2 }), 'newer'],
    ['no verdict', text({ verdict: null }), 'no verdict'],
    ['a seventh verdict', text({ verdict: { word: 'constructor', sentence: '' } }), 'no verdict'],
    ['a verdict in a list', text({ verdict: [{ word: 'equal' }] }), 'no verdict'],
    ['nested objects', nested, 'no report'],
    ['nested lists', `{"x": ${'['.repeat(200_000)}`, 'no report'],
    ['an endless string', `{"format": "${'x\\"'.repeat(150_000)}`, 'no report'],
    ['backslashes', `{"format": "${'\\'.repeat(200_001)}`, 'no report'],
    ['cut off', text({ bisect: { runs: [{ x: 'y'.repeat(20_000) }] } }).slice(0, 15_000), 'cut off'],
    ['cut off early', text().slice(0, 60), 'no verdict'],
  ];
  it.each(cases)('%s is told as that', async (name, content, why) => {
    const start = performance.now();
    expect(unlisted(await readHead(fileOf(name, content)))).toBe(why);
    expect(performance.now() - start).toBeLessThan(2000);
  });

  it('is one that is not there, or a folder, or a pipe that nobody writes into', async () => {
    expect(unlisted(await readHead(path.join(folder, 'gone.moire.json')))).toBe('cannot be read');
    expect(unlisted(await readHead(folder))).toBe('not a file');
    if (process.platform === 'win32') return;
    const pipe = path.join(folder, 'pipe.moire.json');
    execFileSync('mkfifo', [pipe]);
    expect(unlisted(await readHead(pipe))).toBe('not a file');
  });

  it('has a name of its own kind only by what the record of kinds itself holds', () => {
    const listed = headOf(text({ kind: 'toString' }));
    expect('head' in listed && listed.head.probe).toBe('');
  });

  it('does not fill a list', () => {
    const listed = headOf(text({ verdict: { word: 'tie', sentence: 's'.repeat(100_000) }, experiment: { model: `/${'m'.repeat(100_000)}` } }));
    expect('head' in listed && listed.head.sentence.length + listed.head.subject.length).toBeLessThan(800);
  });
});

describe('heads that are kept', () => {
  it('are read again when the file is another one, and never without', async () => {
    const file = fileOf('kept', text());
    const heads = new Heads();
    const found = (): { path: string; bytes: number; at: number } => ({ path: file, bytes: statSync(file).size, at: statSync(file).mtimeMs });
    const first = heads.of(found());
    expect(heads.of(found())).toBe(first);
    writeFileSync(file, text({ verdict: { word: 'defect', sentence: 'changed' } }));
    const second = await heads.of(found());
    expect('head' in second && second.head.word).toBe('defect');
    heads.keepOnly(new Set());
    expect(heads.of(found())).not.toBe(first);
  });
});

describe('a scan of a text that may be cut', () => {
  const wanted = new Set(['a', 'b.c', 'b.d']);
  it('takes the last of two values and passes over lists', () => {
    expect([...scanHead('{"a": 1, "b": {"x": [{"c": 5}], "c": "é\\n\\u0041"}, "a": false, "b": {"d": null}}', wanted).values]).toEqual([['a', false], ['b.c', 'é\nA'], ['b.d', null]]);
  });
  it('keeps what came before the cut, at every place of it', () => {
    const whole = '{"a": "one", "b": {"c": 12, "d": true}}';
    for (let end = 0; end <= whole.length; end += 1) {
      const { values } = scanHead(whole.slice(0, end), wanted);
      if (values.has('a')) expect(values.get('a')).toBe('one');
      if (end < 11) expect(values.size).toBe(0);
      if (end > 32) expect(values.get('b.c')).toBe(12);
    }
  });
});

// What the manifest names is there: pictures of every theme, texts, schemas, and files that ship.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const manifest = readFileSync(path.join(root, 'package.json'), 'utf8');
const named = (file: string): string[] => [...new Set(readFileSync(path.join(root, file), 'utf8').match(/\bmedia\/[\w./-]+\.\w+/g))];

it.each(['package.json', 'README.md', 'CHANGELOG.md'])('%s names files of media/ that are there', (file) => {
  expect(named(file).filter((one) => !existsSync(path.join(root, one)))).toEqual([]);
});

it('media/ holds nothing that nobody names', () => {
  const kept = execFileSync('git', ['ls-files', 'media'], { cwd: root, encoding: 'utf8' }).split('\n').filter((name) => /\.(png|md)$/.test(name));
  const used = new Set(['package.json', 'README.md'].flatMap(named));
  expect(kept.filter((name) => !used.has(name))).toEqual([]);
});

it('every text of the manifest is one of package.nls.json', () => {
  const texts = JSON.parse(readFileSync(path.join(root, 'package.nls.json'), 'utf8')) as Readonly<Record<string, string>>;
  const keys = [...manifest.matchAll(/"%([\w.-]+)%"/g)].map(([, key = '']) => key);
  expect(keys.filter((key) => texts[key] === undefined)).toEqual([]);
  expect(Object.keys(texts).filter((key) => !keys.includes(key))).toEqual([]);
});

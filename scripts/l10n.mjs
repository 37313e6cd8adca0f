// Writes l10n/bundle.l10n.json, the strings of the extension and of its pages that a language pack can translate; with --check only says whether it is current.
// What src/shared and the engine say (verdicts, accounts, faults of logs and checkpoints) is not among them: it stands in reports and logs, which read the same everywhere.
import './setup/nodeVersion.mjs';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRoot, relative } from './lib/paths.mjs';
import { Problem, main } from './lib/say.mjs';

const file = inRoot('l10n/bundle.l10n.json');
const sources = ['src/extension', 'src/webview'].map((source) => inRoot(source));

async function strings() {
  const { getL10nJson } = await import('@vscode/l10n-dev');
  const files = sources.flatMap((source) => readdirSync(source, { recursive: true, encoding: 'utf8' }).map((name) => path.join(source, name))).filter((name) => name.endsWith('.ts'));
  const found = await getL10nJson(files.sort().map((name) => ({ extension: '.ts', contents: readFileSync(name, 'utf8') })));
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

await main(async () => {
  const text = `${JSON.stringify(await strings(), null, 2)}\n`;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  if (process.argv.includes('--check')) throw new Problem(`${relative(file)} is stale. Run: npm run l10n.`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  process.stdout.write(`wrote ${relative(file)}\n`);
});

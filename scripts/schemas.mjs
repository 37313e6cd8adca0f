// Writes the published JSON Schemas into media/schemas/ from the schemas that validate; with --check only says whether they are current.
import './setup/nodeVersion.mjs';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { inRoot, relative } from './lib/paths.mjs';
import { Problem, main } from './lib/say.mjs';

const schemas = [{ file: inRoot('media/schemas/report.schema.json'), from: 'src/shared/reportSchema.ts', make: (module) => module.reportJsonSchema() }];

async function load(source) {
  const { build } = await import('esbuild');
  const outfile = inRoot('.moire', 'schemas.mjs');
  await build({ absWorkingDir: inRoot(), entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'warning' });
  return import(outfile);
}

await main(async () => {
  for (const { file, from, make } of schemas) {
    const text = `${JSON.stringify(make(await load(from)), null, 2)}\n`;
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    if (process.argv.includes('--check')) throw new Problem(`${relative(file)} is stale. Run: npm run schemas.`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`wrote ${relative(file)}\n`);
  }
});

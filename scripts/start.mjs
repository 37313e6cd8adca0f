// npm start [-- --no-editor]: sets up what is missing, bisects the sample model, and opens VS Code on the report.
import './setup/nodeVersion.mjs';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import process from 'node:process';
import { openEditor } from './lib/editor.mjs';
import { inRoot, relative, sampleModel } from './lib/paths.mjs';
import { runShown } from './lib/run.mjs';
import { Problem, createUi, main } from './lib/say.mjs';
import { setUpProduct } from './setup/index.mjs';

const report = inRoot('runs', 'sample.moire.json');

/** 0 and 1 are verdicts; anything else means that the run did not come to one. */
async function bisectSample(ui) {
  mkdirSync(inRoot('runs'), { recursive: true });
  rmSync(report, { force: true });
  ui.line(`\nBisecting ${relative(sampleModel)}: does a block of tokens compute what single steps compute?\n`);
  const code = await runShown([process.execPath, 'dist/cli.js', 'bisect', relative(sampleModel), '--width', '2,4,8,16', '--out', relative(report)]);
  if ((code !== 0 && code !== 1) || !existsSync(report)) throw new Problem(`The bisect of the sample model did not finish (${code}).`);
}

await main(async () => {
  const ui = createUi();
  if (!(await setUpProduct(ui))) ui.line('Everything is set up.');
  await bisectSample(ui);
  const wantsEditor = process.stdout.isTTY && !process.argv.includes('--no-editor');
  if (wantsEditor) await openEditor(ui, inRoot('samples'), report);
});

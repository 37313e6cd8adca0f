// npm test [-- SUITE... [--no-setup]]: sets up what is missing and runs every suite, or those whose names begin with the words given.
import './setup/nodeVersion.mjs';
import process from 'node:process';
import { Problem, createUi, main, seconds } from './lib/say.mjs';
import { setUpBrowser, setUpPackages, setUpProduct, setUpServer } from './setup/index.mjs';
import { failed, skipped } from './suites/counts.mjs';
import { editorSuites } from './suites/editor.mjs';
import { staticSuites, vitestSuites } from './suites/node.mjs';
import { rustSuites } from './suites/rust.mjs';

const setUps = { packages: setUpPackages, product: setUpProduct, server: setUpServer, browser: setUpBrowser };
/** Where these cannot be had, their suites are skipped with the reason; on CI that is a failure. */
const optional = new Set(['server', 'browser']);

const suites = [...rustSuites, ...staticSuites, ...vitestSuites(), ...editorSuites];

function selected(words) {
  if (words.length === 0) return suites;
  const unknown = words.filter((word) => !suites.some(({ name }) => name.startsWith(word)));
  if (unknown.length > 0) throw new Problem(`There is no suite ${unknown.join(', ')}. The suites are: ${suites.map(({ name }) => name).join(', ')}.`);
  return suites.filter(({ name }) => words.some((word) => name.startsWith(word)));
}

/** Does what the suites need, each need once. Resolves to a map from an optional need that could not be met to the reason. */
async function setUp(ui, chosen) {
  const unmet = new Map();
  for (const need of Object.keys(setUps)) {
    if (!chosen.some(({ needs }) => needs.includes(need))) continue;
    try {
      await setUps[need](ui);
    } catch (error) {
      if (!optional.has(need) || !(error instanceof Problem)) throw error;
      unmet.set(need, error.message);
    }
  }
  return unmet;
}

async function runSuite(ui, suite, unmet) {
  const start = Date.now();
  ui.line(`\n── ${suite.name} · ${suite.title}`);
  const reason = suite.needs.map((need) => unmet.get(need)).find((text) => text !== undefined);
  const counts = reason === undefined ? await suite.run().catch(broken) : (process.env.CI ? failed : skipped)(reason);
  if (counts.note) ui.line(`${suite.name}: ${counts.note}`);
  return { name: suite.name, ...counts, time: seconds(start) };
}

function broken(error) {
  process.stderr.write(`${error instanceof Problem ? error.message : error.stack}\n`);
  return failed('could not run');
}

function table(ui, rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  ui.line(`\n${'suite'.padEnd(width)}  passed  failed  skipped      time`);
  for (const { name, note, time, ...counts } of rows) {
    const columns = [String(counts.passed).padStart(6), String(counts.failed).padStart(6), String(counts.skipped).padStart(7), time.padStart(8)];
    ui.line(`${name.padEnd(width)}  ${columns.join('  ')}${note ? `  ${note}` : ''}`);
  }
}

async function runAll(ui, args) {
  const chosen = selected(args.filter((word) => !word.startsWith('-')));
  const start = Date.now();
  try {
    const unmet = args.includes('--no-setup') ? new Map() : await setUp(ui, chosen);
    const rows = [];
    for (const suite of chosen) rows.push(await runSuite(ui, suite, unmet));
    return rows;
  } catch (error) {
    return [{ name: 'set-up', ...broken(error), time: seconds(start) }];
  }
}

await main(async () => {
  const ui = createUi();
  const start = Date.now();
  const rows = await runAll(ui, process.argv.slice(2));
  table(ui, rows);
  const sum = (column) => rows.reduce((total, row) => total + row[column], 0);
  ui.line(`\nin ${seconds(start)}`);
  ui.line(`${sum('passed')} passed, ${sum('failed')} failed, ${sum('skipped')} skipped`);
  return sum('failed') > 0 || sum('passed') === 0 ? 1 : 0;
});

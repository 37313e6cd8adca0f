import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import * as vscode from 'vscode';
import { readReport } from '../../src/shared/reportFile';
import { api, bisect, closeAll, experiment, fileThere, longExperiment, reportTab, sampleModel, savedReport, setting, until, workspace } from './support';

const reports = (): string => path.join(workspace(), '.moire');
const partials = (): string[] => (existsSync(reports()) ? readdirSync(reports()).filter((name) => name.endsWith('.partial.moire.json')) : []);

/** The partial report of the run that was started last: it is there after the first comparison. */
async function nextPartial(before: readonly string[]): Promise<string> {
  const name = await until('a partial report', () => partials().find((partial) => !before.includes(partial)), 60_000);
  return path.join(reports(), name);
}

describe('bisect block vs chain', () => {
  afterEach(closeAll);

  it('runs on the sample model, saves the report and opens it beside the active editor', async () => {
    const text = await vscode.workspace.openTextDocument({ content: 'typing here' });
    await vscode.window.showTextDocument(text, vscode.ViewColumn.One);
    const end = await bisect(experiment());
    assert.equal(end.problem, '');
    assert.equal(path.dirname(end.file ?? ''), reports());
    assert.match(path.basename(end.file ?? ''), /^target-4bit-bisect-\d{8}-\d{6}(?:-\d+)?\.moire\.json$/);
    const report = savedReport(end.file);
    assert.equal(report.complete, true);
    assert.equal(report.run.location, 'process');
    assert.equal(report.verdict.word, end.verdict);
    const [run] = report.bisect.runs;
    assert.equal(run?.width, 8);
    assert.equal(run.first?.layer, 0, 'auto changes the matmul kernel at eight rows, first in layer 0');
    assert.notEqual(run.first.kernelA, run.first.kernelB);
    const tab = reportTab(end.file ?? '');
    assert.equal(tab?.group.viewColumn, vscode.ViewColumn.Two);
    assert.equal(vscode.window.activeTextEditor?.document, text, 'the focus was taken away');
    assert.equal(existsSync((end.file ?? '').replace('.moire.json', '.partial.moire.json')), false);
  });

  it('finds no byte that differs with the exact matmul, and takes the settings where the argument says nothing', async () => {
    const restore = [await setting('bisect.widths', [3, 8]), await setting('bisect.draws', 1), await setting('bisect.walk', 0), await setting('engine.threads', 1)];
    try {
      const end = await bisect({ model: 'target-4bit', switches: { matmul: 'exact', attention: 'exact' } });
      const report = savedReport(end.file);
      assert.equal(end.verdict, 'equal');
      assert.deepEqual(report.bisect.runs.map(({ width }) => width), [3, 8]);
      assert.equal(report.provenance.threads, 1);
      assert.equal(report.provenance.model?.path, sampleModel());
    } finally {
      for (const back of restore) await back();
    }
  });

  it('gives equal reports in the process and in the extension host, but for the facts of the run', async () => {
    const inProcess = savedReport((await bisect(experiment({ widths: [2, 8] }))).file);
    const restore = await setting('engine.location', 'extensionHost');
    try {
      const inHost = savedReport((await bisect(experiment({ widths: [2, 8] }))).file);
      assert.equal(inHost.run.location, 'extensionHost');
      assert.deepEqual({ ...inHost, run: undefined }, { ...inProcess, run: undefined });
    } finally {
      await restore();
    }
  });

  it('returns within 300 ms from a cancel and keeps what was compared', async () => {
    const { run } = await api();
    const before = partials();
    const abort = new AbortController();
    const running = run(longExperiment(), abort.signal);
    await nextPartial(before);
    const start = performance.now();
    abort.abort();
    const end = await running;
    const took = performance.now() - start;
    assert.ok(took < 300, `it took ${took.toFixed(0)} ms`);
    assert.equal(end.complete, false);
    const report = savedReport(end.file);
    assert.equal(report.complete, false);
    assert.ok(report.bisect.runs.length > 0);
  });

  it('shows a run while it goes on, in the page that has its report in the end', async () => {
    const { run, shown } = await api();
    const before = new Set(readdirSync(reports()));
    const abort = new AbortController();
    const running = run(longExperiment(), abort.signal);
    const tab = await until('the page of the run', () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ input }) => input instanceof vscode.TabInputCustom && !before.has(path.basename(input.uri.path))));
    const { uri } = tab.input as vscode.TabInputCustom;
    const state = await until('what stands of it', async () => {
      const found = await shown(uri);
      return found?.type === 'report' && found.running !== undefined ? found : undefined;
    });
    assert.equal(state.report.complete, false);
    assert.equal(existsSync(uri.fsPath), false);
    abort.abort();
    const end = await running;
    assert.equal(end.file, uri.fsPath);
    const left = await until('what is left of it', async () => {
      const found = await shown(uri);
      return found?.type === 'report' && found.running === undefined ? found : undefined;
    });
    assert.equal(left.report.incompleteReason, 'The run was cancelled.');
  });

  it('opens the report of a run that began with no editor open once, where its page is', async () => {
    await closeAll();
    const { run } = await api();
    const running = run(experiment({ widths: [8, 2, 4, 16], input: { type: 'draws', draws: 4, promptLength: 64 } }), new AbortController().signal);
    // The page of the run is there before the run is over: else there is nothing to open twice.
    const inputs = (): unknown[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input);
    const { uri } = await until('the page of the run', () => inputs().find((input): input is vscode.TabInputCustom => input instanceof vscode.TabInputCustom), 60_000);
    assert.equal(existsSync(uri.fsPath), false, 'the run was over before its page was there');
    const end = await running;
    assert.equal(end.file, uri.fsPath);
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => `${group.viewColumn} ${label}`));
    assert.deepEqual(tabs, [`1 ${path.basename(uri.fsPath)}`]);
  });

  it('offers to run a run again that left nothing', async () => {
    const { run, shown } = await api();
    const before = new Set(existsSync(reports()) ? readdirSync(reports()) : []);
    const abort = new AbortController();
    // A server that takes every request and answers none.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const running = run({ kind: 'repeat', server: { url, model: 'any' }, endpoint: 'completions', prompts: ['a'], tokens: 4, times: 2, temperature: 0, seed: 0 }, abort.signal);
    const { uri } = await until('the page of the run', () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ input }) => input).find((input) => input instanceof vscode.TabInputCustom && !before.has(path.basename(input.uri.path)))).then((input) => input as vscode.TabInputCustom);
    assert.equal((await until('the page', () => shown(uri))).type, 'running');
    abort.abort();
    await running;
    const left = await until('the end', async () => {
      const found = await shown(uri);
      return found?.type === 'problem' ? found : undefined;
    });
    assert.equal(left.again, true);
    assert.match(left.detail, /cancelled/);
    silent.close();
    silent.closeAllConnections();
  });

  it('queues runs, and a waiting one can be cancelled', async () => {
    const { run } = await api();
    const first = run(experiment(), new AbortController().signal);
    const abort = new AbortController();
    const second = run(longExperiment(), abort.signal);
    abort.abort();
    const end = await second;
    assert.equal(end.file, undefined);
    assert.match(end.problem, /cancelled/);
    assert.equal((await first).complete, true);
  });

  it('survives a SIGKILL of the engine in mid-run: an error with the partial report, and the next run works', async () => {
    const { enginePid } = await api();
    const before = partials();
    const running = bisect(longExperiment());
    const partial = await nextPartial(before);
    const pid = await enginePid();
    assert.ok(pid !== undefined);
    process.kill(pid, 'SIGKILL');
    const end = await running;
    assert.equal(end.file, partial);
    assert.match(end.problem, /The engine process was ended by SIGKILL\. What was compared until then is in .*\.partial\.moire\.json\. The next use starts it again\./);
    const report = savedReport(partial);
    assert.equal(report.complete, false);
    assert.notEqual(report.incompleteReason, '');
    assert.ok(report.bisect.runs.length > 0);
    const next = await bisect(experiment());
    assert.equal(next.complete, true);
    assert.notEqual(await enginePid(), pid);
  });

  it('runs the experiment of an open report again', async () => {
    const end = await bisect(experiment({ widths: [2] }));
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(end.file ?? ''), 'moire.report');
    await until('the report in front', () => (vscode.window.tabGroups.activeTabGroup.activeTab?.input instanceof vscode.TabInputCustom ? true : undefined));
    const again = await vscode.commands.executeCommand<typeof end>('moire.runAgain');
    assert.notEqual(again.file, end.file);
    const text = (file: string | undefined): unknown => ({ ...savedReport(file), run: undefined });
    assert.deepEqual(text(again.file), text(end.file));
  });

  it('writes a report that the shared reader takes and whose text does not change when it is written again', async () => {
    const { file = '' } = await bisect(experiment({ widths: [2] }));
    await fileThere(file);
    const text = readFileSync(file, 'utf8');
    const read = readReport(text);
    assert.ok(read.ok);
    const { formatReport } = await import('../../src/shared/reportFile');
    assert.equal(formatReport(read.report), text);
  });
});

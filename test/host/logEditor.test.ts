// Accept logs in a real VS Code: the editor, its commands, the second log, the export, the quick look, and a log that is large.
import assert from 'node:assert/strict';
import { appendFileSync, closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import { itemsOf } from '../../src/extension/acceptLog/chooseLog';
import type { LogState, Slot } from '../../src/shared/logReaderProtocol';
import { api, closeAll, setting, until, workspace } from './support';

const served = (): vscode.Uri => vscode.Uri.file(path.join(workspace(), 'served', 'rounds.moire-capture.jsonl'));

const line = (round: number, accepted: number): string =>
  `2026-09-24T08:15:02.118207Z DEBUG mlxcel_core::drafter::dflash::round_loop: DFlash round transcript round=${round} bs=4 bonus=${round === 0 ? 517 : 77} draft_tokens=[${accepted > 0 ? 88 : 1}, 402, 19] target_tokens=[88, 77, 640, 12] accepted=${accepted} new_tokens=[${accepted > 0 ? '88, 77' : '88'}]`;

const vllm = '(APIServer pid=4120) INFO 09-24 08:20:10 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.40, Accepted throughput: 14.00 tokens/s, Drafted throughput: 30.00 tokens/s, Accepted: 140 tokens, Drafted: 300 tokens, Per-position acceptance rate: 0.700, 0.450, 0.250, Avg Draft acceptance rate: 46.7%';

function write(name: string, text: string): vscode.Uri {
  const file = path.join(workspace(), name);
  writeFileSync(file, text);
  return vscode.Uri.file(file);
}

async function read(uri: vscode.Uri, slot: Slot = 'a', limitMs = 60_000): Promise<LogState> {
  const moire = await api();
  return until(`${uri.path} is read`, async () => {
    const state = await moire.acceptLog(uri, slot);
    return state !== undefined && state.phase !== 'reading' ? state : undefined;
  }, limitMs); // prettier-ignore
}

const tabOf = (uri: vscode.Uri): vscode.Tab | undefined => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ input }) => input instanceof vscode.TabInputCustom && input.viewType === 'moire.acceptLog' && input.uri.fsPath === uri.fsPath);

/** The page has asked for the request that it shows. */
const shown = async (uri: vscode.Uri): Promise<number> => until('the page shows a request', async () => (await api()).selectedRequest(uri));

describe('accept logs', () => {
  afterEach(closeAll);

  it('open by view type, and the reader ends with the document', async () => {
    await vscode.commands.executeCommand('vscode.openWith', served(), 'moire.acceptLog');
    const state = await read(served());
    assert.deepEqual([state.phase, state.engine, state.grade, state.counts.requests, state.counts.rounds, state.counts.violations], ['done', 'moire', 'A', 1, 36, 0]);
    assert.equal(await shown(served()), 0);
    const pid = await (await api()).logReaderPid(served());
    assert.ok(pid !== undefined);
    await closeAll();
    await until('the reader has ended', () => (isAlive(pid) ? undefined : true));
  });

  it('do not take files from the text editor: priority is an option', async () => {
    const uri = write('plain.log', `${line(0, 1)}\n`);
    await vscode.commands.executeCommand('vscode.open', uri);
    await until('the text editor in front', () => vscode.window.activeTextEditor?.document.uri.fsPath === uri.fsPath || undefined);
    assert.equal(tabOf(uri), undefined);
  });

  it('open by the command, with a path or an address, and show the request that was asked for', async () => {
    const uri = write('two.log', [line(0, 1), line(1, 0), line(0, 1)].join('\n'));
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri.fsPath);
    assert.equal((await read(uri)).counts.requests, 2);
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri, 1);
    await until('the page shows request 1', async () => (await (await api()).selectedRequest(uri)) === 1 || undefined);
  });

  it('take the place of their text, which is not shown twice, and are shown where they are', async () => {
    const uri = write('place.log', `${line(0, 1)}\n`);
    const labels = (): string[] => vscode.window.tabGroups.all.flatMap(({ viewColumn, tabs }) => tabs.map(({ label, input }) => `${viewColumn} ${label} ${input instanceof vscode.TabInputCustom ? 'log' : 'text'}`));
    await vscode.window.showTextDocument(uri, { preview: false });
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri);
    assert.deepEqual(labels(), ['1 place.log log']);
    // A text beside it was opened on purpose.
    await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Two, preview: false });
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri);
    assert.deepEqual(labels(), ['1 place.log log', '2 place.log text']);
  });

  it('are offered by what is in front, what was open and what a file holds', async () => {
    const [log, text] = [write('offered.log', `${line(0, 1)}\n`), write('prompt.txt', 'Write a poem.\n')];
    const offered = async (candidates: Parameters<typeof itemsOf>[0]): Promise<string[]> => (await itemsOf(candidates)).map(({ label, description }) => (description === 'in front' ? `${label} in front` : label));
    const found = await offered({ first: undefined, recent: [] });
    assert.ok(found.includes('offered.log') && found.includes('rounds.moire-capture.jsonl'), found.join());
    assert.ok(!found.includes('prompt.txt') && !found.includes('config.json'), found.join());
    // Whatever it holds: the user has it open.
    assert.deepEqual((await offered({ first: text, recent: [log.fsPath, '/nowhere.log'] })).slice(0, 2), ['prompt.txt in front', 'offered.log']);
    assert.ok(!(await offered({ first: undefined, recent: [log.fsPath], without: log })).includes('offered.log'));
    rmSync(text.fsPath);
  });

  it('say what a file is that holds no known line', async () => {
    const uri = write('other.txt', 'nothing of interest\n');
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri);
    const state = await read(uri);
    assert.deepEqual([state.phase, state.problem?.title], ['failed', 'Nothing in this file is a known log of speculative decoding']);
  });

  it('are compared two at a time', async () => {
    const [a, b] = [write('a.log', [line(0, 1), line(1, 0)].join('\n')), write('b.log', [line(0, 1), line(1, 1)].join('\n'))];
    await vscode.commands.executeCommand('moire.compareAcceptLogs', a, [a, b]);
    assert.ok(tabOf(a) !== undefined && tabOf(b) === undefined);
    assert.equal((await read(a)).source, 'a.log');
    assert.deepEqual([(await read(a, 'b')).source, (await read(a, 'b')).counts.rounds], ['b.log', 2]);
  });

  it('that grow are read again with the log beside them, by one reader that takes the place of the other', async () => {
    const [a, b] = [write('grows.log', line(0, 1)), write('beside.log', line(0, 1))];
    await vscode.commands.executeCommand('moire.compareAcceptLogs', [a, b]);
    assert.deepEqual([(await read(a)).counts.rounds, (await read(a, 'b')).counts.rounds], [1, 1]);
    const moire = await api();
    const before = await moire.logReaderPid(a);
    assert.ok(before !== undefined);
    // In pieces, as servers write: the last one counts.
    for (const more of [line(1, 0), line(2, 0), line(3, 0)]) {
      appendFileSync(a.fsPath, `\n${more}`);
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    await until('four rounds', async () => (await moire.acceptLog(a))?.counts.rounds === 4 || undefined);
    assert.deepEqual([(await read(a, 'b')).source, (await read(a, 'b')).counts.rounds], ['beside.log', 1]);
    await until('the first reader has ended', () => (isAlive(before) ? undefined : true));
    rmSync(a.fsPath);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    // What was read of a file that is gone stays.
    assert.equal((await read(a)).counts.rounds, 4);
  });

  it('are exported whole as JSON and as a table, by argument', async () => {
    await vscode.commands.executeCommand('moire.inspectAcceptLog', served());
    await read(served());
    const [json, tsv] = ['out.json', 'out.tsv'].map((name) => path.join(workspace(), name));
    await vscode.commands.executeCommand('moire.exportAcceptLog', { uri: served(), format: 'json', file: json });
    await vscode.commands.executeCommand('moire.exportAcceptLog', { uri: served(), format: 'tsv', file: tsv });
    const capture = JSON.parse(readFileSync(json!, 'utf8')) as { requests: { accepted: number[] }[] };
    const rows = readFileSync(tsv!, 'utf8').trimEnd().split('\n').slice(1).map((row) => Number(row.split('\t')[5]));
    assert.deepEqual(rows, capture.requests[0]?.accepted);
    assert.equal(rows.length, 36);
  });

  it('offer themselves above their first known line and above each request, unless the setting says no', async () => {
    const uri = write('lens.log', ['server started', line(0, 1), line(1, 0), line(0, 1)].join('\n'));
    const lenses = async (): Promise<vscode.CodeLens[]> => {
      await vscode.workspace.openTextDocument(uri);
      return (await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10)).filter(({ command }) => command?.command === 'moire.inspectAcceptLog');
    };
    const found = await until('code lenses', async () => ((await lenses()).length > 0 ? lenses() : undefined));
    assert.deepEqual(found.map(({ range, command }) => [range.start.line, command?.title]), [
      [1, 'Moire: accept log of mlxcel, grade A · Open in the Accept Log editor'],
      [1, 'Request 0 · 2 rounds'],
      [3, 'Request 1 · 1 round'],
    ]);
    const restore = await setting('logs.quickLook', false);
    try {
      assert.deepEqual(await lenses(), []);
    } finally {
      await restore();
    }
  });

  it('show rows of a log of 100 MB before it is read, and leave the host free meanwhile', async () => {
    const file = path.join(workspace(), 'large.log');
    const out = openSync(file, 'w');
    const noise = '2026-09-24T08:15:02.118207Z  INFO mlxcel::server::http: request served method=POST path=/v1/completions status=200\n'.repeat(2000);
    for (let i = 0; fstatSync(out).size < 100_000_000; i += 1) writeSync(out, `${[0, 1, 2, 3].map((round) => line(round, 1)).join('\n')}\n${noise}`);
    closeSync(out);
    const uri = vscode.Uri.file(file);
    const moire = await api();
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri);
    const early = await until('first rounds', async () => {
      const state = await moire.acceptLog(uri);
      return state !== undefined && state.counts.rounds > 0 ? state : undefined;
    });
    assert.deepEqual([early.phase, early.bytesRead < early.bytes], ['reading', true]);
    assert.equal(await shown(uri), 0);
    const end = await read(uri, 'a', 120_000);
    assert.deepEqual([end.phase, end.counts.rounds, end.bytes], ['done', end.counts.requests * 4, statSync(file).size]);
    await closeAll();
    rmSync(file);
  }).timeout(180_000);

  it('of other engines open too', async () => {
    const uri = write('vllm.log', `${vllm}\n`);
    await vscode.commands.executeCommand('moire.inspectAcceptLog', uri);
    const state = await read(uri);
    assert.deepEqual([state.engine, state.grade, state.counts.intervals], ['vllm', 'C', 1]);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

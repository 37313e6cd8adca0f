import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToView } from '../../src/shared/viewProtocol';
import { api, bisect, closeAll, experiment, reportTab, until } from './support';

describe('the report editor', () => {
  let scratch: string;
  let sound: string;
  before(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-reports-'));
    sound = path.join(scratch, 'sound.moire.json');
    copyFileSync((await bisect(experiment({ widths: [2] }))).file ?? '', sound);
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(closeAll);

  const document = (): Record<string, unknown> => JSON.parse(readFileSync(sound, 'utf8')) as Record<string, unknown>;

  /** Opens a file with its default editor and gives what the view is told. */
  async function open(file: string): Promise<ToView> {
    const uri = vscode.Uri.file(file);
    await vscode.commands.executeCommand('vscode.open', uri);
    const { shown } = await api();
    const state = await until('the editor', () => shown(uri));
    assert.ok(reportTab(file), 'it was not opened by the report editor');
    return state;
  }

  async function problem(name: string, text: string): Promise<Extract<ToView, { type: 'problem' }>> {
    const file = path.join(scratch, name);
    writeFileSync(file, text);
    const state = await open(file);
    assert.equal(state.type, 'problem');
    return state;
  }

  it('opens *.moire.json by default', async () => {
    const state = await open(sound);
    assert.equal(state.type === 'report' && state.report.kind, 'bisect');
  });

  it('opens as text', async () => {
    await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(sound), 'default');
    await until('the text editor', () => (vscode.window.activeTextEditor?.document.uri.fsPath === sound ? true : undefined));
    const uri = vscode.window.activeTextEditor?.document.uri ?? vscode.Uri.file(sound);
    const faults = await until('the schema', () => (vscode.window.activeTextEditor?.document.languageId === 'json' ? vscode.languages.getDiagnostics(uri) : undefined));
    assert.deepEqual(faults, []);
  });

  it('says when a file is not JSON', async () => {
    const { title, detail, action } = await problem('text.moire.json', 'not { json');
    assert.match(title, /not JSON/);
    assert.notEqual(detail, '');
    assert.notEqual(action, '');
  });

  it('says when JSON is no report', async () => {
    assert.match((await problem('other.moire.json', '{"a": 1}')).title, /not a Moire report/);
  });

  it('says when a report is newer, with both versions', async () => {
    const { title, detail } = await problem('newer.moire.json', JSON.stringify({ ...document(), version: 7 }));
    assert.match(title, /newer version/);
    assert.match(detail, /version 7.*version 1/);
  });

  it('says where a report is damaged', async () => {
    const { title, detail } = await problem('damaged.moire.json', JSON.stringify({ ...document(), complete: 'yes' }));
    assert.match(title, /damaged/);
    assert.match(detail, /complete/);
  });

  it('refuses a report of 500 MB without reading it', async () => {
    const file = path.join(scratch, 'huge.moire.json');
    writeFileSync(file, '{');
    truncateSync(file, 500_000_000);
    const before = process.memoryUsage().rss;
    const state = await open(file);
    assert.match(state.type === 'problem' ? `${state.title}: ${state.detail}` : '', /too large.*477 MiB.*128 MiB/);
    assert.ok(process.memoryUsage().rss - before < 200_000_000, 'it was read');
  });

  it('follows the file: renamed into place, then gone', async () => {
    const file = path.join(scratch, 'changing.moire.json');
    copyFileSync(sound, file);
    await open(file);
    const uri = vscode.Uri.file(file);
    const { shown } = await api();
    const next = path.join(scratch, 'next.tmp');
    writeFileSync(next, JSON.stringify({ ...document(), incompleteReason: 'changed', complete: false }));
    renameSync(next, file);
    await until('the new report', async () => {
      const state = await shown(uri);
      return state?.type === 'report' && state.report.incompleteReason === 'changed' ? true : undefined;
    });
    rmSync(file);
    await until('the end of the report', async () => {
      const state = await shown(uri);
      return state?.type === 'problem' && state.detail.includes('does not exist') ? true : undefined;
    });
  });

  it('is read-only: nothing to save after looking', async () => {
    await open(sound);
    assert.equal(reportTab(sound)?.isDirty, false);
  });
});

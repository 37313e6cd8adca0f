// The tree view "Moire" through the provider that the view asks: what is found, what is bounded, what the commands do with an entry.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { reportChoice } from '../../src/extension/openReport';
import type { GroupId, Node, ReportNode, VerdictNode } from '../../src/extension/tree/nodes';
import type { RunEnd } from '../../src/extension/runService';
import { api, bisect, closeAll, experiment, extension, until, workspace } from './support';

describe('the overview', () => {
  const folder = (): string => path.join(workspace(), 'overview');
  let sound: string;
  before(async () => {
    const { file } = await bisect(experiment({ widths: [2] }));
    assert.ok(file);
    sound = readFileSync(file, 'utf8');
    mkdirSync(folder(), { recursive: true });
  });
  after(async () => {
    rmSync(folder(), { recursive: true, force: true });
    await closeAll();
  });

  async function children(node?: Node): Promise<Node[]> {
    return (await (await (await api()).tree()).getChildren(node)) ?? [];
  }

  const group = (id: GroupId): Promise<Node[]> => children({ type: 'group', group: id });

  async function item(node: Node): Promise<vscode.TreeItem> {
    return (await api()).tree().then((tree) => tree.getTreeItem(node));
  }

  async function reports(): Promise<ReportNode[]> {
    return (await group('reports')).filter((node): node is VerdictNode => node.type === 'verdict').flatMap((verdict) => verdict.reports);
  }

  const named = async (name: string): Promise<ReportNode | undefined> => (await reports()).find(({ file }) => file.path === path.join(folder(), `${name}.moire.json`));

  function place(name: string, text = sound): string {
    const file = path.join(folder(), `${name}.moire.json`);
    writeFileSync(file, text);
    return file;
  }

  it('has four groups', async () => {
    const labels = await Promise.all((await children()).map(async (node) => (await item(node)).label));
    assert.deepEqual(labels, ['Models', 'Reports', 'Captures', 'Servers']);
  });

  it('finds the models of the workspace, with what their configs say, marks drafters, and lists no sample beside its copy', async () => {
    const models = await group('models');
    const shipped = path.join(extension().extensionPath, 'samples');
    const of = (at: string): Node => models.find((node) => node.type === 'model' && node.folder === at) ?? assert.fail(`${at} is not listed`);
    const own = await item(of(path.join(workspace(), 'target-4bit')));
    assert.deepEqual([own.label, own.description, own.contextValue], ['target-4bit', 'qwen3_5 · 4 bit · 3.86 MB', 'model']);
    const drafter = await item(of(path.join(workspace(), 'drafter')));
    assert.deepEqual([drafter.description, drafter.contextValue], ['drafter · qwen3 · bfloat16 · 2.00 MB', 'drafter']);
    assert.ok(typeof own.tooltip === 'string');
    assert.match(own.tooltip, /\n3\.86 MB is the size of all \.safetensors files, also of what no forward reads\n/);
    // The workspace is a copy of the samples.
    assert.deepEqual(models.filter((node) => node.type === 'model' && node.folder.startsWith(shipped)), []);
  });

  it('hears of a report that comes, changes and goes', async () => {
    const file = place('heard');
    assert.equal('head' in (await until('the report', () => named('heard'))).listed, true);
    writeFileSync(file, sound.replace('"complete": true', '"complete": false'));
    await until('the change', async () => {
      const found = await named('heard');
      return found !== undefined && String((await item(found)).description).startsWith("not complete · ");
    });
    rmSync(file);
    await until('its end', async () => ((await named('heard')) === undefined ? true : undefined));
  });

  it('tells the runs of a probe apart by what was asked, in the tree and where a report is chosen', async () => {
    const asked = JSON.parse(sound) as { experiment: { widths: number[]; switches: object } };
    asked.experiment.switches = { matmul: 'exact' };
    const file = place('asked', JSON.stringify(asked));
    const found = await until('the report', () => named('asked'));
    assert.match(String((await item(found)).description), /^target-4bit · widths? [\d, ]+ · matmul=exact · /);
    const choice = reportChoice(found);
    assert.match(choice.description ?? '', /^\w+ · target-4bit · widths? [\d, ]+ · matmul=exact$/);
    assert.match(choice.detail ?? '', /asked\.moire\.json · /);
    assert.deepEqual([choice.label, choice.file], [(await item(found)).label, file]);
    rmSync(file);
  });

  it('lists what is no report as that', async () => {
    place('damaged', '{"format": "moire.report", "version": 1');
    const found = await until('the file', () => named('damaged'));
    assert.deepEqual([(await item(found)).label, (await item(found)).description], ['damaged', 'without a verdict']);
    rmSync(found.file.path);
  });

  it('shows the newest 200 and says how many it does not', async () => {
    const many = path.join(folder(), 'many');
    mkdirSync(many);
    const old = new Date(Date.now() - 3_600_000);
    for (let n = 0; n < 250; n += 1) {
      const file = path.join(many, `r${n}.moire.json`);
      writeFileSync(file, sound);
      utimesSync(file, old, old);
    }
    await vscode.commands.executeCommand('moire.tree.refresh');
    const entries = await group('reports');
    const last = entries.at(-1);
    assert.ok(last?.type === 'note' && last.note.kind === 'more');
    const shown = await reports();
    assert.equal(shown.length, 200);
    const { label } = await item(last);
    assert.match(typeof label === 'string' ? label : '', /^\d+ older ones are not listed$/);
    assert.ok(last.note.count >= 50);
    rmSync(many, { recursive: true });
    await vscode.commands.executeCommand('moire.tree.refresh');
  });

  it('opens, runs again and copies by what an entry carries', async () => {
    place('use');
    const found = await until('the report', () => named('use'));
    const { command } = await item(found);
    assert.ok(command);
    await vscode.commands.executeCommand(command.command, ...(command.arguments as unknown[]));
    await until('the editor', async () => (await api()).shown(vscode.Uri.file(found.file.path)));
    await closeAll();
    const end = await vscode.commands.executeCommand<RunEnd>('moire.tree.runAgain', found);
    assert.equal(end.verdict, 'equal', end.problem);
    assert.equal(await vscode.commands.executeCommand('moire.tree.copyPath', found, [found]), found.file.path);
    assert.equal(await vscode.env.clipboard.readText(), found.file.path);
    assert.ok(existsSync(found.file.path));
  });

  it('bisects the sample without a question, and takes nothing that is no entry', async () => {
    assert.equal(await vscode.commands.executeCommand('moire.tree.runAgain', { file: 7 }), undefined);
    const end = await vscode.commands.executeCommand<RunEnd>('moire.openSample');
    assert.equal(end.complete, true, end.problem);
    assert.notEqual(end.verdict, 'equal');
  });

  it('lists captures, also a log of another name that was opened', async () => {
    const log = path.join(workspace(), 'overview', 'opened.log');
    cpSync(path.join(workspace(), 'served', 'rounds.moire-capture.jsonl'), log);
    await vscode.commands.executeCommand('moire.inspectAcceptLog', log);
    const files = await until('the log', async () => {
      const listed = (await group('captures')).flatMap((node) => (node.type === 'capture' ? [path.basename(node.file.path)] : []));
      return listed.includes('opened.log') ? listed : undefined;
    });
    assert.ok(files.includes('rounds.moire-capture.jsonl'));
  });

  it('tells the served run with its state, and that there is none', async () => {
    const now = async (): Promise<vscode.TreeItem | undefined> => {
      const node = (await group('servers')).find((one) => one.type === 'server' && one.status !== null);
      return node && item(node);
    };
    assert.equal(await now(), undefined);
    await vscode.commands.executeCommand('moire.startServedRun', { model: 'target-4bit' });
    const served = await until('the served run', async () => {
      const found = await now();
      return found?.contextValue === 'server.started' && String(found.description).startsWith("served · http:") ? found : undefined;
    });
    assert.equal(served.label, 'target-4bit');
    await vscode.commands.executeCommand('moire.stopServedRun');
    await until('its end', async () => ((await now()) === undefined ? true : undefined));
  });
});

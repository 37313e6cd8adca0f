// A served run in a real VS Code: started, completed from, captured, inspected, used by ghost text and as a language model, and ended.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import * as vscode from 'vscode';
import type { PanelRun } from '../../src/shared/panelProtocol';
import { api, closeAll, savedReportOf, setting, until, workspace } from './support';

const exact = { matmul: 'exact', attention: 'exact' };
const prompt = 'export function selectByKey(';

async function start(argument: object): Promise<{ url: string; token: string }> {
  const connection = await vscode.commands.executeCommand<{ url: string; token: string } | undefined>('moire.startServedRun', { model: 'target-4bit', ...argument });
  assert.ok(connection, 'nothing was started');
  return connection;
}

const state = async (): Promise<string> => (await (await api()).served()).server.state;

async function complete(options: object = {}): Promise<PanelRun> {
  const run = await vscode.commands.executeCommand<PanelRun | undefined>('moire.complete', { prompt, options: { maxTokens: 40, temperature: 0, chat: false, speculation: true, cache: true, ...options } });
  assert.ok(run);
  return run;
}

async function editorWith(content: string, language = 'typescript'): Promise<vscode.TextEditor> {
  const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
  const end = editor.document.positionAt(content.length);
  editor.selection = new vscode.Selection(end, end);
  return editor;
}

describe('a served run', () => {
  after(async () => {
    await vscode.commands.executeCommand('moire.stopServedRun');
    await closeAll();
  });

  it('starts, tells its state, and answers with a token only', async () => {
    const { url, token } = await start({ drafter: 'drafter', switches: exact });
    assert.equal(await state(), 'ready');
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
    assert.equal((await fetch(`${url}/v1/models`)).status, 401);
    assert.equal((await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    const { server } = await until('the gate', async () => {
      const found = await (await api()).served();
      return found.server.speculating === null ? undefined : found;
    });
    assert.equal(server.speculating, true);
    assert.equal(server.drafter, 'drafter');
  });

  let drafted: PanelRun;
  it('completes with tokens whose origin is known: the text of single steps', async () => {
    drafted = await complete();
    assert.equal(drafted.state, 'done', drafted.end);
    assert.equal(drafted.tokens.length, 40);
    assert.equal(drafted.tokens.map(({ text }) => text).join(''), drafted.text);
    assert.deepEqual([...new Set(drafted.tokens.map(({ origin }) => origin))].sort(), ['bonus', 'draft', 'prefill']);
    assert.ok(drafted.tokens.every(({ logprob, margin }) => logprob !== null && margin !== null));
    assert.ok(drafted.rates.rounds > 0 && drafted.captured);
    const classic = await complete({ speculation: false });
    assert.equal(classic.text, drafted.text);
    assert.equal(classic.declined, 'the request asked for none');
    assert.equal(classic.captured, false);
    assert.match((await (await api()).served()).statusBar, /target-4bit .*tok\/s/);
  });

  it('captures a run as an accept log that replays to equal, and refuses one without rounds', async () => {
    const file = await vscode.commands.executeCommand<string | undefined>('moire.captureRun', { id: drafted.id, file: 'captured.moire-capture.jsonl' });
    assert.equal(file, path.join(workspace(), 'captured.moire-capture.jsonl'));
    assert.ok(existsSync(file));
    const end = await vscode.commands.executeCommand<{ file?: string; problem: string }>('moire.replay', { model: 'target-4bit', accepts: { type: 'log', file, request: null }, width: 4, switches: exact });
    assert.equal(end.problem, '');
    assert.match(readFileSync(end.file ?? '', 'utf8'), /"word":\s*"equal"/);
    const classic = await complete({ speculation: false });
    assert.equal(await vscode.commands.executeCommand('moire.captureRun', { id: classic.id, file: 'none.jsonl' }), undefined);
    assert.equal(existsSync(path.join(workspace(), 'none.jsonl')), false);
  });

  it('offers ghost text where it is switched on, from the state of the request before', async () => {
    const editor = await editorWith(`${Array.from({ length: 12 }, (_, i) => `const value${i} = compute(${i});\n`).join('')}function `);
    assert.equal(await vscode.commands.executeCommand('moire.toggleInline'), true);
    assert.deepEqual(vscode.workspace.getConfiguration('moire').get('inline.languages'), ['typescript']);
    try {
      await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
      const before = editor.document.getText();
      await until('ghost text that can be accepted', async () => {
        await vscode.commands.executeCommand('editor.action.inlineSuggest.commit');
        return editor.document.getText() === before ? undefined : true;
      });
      assert.ok(editor.document.getText().startsWith(before));
    } finally {
      assert.equal(await vscode.commands.executeCommand('moire.toggleInline'), false);
    }
  });

  it('is a language model for other extensions', async () => {
    const [model] = await until('the model', async () => {
      const models = await vscode.lm.selectChatModels({ vendor: 'moire' });
      return models.length > 0 ? models : undefined;
    });
    assert.equal(model?.id, 'target-4bit');
    assert.ok((await model.countTokens('const a = 1;')) > 1);
    const answer = await model.sendRequest([vscode.LanguageModelChatMessage.User('Name a colour.')], { modelOptions: { max_tokens: 12 } });
    let text = '';
    for await (const piece of answer.text) text += piece;
    assert.ok(text.length > 0);
  });

  it('captures every request of a run, twenty together, in a log that opens as an accept log and replays to equal', async () => {
    const file = path.join(workspace(), 'twenty.moire-capture.jsonl');
    const { url, token } = await start({ drafter: 'drafter', capture: 'twenty.moire-capture.jsonl' });
    await until('the gate', async () => ((await (await api()).served()).server.speculating === true ? true : undefined));
    const ask = async (i: number): Promise<number> => {
      const body = { model: 'target-4bit', prompt: `function number${i}(x: number) {`, temperature: 0, max_tokens: 24, ignore_eos: true };
      return (await fetch(`${url}/v1/completions`, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body: JSON.stringify(body) })).status;
    };
    assert.deepEqual(new Set(await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i)))), new Set([200]));
    await vscode.commands.executeCommand('moire.inspectAcceptLog', vscode.Uri.file(file));
    const read = await until('twenty requests', async () => {
      const found = await (await api()).acceptLog(vscode.Uri.file(file));
      return found?.phase === 'done' ? found : undefined;
    });
    assert.equal(read.counts.requests, 20);
    const end = await vscode.commands.executeCommand<{ file?: string; problem: string }>('moire.replay', { model: 'target-4bit', accepts: { type: 'log', file, request: '7' }, switches: exact });
    assert.equal(end.problem, '');
    assert.equal(savedReportOf('replay', end.file).verdict.word, 'equal');
  });

  it('answers probes that need only text, with its token taken from the secret storage', async () => {
    const { url } = await start({});
    const end = await vscode.commands.executeCommand<{ file?: string; problem: string }>('moire.attach', { kind: 'concurrency', server: { url, model: '' }, endpoint: 'completions', prompts: ['const a = ', 'function b('], tokens: 8, together: 4 });
    assert.equal(end.problem, '');
    const report = savedReportOf('concurrency', end.file);
    assert.equal(report.verdict.word, 'equal');
    assert.equal(report.provenance.servers?.[0]?.engine, 'moire');
    const stranger = await vscode.commands.executeCommand<{ problem: string }>('moire.attach', { kind: 'repeat', server: { url: 'http://127.0.0.1:9', model: '' }, endpoint: 'completions', prompts: ['x'], tokens: 4, times: 2, temperature: 0, seed: 1 });
    assert.match(stranger.problem, /127\.0\.0\.1:9/);
  });

  it('says what cannot be served, and keeps nothing running', async () => {
    const connection = await vscode.commands.executeCommand('moire.startServedRun', { model: 'nowhere' });
    assert.equal(connection, undefined);
    await vscode.commands.executeCommand('moire.startServedRun', { model: 'target-4bit', drafter: 'served' });
    assert.equal(await state(), 'failed');
    assert.match((await (await api()).served()).server.problem, /config\.json/);
  });

  it('refuses arguments that are none, and starts nothing for them', async () => {
    await vscode.commands.executeCommand('moire.stopServedRun');
    const junk: unknown[] = [null, 7, 'target-4bit', [], {}, { model: 7 }, { model: 'x\0y' }, { model: 'target-4bit', switches: 5 }, { model: 'target-4bit', capture: {} }, { model: 'x'.repeat(5000) }];
    for (const command of ['moire.startServedRun', 'moire.complete', 'moire.captureRun', 'moire.inspectRun']) {
      for (const argument of command === 'moire.startServedRun' ? junk : [7, [], { id: 5 }, { prompt: 5 }, { id: '../../x', file: '' }]) {
        assert.equal(await vscode.commands.executeCommand(command, argument), undefined, `${command} ${JSON.stringify(argument)}`);
      }
    }
    assert.notEqual(await state(), 'ready');
    assert.equal((await (await api()).served()).pid, undefined);
  });

  it('is one run, the last, where ten are started and stopped at once', async () => {
    const all = Array.from({ length: 10 }, async (_, i) => {
      const started = vscode.commands.executeCommand('moire.startServedRun', { model: 'target-4bit' });
      if (i % 3 === 2) await vscode.commands.executeCommand('moire.stopServedRun');
      return started;
    });
    await Promise.all(all);
    const { url, token } = await start({});
    assert.equal(await state(), 'ready');
    assert.equal((await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${token}` } })).status, 200);
    const servers = execFileSync('ps', ['-eo', 'ppid=,args=']).toString().split('\n').filter((line) => line.includes('serverProcess.js') && line.trim().startsWith(`${process.pid} `));
    assert.equal(servers.length, 1, servers.join('\n'));
  });

  it('goes on after its server process was killed, when it is started again', async () => {
    await start({});
    const { pid } = await (await api()).served();
    assert.ok(pid);
    process.kill(pid, 'SIGKILL');
    await until('the end', async () => ((await state()) === 'failed' ? true : undefined));
    await start({});
    assert.equal(await state(), 'ready');
    assert.equal((await complete({ maxTokens: 4 })).declined, 'there is no drafter');
  });

  it('takes the port of the settings, and says who has it when it is taken', async () => {
    const { url } = await start({});
    const { port } = new URL(url);
    const { createServer } = await import('node:http');
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const taken = (other.address() as { port: number }).port;
    const restore = await setting('serve.port', taken);
    try {
      await vscode.commands.executeCommand('moire.startServedRun', { model: 'target-4bit' });
      const { server } = await (await api()).served();
      assert.equal(server.state, 'failed');
      assert.match(server.problem, new RegExp(`The port ${taken} is taken by .*Use port \\d+`));
      assert.notEqual(port, String(taken));
    } finally {
      await restore();
      other.close();
    }
  });

  it('stops', async () => {
    await start({});
    await vscode.commands.executeCommand('moire.stopServedRun');
    assert.equal(await state(), 'none');
  });
});

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { DoctorFindings } from '../../src/extension/doctor';
import { bisect, closeAll, experiment, savedReport, setting } from './support';

describe('bad input', () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-bad-'));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(closeAll);

  function folder(name: string, files: Readonly<Record<string, string>>): string {
    const made = path.join(scratch, name);
    mkdirSync(made);
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(made, file), text);
    return made;
  }

  async function sentence(argument: unknown): Promise<string> {
    const { problem, complete, verdict } = await bisect(argument);
    assert.deepEqual({ complete, verdict }, { complete: false, verdict: undefined });
    assert.match(problem, /[.!?]$/, 'it is no sentence');
    assert.doesNotMatch(problem, /undefined|\[object|Error:/);
    return problem;
  }

  it('a folder that does not exist is named', async () => {
    const model = path.join(scratch, 'nowhere');
    const said = await sentence(experiment({ model }));
    assert.ok(said.includes(model), said);
  });

  it('a folder without a checkpoint is named', async () => {
    const model = folder('empty', {});
    const said = await sentence(experiment({ model }));
    assert.ok(said.includes('empty') && said.includes('config.json'), said);
  });

  it('an architecture that is not supported is named, with those that are', async () => {
    const config = { architectures: ['GemmaForCausalLM'], model_type: 'gemma', hidden_size: 8, num_hidden_layers: 1 };
    const said = await sentence(experiment({ model: folder('gemma', { 'config.json': JSON.stringify(config), 'model.safetensors': '' }) }));
    assert.match(said, /gemma/i);
    assert.match(said, /qwen3/i);
  });

  it('a config that is not JSON is named', async () => {
    const said = await sentence(experiment({ model: folder('text', { 'config.json': 'model', 'model.safetensors': '' }) }));
    assert.match(said, /config\.json/);
  });

  it('ids beyond the vocabulary are refused with the vocabulary', async () => {
    assert.match(await sentence(experiment({ input: { type: 'ids', ids: [1, 4096] } })), /4096/);
  });

  it('a prompt beyond the context is refused with the context', async () => {
    assert.match(await sentence(experiment({ input: { type: 'draws', draws: 1, promptLength: 100_000 } })), /2,048/);
  });

  it('an unknown switch value is refused', async () => {
    assert.match(await sentence(experiment({ switches: { matmul: 'fastest' } })), /matmul|fastest/);
  });

  it('an argument of the wrong shape runs nothing', async () => {
    for (const argument of [{}, { model: 5 }, { model: 'target-4bit', widths: [0] }, { model: 'target-4bit', widths: [1e9] }, 7]) {
      assert.equal(await vscode.commands.executeCommand('moire.bisect', argument), undefined);
    }
  });

  it('a reports folder that cannot be written does not lose the report', async () => {
    const restore = await setting('reports.directory', path.join(scratch, 'taken', 'below'));
    writeFileSync(path.join(scratch, 'taken'), '');
    try {
      const end = await bisect(experiment({ widths: [2] }));
      assert.equal(end.complete, true);
      assert.ok(!end.file?.startsWith(scratch));
      assert.equal(savedReport(end.file).complete, true);
    } finally {
      await restore();
    }
  });

  it('settings out of their limits are replaced', async () => {
    const target = vscode.ConfigurationTarget.Workspace;
    const values: [string, unknown][] = [['bisect.widths', [-1, 'x', 3, 1e9]], ['bisect.draws', 1e9], ['bisect.promptLength', 'many'], ['bisect.walk', -5], ['engine.threads', 1e9]];
    const restore = [];
    for (const [name, value] of values) restore.push(await setting(name, value, target));
    try {
      const end = await bisect({ model: 'target-4bit', input: { type: 'ids', ids: [1, 2, 3] } });
      const report = savedReport(end.file);
      assert.deepEqual(report.bisect.runs.map(({ width }) => width), [3]);
      assert.equal(report.experiment.kind === 'bisect' && report.experiment.walk, 0);
      assert.equal(report.experiment.kind === 'bisect' && report.experiment.switches['threads'], 256);
    } finally {
      for (const back of restore) await back();
    }
  });

  it('a workspace cannot choose the native library', async () => {
    const settings = vscode.Uri.joinPath(vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file('/'), '.vscode', 'settings.json');
    await vscode.workspace.fs.writeFile(settings, Buffer.from(JSON.stringify({ 'moire.engine.library': '/tmp/evil.so' })));
    try {
      const end = await bisect(experiment({ widths: [2] }));
      assert.equal(end.complete, true, end.problem);
    } finally {
      await vscode.workspace.fs.delete(settings);
    }
  });

  it('a library that the user named and that is not there is named', async () => {
    const restore = await setting('engine.library', path.join(scratch, 'libnone.so'));
    try {
      const said = await sentence(experiment({ widths: [2] }));
      assert.match(said, /libnone\.so/);
      const findings = await vscode.commands.executeCommand<DoctorFindings | undefined>('moire.doctor');
      assert.equal(findings, undefined, 'the doctor found nothing wrong');
      assert.match(vscode.window.activeTextEditor?.document.getText() ?? '', /libnone\.so/);
    } finally {
      await restore();
    }
  });
});

describe('the doctor', () => {
  afterEach(closeAll);

  it('finds the engine, its ABI, processor, kernels and the model', async () => {
    const findings = await vscode.commands.executeCommand<DoctorFindings | undefined>('moire.doctor');
    assert.ok(findings, vscode.window.activeTextEditor?.document.getText());
    assert.deepEqual(findings.checks.filter(({ ok }) => !ok), []);
    for (const word of [/ABI/, /[Kk]ernels/, /Processor/, /Editor: /, /Model: qwen3_5/]) assert.match(findings.text, word);
    assert.equal(vscode.window.activeTextEditor?.document.getText(), findings.text);
  });
});

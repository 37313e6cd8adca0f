// Two reports against each other, and exports of what a report's page shows, in a real VS Code.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import type { ToCompare } from '../../src/shared/compareProtocol';
import { api, bisect, closeAll, experiment, until } from './support';

describe('reports against each other', () => {
  let scratch: string;
  let [older, newer] = ['', ''];
  const of = (file: string): vscode.Uri => vscode.Uri.file(file);

  before(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-compare-'));
    [older, newer] = [path.join(scratch, 'before.moire.json'), path.join(scratch, 'after.moire.json')];
    copyFileSync((await bisect(experiment())).file ?? '', older);
    copyFileSync((await bisect(experiment({ switches: { matmul: 'exact' } }))).file ?? '', newer);
    await closeAll();
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(closeAll);

  const panels = (): vscode.Tab[] => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith('moire.compare'));

  async function compared(): Promise<ToCompare> {
    const moire = await api();
    return until('the comparison', async () => (await moire.compared())[0]);
  }

  const verdicts = ({ a, b }: ToCompare): string[] => [a, b].map((side) => (side.type === 'report' ? side.report.verdict.word : side.title));

  it('open in a panel of their own, of the two files that the explorer has selected', async () => {
    await vscode.commands.executeCommand('moire.compareReports', of(newer), [of(older), of(newer)]);
    const state = await compared();
    assert.deepEqual([state.a.fileName, state.b.fileName], ['before.moire.json', 'after.moire.json']);
    assert.equal(verdicts(state)[1], 'equal');
    assert.notEqual(verdicts(state)[0], 'equal');
    assert.deepEqual(panels().map(({ label }) => label), ['before.moire.json ↔ after.moire.json']);
    // Once more brings the same panel to the front.
    await vscode.commands.executeCommand('moire.compareReports', [older, newer]);
    assert.equal(panels().length, 1);
    await closeAll();
    await until('the end of the panel', async () => ((await (await api()).compared()).length === 0 ? true : undefined));
  });

  it('follow both files', async () => {
    const file = path.join(scratch, 'changing.moire.json');
    copyFileSync(older, file);
    await vscode.commands.executeCommand('moire.compareReports', [older, file]);
    assert.equal(verdicts(await compared())[1], verdicts(await compared())[0]);
    copyFileSync(newer, `${file}.tmp`);
    renameSync(`${file}.tmp`, file);
    await until('the other verdict', async () => (verdicts(await compared())[1] === 'equal' ? true : undefined));
    writeFileSync(file, '{}');
    await until('the problem', async () => (verdicts(await compared())[1]?.includes('not a Moire report') === true || undefined));
  });

  it('are two: a report is not compared with itself', async () => {
    await vscode.commands.executeCommand('moire.compareReports', [older, older]);
    assert.equal(panels().length, 0);
  });

  describe('exports of the report in front', () => {
    async function open(): Promise<void> {
      await vscode.commands.executeCommand('vscode.open', of(older));
      const moire = await api();
      // The page has drawn it: it says what is selected when one looks elsewhere, and answers orders from then on.
      await until('the editor', () => moire.shown(of(older)));
    }

    async function exported(format: string, name = `out.${format}`): Promise<Buffer> {
      const file = path.join(scratch, 'exports', name);
      const written = await until(`the ${format}`, async () => vscode.commands.executeCommand<string | undefined>('moire.exportPicture', { format, file }), 60_000);
      assert.equal(written, file);
      return readFileSync(file);
    }

    it('are written whole: a drawing, pixels, a table, a record', async () => {
      await open();
      const svg = (await exported('svg')).toString('utf8');
      assert.match(svg, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[\s\S]*<\/svg>\n$/);
      const png = await exported('png');
      assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG');
      assert.equal(png.subarray(-8, -4).toString('latin1'), 'IEND');
      assert.match((await exported('csv')).toString('utf8'), /^row,kind,layer,position,bytes,.*\r\n/);
      assert.match((await exported('md')).toString('utf8'), /^# Bisect of /);
      assert.deepEqual(readdirSync(path.join(scratch, 'exports')).sort(), ['out.csv', 'out.md', 'out.png', 'out.svg']);
    });

    it('go through a link to its file, and are refused for a pipe', async function () {
      if (process.platform === 'win32') this.skip();
      await open();
      const folder = path.join(scratch, 'links');
      mkdirSync(folder);
      const [real, link, pipe] = [path.join(folder, 'real.svg'), path.join(folder, 'link.svg'), path.join(folder, 'pipe.svg')];
      writeFileSync(real, 'old');
      symlinkSync('real.svg', link);
      execFileSync('mkfifo', [pipe]);
      assert.equal(await until('the drawing', async () => vscode.commands.executeCommand<string | undefined>('moire.exportPicture', { format: 'svg', file: link }), 60_000), link);
      assert.ok(lstatSync(link).isSymbolicLink());
      assert.match(readFileSync(real, 'utf8'), /^<\?xml /);
      assert.equal(await vscode.commands.executeCommand('moire.exportPicture', { format: 'svg', file: pipe }), undefined);
      assert.ok(lstatSync(pipe).isFIFO());
      assert.deepEqual(readdirSync(folder).sort(), ['link.svg', 'pipe.svg', 'real.svg']);
    });

    it('say what the command was given wrongly, and that no report is open', async () => {
      const file = path.join(scratch, 'none.svg');
      assert.equal(await vscode.commands.executeCommand('moire.exportPicture', { format: 'svg', file }), undefined);
      await open();
      assert.equal(await vscode.commands.executeCommand('moire.exportPicture', { format: 'gif', file }), undefined);
      assert.equal(existsSync(file), false);
    });
  });
});

// Two lists of token ids, compared by the command in a real VS Code.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { IdsExperiment } from '../../src/shared/experiment';
import { closeAll, command, reportTab, sampleModel, savedReportOf } from './support';

describe('token ids', () => {
  let scratch: string;
  before(() => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-ids-'));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(closeAll);

  function experiment(a: string, b: string, model: string | null = null): IdsExperiment {
    const file = (name: string, text: string): { file: string; request: null } => {
      const made = path.join(scratch, name);
      writeFileSync(made, text);
      return { file: made, request: null };
    };
    return { kind: 'ids', a: file('before.json', a), b: file('after.txt', b), model };
  }

  it('are compared, and the report opens', async () => {
    const end = await command('moire.compareIds', experiment('[5, 6, 7]', '5 6 9', sampleModel()));
    assert.equal(end.problem, '');
    assert.equal(end.verdict, 'void');
    const report = savedReportOf('ids', end.file);
    assert.deepEqual(report.ids.fork, { at: 2, a: 7, b: 9 });
    assert.equal(report.ids.texts?.ids.length, 4);
    assert.match(path.basename(end.file ?? ''), /^before-ids-/);
    assert.ok(reportTab(end.file ?? ''), 'the report was not opened');
  });

  it('that are none are refused in a sentence with file and line', async () => {
    const { problem, file } = await command('moire.compareIds', experiment('[5, 6]', '5\n6.5'));
    assert.equal(file, undefined);
    assert.match(problem, /"6\.5" is not a token id .*after\.txt, line 2/);
  });
});

// The probes over speculation as commands of a real VS Code: argument in, report out.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import type { Report, ReportOf } from '../../src/shared/report';
import { closeAll, command, reportTab, sampleModel, savedReportOf, setting, workspace } from './support';

const prompt = { type: 'text', text: 'export function selectByKey(' };

async function run<K extends Report['kind']>(kind: K, argument: object): Promise<{ report: ReportOf<K>; file: string }> {
  const end = await command(`moire.${kind}`, { model: 'target-4bit', ...argument });
  assert.equal(end.problem, '');
  const report = savedReportOf(kind, end.file);
  assert.equal(report.complete, true);
  assert.equal(report.provenance.model?.path, sampleModel());
  return { report, file: end.file ?? '' };
}

describe('speculation', () => {
  afterEach(closeAll);

  it('asks the gate: two and four rows engage, eight are declined with the exact kernels offered', async () => {
    const { report, file } = await run('gate', { widths: [2, 4, 8], draws: 1, walk: 32 });
    assert.deepEqual(report.gate.widths.map(({ decision }) => decision), ['engage', 'engage', 'decline']);
    assert.equal(report.gate.widths[2]?.retry?.exactness, 'exact');
    assert.match(report.gate.widths[2].reason, /verify block position 0 differs from the single-token chain in [\d,]+ of 8,192 logit bytes/);
    assert.equal(report.verdict.word, 'declined');
    assert.ok(reportTab(file), 'the report was not opened');
  });

  it('takes the override from the settings, and says so in the report', async () => {
    const restore = await setting('speculation.allowInexact', true);
    try {
      const { report } = await run('gate', { widths: [8], draws: 1, walk: 0 });
      assert.equal(report.gate.widths[0]?.decision, 'override');
      assert.match(report.verdict.sentence, /OVERRIDDEN/);
    } finally {
      await restore();
    }
  });

  it('replays a list of kept rows and a list in a file: the counts are those of the rule', async () => {
    const { report } = await run('replay', { prompt, accepts: { type: 'kept', kept: [1, 2, 3] }, width: 4, tokens: 200 });
    assert.deepEqual([report.replay.rounds, report.replay.rewinds, report.replay.keptSum], [101, 100, 200]);
    assert.equal(report.verdict.word, 'equal');
    writeFileSync(path.join(workspace(), 'accepts_w4.txt'), '2,1,3,4,2\n');
    const fromFile = (await run('replay', { prompt, accepts: { type: 'log', file: 'accepts_w4.txt', request: null }, width: 4 })).report;
    assert.deepEqual([fromFile.replay.rounds, fromFile.replay.rewinds, fromFile.replay.keptSum, fromFile.replay.log?.findings], [5, 4, 12, []]);
  });

  it('compares prefills: the burst that runs its prompt as a verify block parts at the first attention layer', async () => {
    const { report } = await run('prefill', { switches: { 'burst.prefill': 'verify', isa: 'avx2' } });
    const [one] = report.prefill.runs;
    assert.deepEqual(one?.firstState, { layer: 4, tensor: 'recurrent_state' });
    assert.deepEqual([one.taps[0]?.layer, one.taps[0]?.tap], [3, 'attention_core']);
  });

  it('runs parity with the drafter of the workspace and audits every round', async () => {
    const { report } = await run('parity', { drafter: 'drafter', prompts: [prompt], widths: [4], tokens: 24, ignoreEos: true });
    const [one] = report.parity.runs;
    assert.equal(one?.outcome, 'equal');
    assert.ok(one.rounds > 0 && one.audits > 0);
    assert.equal(one.auditBytes, 0);
  });

  it('copies the report in front as a Markdown record', async () => {
    await run('rewind', { prompt, tokens: 24 });
    const record = await vscode.commands.executeCommand<string>('moire.copyRecord');
    assert.match(record, /^# Rewind audit of target-4bit: equal\n/);
    assert.equal(await vscode.env.clipboard.readText(), record);
  });

  it('says what a drafter of another model lacks, and starts nothing', async () => {
    const end = await command('moire.parity', { model: 'target-4bit', drafter: 'nowhere', prompts: [prompt], widths: [4] });
    assert.match(end.problem, /nowhere/);
    assert.equal(end.file, undefined);
  });
});

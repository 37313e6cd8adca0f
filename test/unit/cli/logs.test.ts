// What `moire logs` prints of a capture.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { logLines } from '../../../src/cli/logsTable';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';

const samples = path.join(import.meta.dirname, '../../fixtures/accept-logs');
const text = async (name: string, chosen: number | null = null): Promise<string> => logLines(await importCapture(path.join(samples, name)), chosen).join('\n');

describe('the summary of a log', () => {
  it('says what it is, what a replay can use, and that the algebra holds', async () => {
    const shown = await text('mlxcel/full.log');
    expect(shown).toMatch(/^Acceptance log · full\.log · 27\.4 kB\nengine +mlxcel\nformat +DFlash round transcript .*\(mlxcel\.transcript, /);
    expect(shown).toMatch(/\ngrade +A: token ids and counts of every round\nreplay +byte-exact replay without the drafter; missing: the prompt ids\n/);
    expect(shown).toMatch(/\na value is +accepted drafts, bonus not included; per round; width 4\n/);
    expect(shown).toMatch(/\n +1 +seq-2 +served +A +79 +121 +237 +200 +56 +22\/34\/23 +0\.511 +2\.53 +158 +200\n/);
    expect(shown).toMatch(/\n +2 +seq-4 +served, interleaved +A +5 /);
    expect(shown).toContain('4 is not complete: the last line is cut inside target_tokens; only round 0 is usable');
    expect(shown).toContain('seq-3 by payload (line 91): the request carries a multimodal payload');
    expect(shown).toContain('passed at block size 4 (line 2): passed on the prompt of the probe');
    expect(shown).toContain('round algebra: every identity that this log allows holds');
    expect(shown).not.toContain('accepted  1,1,2');
  });

  it('says the width that a log states, though its last round was cut or it has none', async () => {
    const served = logLines(await importCapture(path.join(import.meta.dirname, '../../../samples/served/rounds.moire-capture.jsonl')), null).join('\n');
    expect(served).toMatch(/\na value is +accepted drafts, bonus not included; per round; width 4\n/);
    // The engine once, no empty list, and what the algebra was checked of.
    expect(served.match(/^engine /gm)).toHaveLength(2);
    expect(served).toMatch(/\nengine build +moire /);
    expect(served).not.toContain('[]');
    expect(served).toMatch(/every identity that this log allows holds, over 1 request, 36 rounds$/);
    expect(await text('mlxcel/declined-w16.log')).toMatch(/per process; width 16\n/);
  });

  it('prints the lists of the chosen request', async () => {
    const shown = await text('mlxcel/accept-lens-w4.log', 1);
    expect(shown).toMatch(/\nrequest 1 · seq-2\n {2}accepted +1,1,2,0,1,/);
    expect(shown).toMatch(/\n {2}kept rows +2,2,3,1,2,/);
    expect(shown).toMatch(/\n {2}drafted +3 in every round\n/);
    expect(shown).toMatch(/\n {2}replay +replay with wrong-id fill in rejected rows: .*missing: the prompt ids; missing: the ids of the rejected drafts/);
  });

  it('shows sums over requests apart from requests', async () => {
    const shown = await text('vllm/v1.log');
    expect(shown).toMatch(/\nsums over requests\n.*\n +0 +1 +interval, all requests +C +100 +140 +300 +240 /);
    expect(shown).not.toContain('bursts');
    expect(shown).toContain('no replay: no request is told apart');
  });

  it('of verdicts alone has nothing to check', async () => {
    const shown = await text('mlxcel/declined-w16.log');
    expect(shown).toMatch(/grade +none: no acceptance data/);
    expect(shown).toContain('did not pass at block size 16 (line 2): verify block position 0 differs from the single-token chain in 229971 of 496640 logit bytes');
    expect(shown).toContain('declined (2)');
    expect(shown).toContain('round algebra: this log holds no counts to check');
  });

  it('lists no more rows than help', async () => {
    const capture = await importCapture(path.join(samples, 'vllm/v1.log'));
    const many = { ...capture, intervals: Array.from({ length: 1000 }, () => capture.intervals[0]!) };
    const lines = logLines(many, null);
    expect(lines.length).toBeLessThan(90);
    expect(lines.join('\n')).toContain('… 940 more; --json has them all');
  });

  it('is made for every sample', async () => {
    for (const name of ['mlxcel/logit-trace.tsv', 'mlxcel/kept-w4.txt', 'sglang/decode.log', 'tgi/metrics.txt', 'ollama/runner.log', 'llama-cpp/logprobs-all-zero.json']) expect(await text(name, 0), name).toContain('Acceptance log · ');
  });
});

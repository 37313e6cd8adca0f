// Forms that the sample logs do not hold, so that every format of the table is met by a test.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstViolation, type Capture } from '../../../src/shared/capture';
import { allFormats } from '../../../src/engine/acceptLogs/engines';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { importText, samples } from './support';

const first = ({ requests, intervals }: Capture): unknown => requests[0] ?? intervals[0];

const forms: readonly (readonly [format: string, text: string, values: Readonly<Record<string, unknown>>])[] = [
  ['sglang.prometheus', 'sglang:spec_accept_length{model_name="m"} 2.5\nsglang:spec_accept_rate{model_name="m"} 0.5\n', { meanLengthWithBonus: 2.5, acceptanceRate: 0.5, grade: 'D' }],
  ['sglang.metaInfo', '{"meta_info":{"completion_tokens":51,"spec_verify_ct":20,"spec_accept_length":2.55,"spec_accept_token_num":30,"spec_draft_token_num":60,"cached_tokens":8}}', { roundCount: 20, acceptedSum: 30, proposedSum: 60, grade: 'D', facts: { cached: 8, warm: true } }],
  ['sglang.metaInfo', '{"meta_info":{"completion_tokens":50,"spec_verify_ct":20,"spec_accept_length":2.5,"spec_accept_token_num":50,"spec_accept_histogram":[0,5,6,3,6]}}', { acceptedSum: 30, histogram: [5, 6, 3, 6] }],
  ['sglang.metaInfo', '{"sglext":{"details":{"spec_verify_ct":20,"spec_num_correct_drafts":30,"spec_num_proposed_drafts":60}}}', { roundCount: 20, acceptedSum: 30 }],
  ['vllm.gauges', 'vllm:spec_decode_draft_acceptance_rate{model_name="m"} 0.64\nvllm:spec_decode_efficiency{model_name="m"} 0.59\n', { acceptanceRate: 0.64, grade: 'D' }],
  ['llamacpp.means', '0.07.000.100 I slot print_timing: id  0 | task 4 | draft acceptance = 0.50000 (   60 accepted /   120 generated), mean len =  2.50\n', { roundCount: 40, request: 'task 4', grade: 'D' }],
  ['llamacpp.statistics', 'statistics draft-simple: #calls(b,g,a) = 1 40 40, #gen drafts = 40, #acc drafts = 28, #gen tokens = 120, #acc tokens = 60, dur(b,g,a) = 0.010, 120.000, 0.200 ms\n', { roundCount: 40, acceptedSum: 60, facts: { implementation: 'draft-simple', roundsWithAnyAccept: 28 } }],
  ['tensorrtllm.iteration', '[{"iter":1,"specDecodingStats":{"numDraftTokens":12,"numAcceptedTokens":6,"acceptanceLength":2.5}}]', { proposedSum: 12, acceptedSum: 6, meanLengthWithBonus: 2.5 }],
  ['tensorrtllm.iteration', '{"specDecodingStats":{"num_draft_tokens":12,"num_accepted_tokens":6}}', { proposedSum: 12, acceptedSum: 6 }],
  ['tensorrtllm.prometheus', 'trtllm_spec_decode_num_drafts_total 4\ntrtllm_spec_decode_num_draft_tokens_total 12\ntrtllm_spec_decode_num_accepted_tokens_total 6\n', { roundCount: 4, acceptedSum: 6 }],
  ['mlxlm.fromDraft', '{"token":1,"from_draft":true}\n{"token":2,"from_draft":false}\n{"token":3,"from_draft":true}\n', { accepted: [1, 1], emittedIds: [1, 2, 3] }],
  ['mlxvlm.acceptLens', '{"accept_lens":[1,3,0],"draft_lens":[3,3,2]}', { accepted: [1, 3, 0], drafted: [3, 3, 2], rewinds: 2, grade: 'B' }],
  ['dflash.benchmark', 'Accept length:    3.200\n', { meanLengthWithBonus: 3.2, grade: 'D', kind: 'run' }],
  ['dflashmlx.summary', '{"acceptance_history":[1,0],"cycle_profile_us":[{"block_len":4},{"block_len":2}],"block_tokens":4}', { drafted: [3, 1], proposedSum: 4, rewinds: 2 }],
  ['dflashmlx.benchmark', '{"run":1,"dflash":{"tokens_per_cycle":4.9,"cycles":41,"acceptance_ratio":0.795}}', { generatedTokens: 200, acceptedSum: 159, keptSum: 200 }],
  ['lmstudio.stats', '{"stats":{"total_draft_tokens_count":100,"accepted_draft_tokens_count":60,"rejected_draft_tokens_count":25,"ignored_draft_tokens_count":15,"used_draft_model_key":"d"}}', { acceptedSum: 60, facts: { rejectedSum: 25, ignoredSum: 15, drafter: 'd' } }],
  ['lmstudio.fragments', '{"isDrafted":true,"tokensCount":2}\n{"isDrafted":false,"tokensCount":2}\n', { accepted: [2, 0] }],
  ['exllamav3.job', '{"accepted_draft_tokens":60,"rejected_draft_tokens":40}', { acceptedSum: 60, proposedSum: 100 }],
  ['aiperf.histogram', '{"engine":"sglang","num_spec_steps":4,"num_draft_tokens":12,"num_accepted_draft_tokens":6,"acceptance_histogram":{"0":1,"1":1,"2":1,"3":1}}', { histogram: [1, 1, 1, 1], grade: 'C' }],
  ['aiperf.totals', '{"engine":"sglang","num_spec_steps":4,"num_draft_tokens":12,"num_accepted_draft_tokens":6}', { roundCount: 4, grade: 'D' }],
  ['mlxcel.mtpDiagnostics', '2026-09-24T08:15:02Z  INFO mlxcel: MTP round-loop diagnostics block_size=6 effective_block_min=4 effective_block_max=4 prompt_tokens=40 generated_tokens=17 rounds=5 proposed_tokens=15 accepted_draft_tokens=9 zero_accept_rounds=1 partial_accept_rounds=2 full_accept_rounds=2 probe_rounds=2 decode_ms=1\n', { roundCount: 5, acceptedSum: 9, rewinds: 3, cutInLastRound: 0, grade: 'C' }],
  ['moire.capture', '{"format":"moire.capture","version":1,"model":"m","drafter":"d","engine":"e","switches":{},"width":4,"widthFrom":"drafter","prefill":"verify","partition":[],"sampling":{}}\n{"request":"a","promptIds":[1],"firstBonus":2}\n', { request: 'a', kind: 'unfinished', firstBonus: 2, promptTokens: 1 }],
];

describe('other forms', () => {
  it.each(forms)('%s: %s', async (format, text, values) => {
    const capture = await importText(text);
    expect(capture.format).toBe(format);
    expect(first(capture)).toMatchObject(values);
    expect(firstViolation(capture)).toBeNull();
  });

  it('and the samples are all formats that there are', async () => {
    const met = new Set(forms.map(([format]) => format));
    for (const name of await readdir(samples, { recursive: true })) {
      if (!name.includes(path.sep)) continue;
      for (const { id } of (await importCapture(path.join(samples, name))).formats) met.add(id);
    }
    expect(allFormats.map(({ id }) => id).filter((id) => !met.has(id))).toEqual([]);
  });

  it('scraped twice are two sums', async () => {
    const scrape = (rounds: number): string => `llamacpp:spec_decode_num_drafts_total ${rounds}\nllamacpp:spec_decode_num_draft_tokens_total ${rounds * 3}\nllamacpp:spec_decode_num_accepted_tokens_total ${rounds}\n`;
    expect((await importText(scrape(4) + scrape(9))).intervals.map(({ roundCount }) => roundCount)).toEqual([4, 9]);
  });

  it('of one server apart by their labels', async () => {
    const text = ['0', '1'].map((engine) => `vllm:spec_decode_num_drafts_total{engine="${engine}"} 4\nvllm:spec_decode_num_accepted_tokens_per_pos_total{engine="${engine}",position="0"} 2\n`).join('');
    expect((await importText(text)).intervals.map(({ facts, perPositionCounts }) => [facts, perPositionCounts])).toEqual([
      [{ labels: 'engine=0' }, [2]],
      [{ labels: 'engine=1' }, [2]],
    ]);
  });

  it('take the logprobs of a streamed reply together', async () => {
    const chunk = (logprob: number): string => `data: {"choices":[{"logprobs":{"content":[{"token":"a","logprob":${logprob}}]}}]}\n`;
    const last = 'data: {"choices":[],"timings":{"draft_n":3,"draft_n_accepted":2,"predicted_n":3}}\n';
    expect((await importText(chunk(0) + chunk(0) + last)).requests[0]!.flags).toEqual(['logprobs-all-zero']);
    expect((await importText(chunk(0) + chunk(-0.5) + last)).requests[0]!.flags).toEqual([]);
  });
});

// The offline round algebra: every identity, the round and the line it names.
import { describe, expect, it } from 'vitest';
import { firstViolation, usable } from '../../../src/shared/capture';
import { acceptsLine, diagnosticsLine, importText, sampleText, summaryLine, three, threeWith, wholeDiagnostics, type RoundText } from './support';

const whole = threeWith(-1, {});
const closing = diagnosticsLine(wholeDiagnostics) + acceptsLine([1, 3, 0]) + summaryLine(40, 8);

describe('rounds with ids', () => {
  it('hold where nothing is wrong', async () => {
    const capture = await importText(whole + closing);
    expect(capture.findings).toEqual([]);
    expect(capture.requests).toHaveLength(1);
    expect(capture.requests[0]).toMatchObject({ grade: 'A', accepted: [1, 3, 0], zero: 1, partial: 1, full: 1, rewinds: 2, promptTokens: 40, generatedTokens: 8, cutInLastRound: 0, firstBonus: 517 });
    expect(usable(capture.requests[0]!)).toMatchObject({ replay: 'byte-exact', missing: ['the prompt ids'] });
  });

  const cases: [string, number, Partial<RoundText>, string, RegExp][] = [
    ['accepted above width - 1', 1, { accepted: 4 }, 'accepted <= width - 1', /round 1 accepted 4 drafts, but a block of width 4 has 3/],
    ['bonus', 1, { bonus: 78 }, 'bonus chain', /round 1 starts from bonus 78, but the last new token of round 0 is 77/],
    ['common prefix', 0, { accepted: 0, emitted: [88] }, 'accepted = common prefix', /round 0 says that 0 drafts were accepted, but drafts and targets agree in the first 1/],
    ['new tokens', 2, { emitted: [41] }, 'new = drafts[:a] + [targets[a]]', /round 2 emitted \[41\], but its drafts and targets give \[40\]/],
    ['draft length', 0, { drafts: [88, 402], targets: [88, 77, 640, 12] }, 'drafts = width - 1', /round 0 has 2 drafts/],
    ['target length', 2, { targets: [40, 34, 2], bs: 4 }, 'targets = width', /round 2 has 3 targets, but its width is 4/],
    ['a cut in the middle', 1, { emitted: [5, 6, 7] }, 'only the last round is cut', /round 1 emitted 3 tokens of 4, but it is not the last round/],
    ['a missing round', 1, { round: 5 }, 'rounds count up', /round 5 stands where round 1 was expected/],
  ];
  it.each(cases)('%s', async (_, index, change, identity, sentence) => {
    const first = firstViolation(await importText(threeWith(index, change)));
    expect(first!.identity).toBe(identity);
    expect(first!.sentence).toMatch(sentence);
    expect(first!.line).toBe(index + 1);
    expect(first!.round).toBe(change.round ?? index);
    expect(first!.quote).toContain('DFlash round transcript round=');
    expect(first!.quote.length).toBeLessThanOrEqual(241);
  });

  it('may be cut in the last round', async () => {
    const capture = await importText(threeWith(1, { emitted: [5, 6] }).split('\n').slice(0, 2).join('\n'));
    expect(firstViolation(capture)).toBeNull();
  });

  it('are one request after the other where nothing ends them', async () => {
    const capture = await importText(whole + whole);
    expect(capture.requests.map(({ accepted, kind, complete, interleaved }) => ({ accepted, kind, complete, interleaved }))).toEqual([
      { accepted: [1, 3, 0], kind: 'served', complete: true, interleaved: false },
      { accepted: [1, 3, 0], kind: 'served', complete: true, interleaved: false },
    ]);
    expect(capture.warnings.join()).toMatch(/no line of the log ends a request/);
  });

  it('may begin in the middle of a request', async () => {
    const capture = await importText(whole.split('\n').slice(1).join('\n'));
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests[0]).toMatchObject({ complete: false, reason: 'the log begins at round 1', firstBonus: null });
  });
});

describe('closing lines against the rounds', () => {
  const cases: [string, string, string, RegExp, number][] = [
    ['rounds', whole + diagnosticsLine(wholeDiagnostics.replace('rounds=3', 'rounds=4')), 'number of rounds', /the diagnostics say 4 rounds, the rounds say 3/, 4],
    ['accepted', whole + diagnosticsLine(wholeDiagnostics.replace('accepted_tokens=4', 'accepted_tokens=5')), 'sum of accepted', /5 accepted drafts, the rounds say 4/, 4],
    ['proposed', whole + diagnosticsLine(wholeDiagnostics.replace('proposed_tokens=9', 'proposed_tokens=12')), 'sum of drafted', /12 proposed drafts, the rounds say 9/, 4],
    ['buckets', whole + diagnosticsLine(wholeDiagnostics.replace('partial_accept_rounds=1', 'partial_accept_rounds=2')), 'partial rounds', /2 rounds that accepted some, the rounds say 1/, 4],
    ['list', whole + acceptsLine([1, 2, 0]), 'accept list = transcript', /round 1 accepted 2, the transcript says 3/, 4],
    ['length of the list', whole + diagnosticsLine(wholeDiagnostics) + acceptsLine([1, 3]), 'accept list = transcript', /the accept list has 2 rounds, the transcript has 3/, 5],
    ['length of the list alone', whole + acceptsLine([1, 3]), 'accept list = transcript', /the accept list has 2 rounds, the transcript has 3/, 4],
    ['tokens', whole + diagnosticsLine(wholeDiagnostics) + summaryLine(40, 9), 'tokens = 1 + rounds + accepted - cut', /9 tokens were generated, 1 \+ 3 rounds \+ 4 accepted is 8/, 5],
    ['emitted per verify', whole + diagnosticsLine(wholeDiagnostics.replace('2.333', '2.667')) + summaryLine(40, 8), 'emitted per verify', /2.667 tokens a verify are printed, but 7 tokens in 3 rounds are 2.3333/, 4],
    ['list without transcript', diagnosticsLine(wholeDiagnostics) + acceptsLine([1, 3, 1]), 'sum of accepted', /the diagnostics say 4 accepted drafts, the rounds say 5/, 1],
    ['list above the width', diagnosticsLine(wholeDiagnostics) + acceptsLine([1, 4, 0]), 'accepted <= width - 1', /round 1 accepted 4 drafts, but a block of width 4 has 3/, 2],
    ['rate', diagnosticsLine(wholeDiagnostics.replace('0.444', '0.555')), 'acceptance rate', /0.555, but accepted \/ drafted is 0.444444/, 1],
    ['buckets alone', diagnosticsLine(wholeDiagnostics.replace('zero_accept_rounds=1', 'zero_accept_rounds=2')), 'zero + partial + full', /zero \+ partial \+ full is 4, but the number of rounds is 3/, 1],
  ];
  it.each(cases)('%s', async (_, text, identity, sentence, line) => {
    const found = (await importText(text)).findings.find((finding) => finding.identity === identity);
    expect(found?.sentence).toMatch(sentence);
    expect(found!.line).toBe(line);
    expect(found!.severity).toBe('violation');
  });

  it('find their burst by its tokens where there is no other line', async () => {
    const [a0, a1, a2] = whole.trimEnd().split('\n');
    const b0 = threeWith(0, { bonus: 3, targets: [40, 1, 2, 3], accepted: 0, emitted: [40] }).split('\n')[0]!;
    const capture = await importText([a0, b0, a1, ''].join('\n') + summaryLine(7, 2) + `${a2!}\n` + summaryLine(40, 8));
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests.map(({ promptTokens, firstBonus, roundCount }) => [promptTokens, firstBonus, roundCount])).toEqual([
      [7, 3, 1],
      [40, 517, 3],
    ]);
  });

  it('find their burst by its counts where requests are interleaved', async () => {
    const other = three.map((round) => ({ ...round, bonus: round.bonus }));
    expect(other).toHaveLength(3);
    const a = threeWith(-1, {}).trimEnd().split('\n');
    const b = threeWith(-1, {}).replaceAll('bonus=517', 'bonus=9').replace(/\b(88|77|5|6|7|901|33|34|35|40|402|19|640|12|2|8)\b(?=[,\]])/g, '7$1').replace('bonus=77 ', 'bonus=777 ').replace('bonus=901', 'bonus=7901').trimEnd().split('\n');
    const capture = await importText([a[0], b[0], b[1], a[1], b[2], a[2], ''].join('\n') + closing.repeat(2));
    expect(firstViolation(capture)).toBeNull();
    expect(capture.requests.map(({ accepted, interleaved, firstBonus }) => [accepted, interleaved, firstBonus])).toEqual([
      [[1, 3, 0], true, 517],
      [[1, 3, 0], true, 9],
    ]);
  });
});

describe('figures of other engines', () => {
  const cases: [string, string, (text: string) => string, string, RegExp][] = [
    ['vLLM histogram', 'vllm/detailed.json', (text) => text.replace(/"acceptance_histogram": \[\s*2,/, '"acceptance_histogram": [3,'), 'sum of the histogram', /the sum of the histogram is 8, but the number of rounds is 7/],
    ['vLLM accepted above drafted', 'vllm/detailed.json', (text) => text.replace(/("per_step_accepted": \[\s*1,\s*)3/, '$19'), 'accepted <= width - 1', /round 1 accepted 9 drafts, but a block of width 4 has 3/],
    ['vLLM length', 'vllm/detailed.json', (text) => text.replace('"num_spec_steps": 7', '"num_spec_steps": 8'), 'length of the vector', /the number of accepted values is 7, but the number of rounds is 8/],
    ['vLLM mean', 'vllm/summary.json', (text) => text.replace('"mean_acceptance_length": 2.4', '"mean_acceptance_length": 1.4'), 'mean length', /printed as 1.4, but 1 \+ accepted \/ rounds is 2.4/],
    ['vLLM positions', 'vllm/v1.log', (text) => text.replace('0.700, 0.450, 0.250', '0.450, 0.700, 0.250'), 'per-position rates fall', /position 1 survived more often/],
    ['vLLM counters', 'vllm/metrics.txt', (text) => text.replace('position="2"} 25.0', 'position="2"} 24.0'), 'sum over positions', /the sum over positions is 139, but the accepted total is 140/],
    ['llama.cpp rate', 'llama-cpp/server-old.log', (text) => text.replace('60 accepted', '61 accepted'), 'acceptance rate', /printed as 0.5, but accepted \/ drafted is 0.508/],
    ['exllamav3 positions', 'exllamav3/dstats.json', (text) => text.replace('[37, 4', '[38, 4'), 'chain of positions', /round 3 starts at position 38, but position \+ accepted \+ 1 of the round before is 37/],
    ['LM Studio parts', 'lm-studio/stats.json', (text) => text.replace('"ignoredDraftTokensCount": 15', '"ignoredDraftTokensCount": 14'), 'accepted + rejected + ignored = total', /are 99, the total is 100/],
    ['TensorRT-LLM totals', 'tensorrt-llm/response.json', (text) => text.replace('"total_accepted_draft_tokens": 140', '"total_accepted_draft_tokens": 400'), 'accepted <= drafted', /400 drafts were accepted, but only 300 were drafted/],
    ['AIPerf histogram', 'aiperf/record.json', (text) => text.replace('"0": 1', '"0": 2'), 'sum of the histogram', /is 5, but/],
    ['dflash kept rows', 'dflash/acceptance-lengths.json', (text) => text.replace('[4, 4', '[0, 4'), 'kept rows >= 1', /round 0 kept 0 rows/],
    ['dflash shares', 'dflash/benchmark.log', (text) => text.replace('3.20\n', '2.20\n'), 'mean length', /printed as 2.2, but the shares of the lengths give 3.200/],
    ['dflash-mlx ratio', 'dflash-mlx/summary-event.json', (text) => text.replace('0.7917', '0.2533'), 'ratio over generated', /printed as 0.2533, but accepted \/ generated is 0.791667/],
    ['Ollama rate', 'ollama/runner.log', (text) => text.replace('acceptance=0.70', 'acceptance=0.80'), 'acceptance rate', /printed as 0.8, but accepted \/ drafted is 0.7/],
    ['xinfer mean', 'xinfer/speculation.log', (text) => text.replace('avg_tok/step=4.00', 'avg_tok/step=3.00'), 'mean length', /printed as 3, but/],
    ['MTPWALK prefix', 'mlxcel/mtpwalk.stderr.log', (text) => text.replace('MTPWALK\t4\t3', 'MTPWALK\t4\t2'), 'accepted = common prefix', /round 1 says that 2 drafts were accepted, but drafts and targets agree in the first 3/],
    ['TGI buckets', 'tgi/metrics.txt', (text) => text.replace('le="1"} 55', 'le="1"} 25'), 'buckets rise', /counts less than the one below it/],
  ];
  it.each(cases)('%s', async (_, file, change, identity, sentence) => {
    const text = await sampleText(file);
    const changed = change(text);
    expect(changed).not.toBe(text);
    const found = (await importText(changed, file.split('/')[1])).findings.find((finding) => finding.identity === identity);
    expect(found?.sentence).toMatch(sentence);
    expect(found!.severity).toBe('violation');
    expect(found!.line).toBeGreaterThan(0);
    expect(found!.quote).not.toBe('');
  });

  it('name the line of the object in a document', async () => {
    const one = JSON.parse(await sampleText('vllm/detailed.json')) as { metrics: { speculative_decoding: { per_step_accepted: number[] } } };
    const wrong = structuredClone(one);
    wrong.metrics.speculative_decoding.per_step_accepted[1] = 9;
    const text = JSON.stringify([one, { usage: {} }, wrong, one], null, 1);
    const capture = await importText(text, 'replies.json');
    const line = text.split('\n').findIndex((_, i, lines) => lines.slice(0, i + 1).join('').split('"speculative_decoding"').length === 3) + 1;
    expect(capture.requests).toHaveLength(3);
    expect(firstViolation(capture)).toMatchObject({ line, round: 1, quote: expect.stringMatching(/^"speculative_decoding": \{ "mean_acceptance_length"/) as string });
  });

  it('say which denominator a rate has', async () => {
    const text = (await sampleText('llama-cpp/response.json')).replace('"predicted_n": 100', '"predicted_n": 100, "note": 0');
    expect(firstViolation(await importText(text))).toBeNull();
    const tabby = (await sampleText('tabbyapi/metrics.log')).replace('(50.00%)', '(60.00%)');
    const [finding] = (await importText(tabby)).findings;
    expect(finding).toMatchObject({ severity: 'note', identity: 'denominator of the rate' });
    expect(finding!.sentence).toMatch(/accepted \/ generated \(200\), not accepted \/ drafted \(240\)/);
  });
});

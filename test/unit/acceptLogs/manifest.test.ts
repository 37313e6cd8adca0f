// Every sample log against the right values of the manifest beside it: each key is known and checked, none is skipped.
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstViolation, type Capture, type CapturedInterval, type CapturedRequest } from '../../../src/shared/capture';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import manifest from '../../fixtures/accept-logs/manifest.json';

type Values = Readonly<Record<string, unknown>>;
interface Entry {
  readonly file: string;
  readonly engine: string;
  readonly grade: string | null;
  readonly source: string;
  readonly semantics: Values;
  readonly expected: Values;
}

const entries = manifest.files as unknown as readonly Entry[];
const folder = path.join(import.meta.dirname, '../../fixtures/accept-logs');

type One = CapturedRequest | CapturedInterval;

/** Names of the manifest and where the capture has them. */
const renamed: Readonly<Record<string, string>> = { rounds: 'roundCount', completionTokens: 'generatedTokens', predicted: 'generatedTokens' };
const figures = new Set([
  ...['roundCount', 'accepted', 'keptRows', 'drafted', 'positions', 'acceptedSum', 'proposedSum', 'keptSum', 'rewinds', 'zero', 'partial', 'full', 'histogram', 'perPosition', 'perPositionCounts'],
  ...['acceptanceRate', 'meanLengthWithBonus', 'promptTokens', 'generatedTokens', 'cutInLastRound'],
  ...['kind', 'request', 'interleaved', 'complete', 'reason', 'firstBonus', 'emittedIds', 'flags'],
]);
const facts = new Set([
  ...['emitted', 'specTokens', 'running', 'cacheN', 'warm', 'cached', 'rejectedSum', 'ignoredSum', 'ratioOverGenerated', 'rateOverDrafted', 'histogramShares', 'depthOverTime'],
  ...['roundsWithAnyAccept', 'implementation'],
]);
const captureFacts = new Set(['targetSyncMsPerRound', 'rows', 'topk', 'margins', 'greedyEqualsTarget']);

/** Numbers of the manifest are rounded to four decimals at most. */
function compare(actual: unknown, expected: unknown, place: string): void {
  if (typeof expected === 'number' && !Number.isInteger(expected)) {
    expect(typeof actual, place).toBe('number');
    expect(Math.abs(Number(actual) - expected), `${place}: ${String(actual)} for ${expected}`).toBeLessThanOrEqual(expected > 10 ? 0.0005 : 0.00005);
    return;
  }
  if (Array.isArray(expected)) {
    expect(Array.isArray(actual), place).toBe(true);
    expect((actual as unknown[]).length, place).toBe(expected.length);
    for (const [i, value] of expected.entries()) compare((actual as unknown[])[i], value, `${place}[${i}]`);
    return;
  }
  if (typeof expected === 'number') expect(actual, place).toBeCloseTo(expected, 9);
  else expect(actual, place).toEqual(expected);
}

function compareOne(one: One, also: readonly One[], expected: Values, place: string): void {
  for (const [key, value] of Object.entries(expected)) {
    const name = renamed[key] ?? key;
    if (figures.has(name)) compare(one[name as keyof One], value, `${place}.${key}`);
    else if (facts.has(name)) compare([one, ...also].find((each) => name in each.facts)?.facts[name], value, `${place}.${key}`);
    else expect.fail(`${place}.${key} is not known to this test`);
  }
}

function compareList(ones: readonly One[], expected: readonly Values[], place: string): void {
  expect(ones.length, place).toBe(expected.length);
  for (const [i, values] of expected.entries()) compareOne(ones[i]!, [], values, `${place}[${i}]`);
}

const lists: Readonly<Record<string, (capture: Capture) => readonly One[]>> = { bursts: ({ requests }) => requests, lines: ({ requests }) => requests, intervals: ({ intervals }) => intervals };

function compareProbe({ probes }: Capture, expected: Values): void {
  expect(probes.length).toBe(1);
  for (const [key, value] of Object.entries(expected)) expect(probes[0]![key as keyof (typeof probes)[0]], `probe.${key}`).toEqual(value);
}

function compareDeclined({ declined }: Capture, expected: readonly Values[]): void {
  expect(declined.length).toBe(expected.length);
  for (const [i, values] of expected.entries()) for (const [key, value] of Object.entries(values)) expect(declined[i]![key as keyof (typeof declined)[0]], `declined[${i}].${key}`).toEqual(value);
}

function compareTotals({ requests, declined }: Capture, { burstsWithRounds, requestsDeclined, ...rest }: Values): void {
  expect(requests.filter(({ roundCount }) => (roundCount ?? 0) > 0).length).toBe(burstsWithRounds);
  expect(declined.length).toBe(requestsDeclined);
  expect(rest).toEqual({});
}

function compareExpected(capture: Capture, expected: Values): void {
  const flat: Record<string, unknown> = {};
  const hasList = Object.keys(expected).some((key) => key in lists);
  for (const [key, value] of Object.entries(expected)) {
    const list = lists[key];
    if (list !== undefined) compareList(list(capture), value as readonly Values[], key);
    else if (key === 'probe') compareProbe(capture, value as Values);
    else if (key === 'declined') compareDeclined(capture, value as readonly Values[]);
    else if (key === 'totals') compareTotals(capture, value as Values);
    else if (captureFacts.has(key)) compare(capture.facts[key], value, key);
    else if (key === 'rounds' && hasList) for (const one of [...capture.requests, ...capture.intervals]) expect(one.roundCount).toEqual(value);
    else flat[key] = value;
  }
  if (Object.keys(flat).length === 0) return;
  const [one, ...also] = [...capture.requests, ...capture.intervals];
  expect(one).toBeDefined();
  compareOne(one!, also, flat, 'the capture');
}

const knownSemantics = new Set(['value', 'bonusIncluded', 'scope', 'width', 'uncertain']);

function compareSemantics(capture: Capture, { width, uncertain, ...semantics }: Values): void {
  expect([...Object.keys(semantics), 'width', 'uncertain'].filter((key) => !knownSemantics.has(key))).toEqual([]);
  for (const [key, value] of Object.entries(semantics)) expect(capture.semantics[key as keyof typeof capture.semantics], key).toEqual(value);
  // A width in words says that it is not in the data.
  if (width !== undefined) expect(capture.semantics.width).toBe(typeof width === 'string' ? null : width);
  if (uncertain !== undefined) expect(capture.requests[0]!.facts['uncertain']).toBe(uncertain);
}

const resolved = ({ expected }: Entry): Values => entries.find(({ file }) => file === expected['sameAs'])?.expected ?? expected;

/** What each sample is recognised as. */
const formatIds: Readonly<Record<string, string>> = {
  'mlxcel/full.log': 'mlxcel.transcript',
  'mlxcel/full.ansi.log': 'mlxcel.transcript',
  'mlxcel/full.crlf.log': 'mlxcel.transcript',
  'mlxcel/accept-lens-w4.log': 'mlxcel.acceptLens',
  'mlxcel/info-only-w4.log': 'mlxcel.diagnostics',
  'mlxcel/kept-w4.txt': 'mlxcel.keptRows',
  'mlxcel/declined-w16.log': 'mlxcel.verdicts',
  'mlxcel/mtpwalk.stderr.log': 'mlxcel.mtpwalk',
  'mlxcel/timings.json': 'mlxcel.timings',
  'mlxcel/logit-trace.tsv': 'mlxcel.logitTrace',
  'vllm/v0.log': 'vllm.v0',
  'vllm/v1-first.log': 'vllm.v1First',
  'vllm/v1.log': 'vllm.v1',
  'vllm/metrics.txt': 'vllm.prometheus',
  'vllm/detailed.json': 'vllm.detailed',
  'vllm/summary.json': 'vllm.summary',
  'sglang/decode.log': 'sglang.decode',
  'sglang/meta-info.json': 'sglang.metaInfo',
  'sglang/finish.log': 'sglang.finish',
  'llama-cpp/server-old.log': 'llamacpp.old',
  'llama-cpp/server-2026-06.log': 'llamacpp.timing',
  'llama-cpp/server-trace.log': 'llamacpp.trace',
  'llama-cpp/response.json': 'llamacpp.response',
  'llama-cpp/metrics.txt': 'llamacpp.prometheus',
  'llama-cpp/logprobs-all-zero.json': 'llamacpp.response',
  'tensorrt-llm/response.json': 'tensorrtllm.choice',
  'tensorrt-llm/perf-metrics.json': 'tensorrtllm.perfMetrics',
  'mlx-lm/from-draft.log': 'mlxlm.fromDraft',
  'mlx-vlm/cli.log': 'mlxvlm.cli',
  'mlx-vlm/cli-short.log': 'mlxvlm.cliShort',
  'mlx-vlm/response.json': 'mlxvlm.timings',
  'dflash/acceptance-lengths.json': 'dflash.acceptanceLengths',
  'dflash/benchmark.log': 'dflash.benchmark',
  'dflash-mlx/summary-event.json': 'dflashmlx.summary',
  'dflash-mlx/benchmark.json': 'dflashmlx.benchmark',
  'dflash-mlx/serve.log': 'dflashmlx.serve',
  'omlx/generation.log': 'omlx.generation',
  'xinfer/speculation.log': 'xinfer.speculation',
  'lm-studio/stats.json': 'lmstudio.stats',
  'lm-studio/fragments.jsonl': 'lmstudio.fragments',
  'tgi/metrics.txt': 'tgi.skippedTokens',
  'exllamav3/dstats.json': 'exllamav3.draftStats',
  'tabbyapi/metrics.log': 'tabbyapi.metrics',
  'ollama/runner.log': 'ollama.runner',
  'openai/usage.json': 'openai.usage',
  'aiperf/record.json': 'aiperf.vector',
};

describe('sample logs', () => {
  it.each(entries)('$file', async (entry) => {
    const capture = await importCapture(path.join(folder, entry.file));
    expect(capture.engine).toBe(entry.engine);
    expect(capture.grade).toBe(entry.grade);
    expect(capture.format).toBe(formatIds[entry.file]);
    compareSemantics(capture, entry.semantics);
    compareExpected(capture, resolved(entry));
    expect(firstViolation(capture)).toBeNull();
    const known = ['file', 'engine', 'grade', 'source', 'semantics', 'expected', 'note'];
    expect(Object.keys(entry).filter((key) => !known.includes(key))).toEqual([]);
  });

  it('are all in the manifest', async () => {
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) => file.isFile() && file.name !== 'manifest.json');
    const names = files.map((file) => path.relative(folder, path.join(file.parentPath, file.name)).replaceAll(path.sep, '/'));
    expect(names.sort()).toEqual(entries.map(({ file }) => file).sort());
  });
});

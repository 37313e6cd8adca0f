// A small report of every kind. Nothing here was measured.
import type { Experiment, ModelExperiment } from '../../../src/shared/experiment';
import type { Report, ReportOf } from '../../../src/shared/report';
import type { ChoiceRows, Noise, StateDiff } from '../../../src/shared/results/parts';
import type { VerdictWord } from '../../../src/shared/verdict';
import { reportOf } from '../engine/support';

const bisect = await reportOf({ widths: [2, 8] });
const { format, version, coverage, provenance, run } = bisect;

const verdictOf = (word: VerdictWord): Report['verdict'] => ({ word, sentence: `The ${word} of it.` });
const base = (word: VerdictWord): Pick<ReportOf<'diff'>, 'format' | 'version' | 'complete' | 'incompleteReason' | 'verdict' | 'coverage' | 'provenance' | 'run'> => ({ format, version, complete: true, incompleteReason: '', verdict: verdictOf(word), coverage, provenance, run });

const noise: Noise = { repeatDifferingBytes: 0, floor: 0.25, orders: 'x against y' };
const state: StateDiff[] = [
  { layer: 0, tensor: 'k', bytes: 16, differingBytes: 0, maxUlp: 0, relL2: 0, firstIndex: -1 },
  { layer: 1, tensor: 'conv_state', bytes: 2048, differingBytes: 1024, maxUlp: 3, relL2: 'NaN', firstIndex: 7 },
];
const choices: ChoiceRows = { bytes: 80, differingBytes: [0, 4, 8], maxAbs: [0, 0.5, 'NaN'], argmaxA: [1, 2, 3], argmaxB: [1, 2, 4], marginA: [1, 1, 0], gapA: [0, 0, 0.125] };
const prompt = { source: 'ids' as const, ids: [1, 2] };
const log = { file: 'served.log', engine: 'mlxcel', request: 0, name: 'seq-1', grade: 'A', rounds: 2, rewinds: 1, keptSum: 3, accepted: 1, findings: ['Line 3: the bonus is another.'], notes: ['The prompt is one token short.'], prefill: 'verify' };
const drafter = { path: 'drafter', family: 'dflash', fingerprint: 'blake3:0', blockSize: 8, dtype: 'bf16', quantisation: 'none', parameters: 1000, taps: ['1.layer_output'], switches: {} };

const sequence = { model: 'model', width: 4, tokens: 3, prompt: { type: 'default' }, accepts: { type: 'kept', kept: [1, 2] }, reference: null, switches: {} } as const;
const experiments = {
  replay: { kind: 'replay', ...sequence, accepts: { type: 'kept', kept: [1, 2] }, fills: ['wrong'], forms: ['block'] },
  rewind: { kind: 'rewind', ...sequence, accepts: { type: 'log', file: 'served.log', request: null }, batch: 2 },
  prefill: { kind: 'prefill', model: 'model', prompt: { type: 'text', text: 'a' }, partitions: [0, 16], switches: { 'burst.prefill': 'verify' } },
  gate: { kind: 'gate', model: 'model', drafter: null, widths: [4, 8], draws: 1, promptLength: 8, walk: 8, batch: 1, switches: {}, override: true },
  parity: { kind: 'parity', model: 'model', drafter: 'drafter', prompts: [{ type: 'default' }], widths: [4], tokens: 8, batch: 2, gate: 'override', ignoreEos: true, audit: true, switches: {} },
  widths: { kind: 'widths', model: 'model', drafter: 'drafter', prompts: [{ type: 'draw', draw: 0, length: 8 }], widths: [2, 4], tokens: 8, repeats: 2, ignoreEos: true, switches: {} },
} satisfies { readonly [K in Exclude<ModelExperiment['kind'], 'bisect' | 'switches'>]: Extract<Experiment, { kind: K }> };

const replay: ReportOf<'replay'> = {
  ...base('defect'), kind: 'replay', experiment: experiments.replay,
  replay: {
    width: 4, rounds: 2, rewinds: 1, keptSum: 3, accepted: 1, zero: 1, partial: 1, full: 0, prompt, reference: { source: 'log', ids: [5, 6, 7], leavesAt: 1 }, schedule: { rows: [4, 4], kept: [1, 2] }, log, noise,
    attribution: 'It points somewhere.',
    runs: [{ form: 'block', fill: 'wrong', rows: choices, first: { position: 1, round: 0, row: 0 }, firstChoice: { position: 2, round: 1, row: 0 }, rewinds: 1, misdropped: [], state, kernels: ['qmv'], verdict: verdictOf('defect') }],
  },
};

const audited = { layer: 1, tensor: 'conv_state', against: 'trace' as const, bytes: 2048, differingBytes: 12, relL2: 0.5, rewinds: 1, firstRound: 1, firstIndex: 4 };
const rewind: ReportOf<'rewind'> = {
  ...base('defect'), kind: 'rewind', experiment: experiments.rewind,
  rewind: {
    width: 4, batch: 2, rounds: 4, rewinds: 2, keptSum: 6, accepted: 2, prompt, schedule: { rows: [4, 4], kept: [1, 2, 2, 1] }, log, how: [{ layer: 0, how: 'truncate' }, { layer: 1, how: 'recompute' }], stateBytes: 4096,
    audits: { round: [0, 0], row: [0, 1], asked: [3, 2], dropped: [3, 2], traceBytes: [0, 12], keptBytes: [-1, -1], chainBytes: [0, 12] }, tensors: [audited], first: audited, verdict: verdictOf('defect'),
  },
};

const prefill: ReportOf<'prefill'> = {
  ...base('drift'), kind: 'prefill', experiment: experiments.prefill,
  prefill: {
    prompt: { ...prompt, ids: [1, 2, 3, 4, 5, 6, 7, 8] }, noise,
    runs: [
      {
        label: 'classic against burst (verify)', path: 'verify', partition: 0, forwards: 1, logits: { bytes: 80, differingBytes: [4], maxAbs: [0.5], argmaxA: [1], argmaxB: [1], marginA: [1], gapA: [0] }, state, firstState: { layer: 1, tensor: 'conv_state' }, tapsCompared: 9,
        taps: [{ layer: 0, tap: 'attention_core', rows: 8, differingRows: 2, firstRow: 6, measured: { bytes: 128, differingBytes: 3, maxUlp: 1, relL2: 0.001 } }, { layer: 1, tap: 'conv', rows: 8, differingRows: 1, firstRow: 7, measured: null }],
        captureDifferingBytes: { a: 0, b: 0 }, kernelsA: ['a'], kernelsB: ['b'], picture: 'The arms part.', verdict: verdictOf('drift'),
      },
    ],
  },
};

const check = { name: 'draw 1 of 1', rows: 8, differingRows: 2, first: { row: 3, round: 0, batchRow: 0, differingBytes: 9, totalBytes: 80 }, stateBytes: 5 };
const attempt = { switches: { matmul: 'auto' }, exactness: 'inexact' as const, reason: 'a block differs', checks: [check] };
const gated = { asked: 8, used: 8, decision: 'override' as const, reason: 'OVERRIDDEN although a block differs', attempt, retry: { ...attempt, exactness: 'exact' as const }, remembered: true };
const gate: ReportOf<'gate'> = { ...base('drift'), kind: 'gate', experiment: experiments.gate, gate: { batch: 1, widths: [gated, { ...gated, decision: 'decline', retry: null }], memoKey: ['model', 'width'], override: true } };

const fork = { token: 3, round: 1, row: 0, classicId: 7, burstId: 8, margin: 0.5, gap: 0.25, floor: 0.25, word: 'tie' as const };
const parityRun = { prompt: 0, width: 4, outcome: 'differs' as const, rounds: 3, proposed: 9, accepted: 4, rewinds: 2, emitted: 8, acceptedPerRound: [1, 3, 0], end: 'budget', fork, audits: 3, auditBytes: 12, auditFirst: 'round 1, layer 0 · k' };
const parity: ReportOf<'parity'> = {
  ...base('tie'), kind: 'parity', experiment: experiments.parity,
  parity: {
    drafter, prompts: [prompt], classic: [{ ids: [1, 2, 3], end: 'budget' }], batch: 2, invariance: 'One width ran.', noise, runs: [parityRun],
    widths: [{ width: 4, decision: 'override', reason: 'r', equal: 0, differs: 1, declined: 0, rounds: 3, proposed: 9, accepted: 4, emitted: 8, verdict: verdictOf('tie') }],
  },
};

const phases = { prefill: 1, draft: 2, verify: 3, accept: 0.5, rewind: 0.25, decode: 0 };
const swept = { asked: 16, used: 8, decision: 'decline' as const, reason: 'r', rounds: 3, proposed: 9, accepted: 4, emitted: 8, equalPrompts: 1, kernels: ['qmv'], verdict: verdictOf('declined') };
const widths: ReportOf<'widths'> = {
  ...base('declined'), kind: 'widths', experiment: experiments.widths, widths: { drafter, prompts: [prompt], widths: [swept], classicEmitted: 8 },
  run: { ...run, sweep: { open: [50, 51], close: [40, 41], arms: [{ name: 'classic, again', width: 0, tokensPerSecond: [50, 40], againstClassic: [1, 0.98], phases }, { name: 'width 8', width: 8, tokensPerSecond: [80, 81], againstClassic: [1.6, 1.59], phases }] } },
};

const combination = { switches: { matmul: 'auto' }, verdict: verdictOf('equal'), complete: true, bytes: 'aa', counters: 'qmv' };
const switches: ReportOf<'switches'> = {
  ...base('void'), kind: 'switches', experiment: { kind: 'switches', model: 'model', matrix: [{ name: 'matmul', values: ['auto', 'exact'] }], base: experiments.gate },
  switches: {
    probe: 'gate', combinations: [combination, { ...combination, switches: { matmul: 'exact' }, bytes: 'bb', complete: false }],
    controls: [{ name: 'matmul', values: ['auto', 'exact'], live: 'bytes', evidence: 'it changes bytes', decides: true }, { name: 'threads', values: ['1'], live: 'void', evidence: 'it has one value here', decides: false }],
  },
};

const entry = { name: 'w', in: 'both' as const, dtypeA: 'bf16', dtypeB: 'bf16', shapeA: [2, 3], shapeB: [2, 3], bytes: 12, differingBytes: 2, differingElements: 1, maxUlp: 1, maxAbs: 0.5, relL2: 0.1, firstIndex: 1, firstA: 1, firstB: 1.5 };
const diff: ReportOf<'diff'> = { ...base('drift'), kind: 'diff', experiment: { kind: 'diff', a: 'a', b: 'b' }, diff: { entries: [entry, { ...entry, name: 'only', in: 'a', dtypeB: '', shapeB: [], differingBytes: 0, firstIndex: -1 }] } };

const ids: ReportOf<'ids'> = {
  ...base('defect'), kind: 'ids', experiment: { kind: 'ids', a: { file: '/x/a.json', request: null }, b: { file: '/x/b.log', request: '2' }, model: 'model' },
  ids: { a: { source: 'list', about: '', ids: [5, 6, 7] }, b: { source: 'log', about: 'request 2 of a log', ids: [5, 6, 8, 9] }, fork: { at: 2, a: 7, b: 8 }, texts: { ids: [5, 6, 7, 8], texts: ['a', 'b', 'c', 'd'] } },
};

export const reports: readonly Report[] = [bisect, diff, ids, replay, rewind, prefill, gate, parity, widths, switches];

export function reportOfKind<K extends Report['kind']>(kind: K): ReportOf<K> {
  return reports.find((one): one is ReportOf<K> => one.kind === kind)!;
}

/** Fields whose values are words of the format, not text of somebody. */
const fixed = new Set(['format', 'kind', 'word', 'in', 'type', 'source', 'path', 'form', 'fill', 'fills', 'forms', 'against', 'decision', 'exactness', 'outcome', 'live', 'gate', 'location', 'probe', 'layers']);

/** The report with every text in it changed. */
export function withTexts(report: Report, change: (text: string) => string): Report {
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return change(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, fixed.has(key) && typeof field !== 'object' ? field : fixed.has(key) && Array.isArray(field) ? field : walk(field)]));
  };
  return walk(report) as Report;
}

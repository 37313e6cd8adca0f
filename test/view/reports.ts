// Made-up reports for tests of the view: the shape of real ones, numbers from a seeded generator. Nothing here was measured.
import type { BisectReport, BisectRun, DiffEntry, DiffReport, LayerKind, MapRow, Report, Tile } from '../../src/shared/report';
import type { VerdictWord } from '../../src/shared/verdict';
import { random, type Random } from './random';

const taps: Readonly<Record<MapRow['kind'], readonly string[]>> = {
  embedding: ['embedding'],
  attention: ['layer_input', 'input_norm', 'q_proj', 'k_proj', 'v_proj', 'q_norm', 'k_norm', 'q_rope', 'k_rope', 'attention_core', 'attention_gated', 'o_proj', 'mixer_residual', 'post_norm', 'mlp_gate', 'mlp_up', 'mlp_act', 'mlp_down', 'layer_output'],
  gated_delta: ['layer_input', 'input_norm', 'in_proj_qkv', 'in_proj_z', 'in_proj_b', 'in_proj_a', 'conv', 'conv_out', 'delta_q', 'delta_k', 'delta_v', 'beta', 'decay', 'delta_core', 'delta_gated', 'out_proj', 'mixer_residual', 'post_norm', 'mlp_gate', 'mlp_up', 'mlp_act', 'mlp_down', 'layer_output'],
  head: ['final_norm', 'logits'],
}; // prettier-ignore
const matmuls = /_proj|mlp_(gate|up|down)|in_proj|out_proj|logits/;
const hidden = 192;
const vocab = 4096;

export interface RunOptions {
  readonly seed: number;
  readonly layers: number;
  readonly width: number;
  /** Where the arms part; null: nowhere. */
  readonly first: { readonly layer: number; readonly tap: string; readonly position: number } | null;
  readonly source?: BisectRun['source'];
  readonly positions?: number;
  /** Chance that a tap after the first one differs. */
  readonly spread?: number;
  readonly otherChoices?: number;
  readonly verdict?: VerdictWord;
}

export const layerKinds = (layers: number): LayerKind[] => Array.from({ length: layers }, (_, i) => (i % 4 === 3 ? 'attention' : 'gated_delta'));

const rowsOf = (layers: number): MapRow[] => [
  { label: 'embedding', layer: -1, kind: 'embedding' },
  ...layerKinds(layers).map((kind, layer): MapRow => ({ label: `layer ${layer}`, layer, kind })),
  { label: 'head', layer: layers, kind: 'head' },
];

const hex16 = (bits: number): string => [bits & 0xff, bits >> 8].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** 32 bf16 elements around 1, the difference in the middle and a few after it. */
function tile(r: Random, first: number): Tile {
  const start = Math.max(0, Math.min(hidden - 32, first - 8));
  const a = Array.from({ length: 32 }, () => 0x3f00 + r.whole(0, 0x100) + (r.next() < 0.5 ? 0x8000 : 0));
  const b = a.map((bits, i) => (start + i === first || (start + i > first && r.next() < 0.35) ? bits + 1 + r.whole(0, 3) : bits));
  return { dtype: 'bf16', shape: [hidden], start, a: a.map(hex16).join(''), b: b.map(hex16).join('') };
}

export function bisectRun(options: RunOptions): BisectRun {
  const { seed, layers, width, first, source = 'draw', positions = width, spread = 0.9, otherChoices = 0 } = options;
  const r = random(seed);
  const rows = rowsOf(layers);
  const run = emptyRun(rows, positions, width, source);
  const firstRow = first ? first.layer + 1 : rows.length;
  rows.forEach((row, at) => {
    for (const [t, name] of taps[row.kind].entries()) {
      for (let position = 0; position < positions; position++) {
        if (!first || at < firstRow) continue;
        const from = at === firstRow ? taps[row.kind].indexOf(first.tap) : 0;
        const isFirst = at === firstRow && t === from && position === first.position;
        const before = t < from || (at === firstRow && t === from && position < first.position);
        if (!isFirst && (before || r.next() > spread * (position < first.position ? 0.3 : 1))) continue;
        addTap(run, r, at, name, position, isFirst);
      }
    }
  });
  fillLogits(run, r, otherChoices);
  run.state.push(...stateOf(rows, run, r));
  run.kernels.push(...kernelsOf(rows, width));
  run.first = firstOf(run, first !== null);
  run.verdict = verdictOf(run, options.verdict ?? (first ? (otherChoices > 0 ? 'tie' : 'drift') : 'equal'));
  return run;
}

function emptyRun(rows: MapRow[], positions: number, width: number, source: BisectRun['source']): BisectRun {
  const cells = rows.length * positions;
  return {
    label: source === 'walk' ? `width ${width}, walk` : `width ${width}, draw 0`,
    width,
    source,
    draw: source === 'draw' ? 0 : -1,
    promptIds: Array.from({ length: 64 }, (_, i) => (i * 7 + 1) % vocab),
    blockIds: Array.from({ length: positions }, (_, i) => (i * 13 + 3) % vocab),
    rows,
    cells: { positions, rowBytes: rows.map(({ kind }) => taps[kind].length * hidden * 2), differingBytes: Array<number>(cells).fill(0), maxUlp: Array<number>(cells).fill(0), relL2: Array<number>(cells).fill(0) },
    tapsCompared: Object.fromEntries(Object.entries(taps).map(([kind, names]) => [kind, [...names]])),
    differing: { row: [], tap: [], position: [], bytes: [], differingBytes: [], elements: [], differingElements: [], maxUlp: [], maxAbs: [], relL2: [], firstIndex: [], firstA: [], firstB: [], firstUlp: [], tile: [] },
    tiles: [],
    state: [],
    logits: { bytes: vocab * 2, differingBytes: [], maxUlp: [], maxAbs: [], relL2: [], argmaxA: [], argmaxB: [], marginA: [], marginB: [] },
    first: null,
    kernels: [],
    captureDifferingBytes: { a: 0, b: 0 },
    noise: { repeatDifferingBytes: 0, floor: 0.0625, orders: 'matmul qmv against exact' },
    nonFinite: { a: 0, b: 0 },
    verdict: { word: 'equal', sentence: '' },
  };
}

function addTap(run: BisectRun, r: Random, row: number, tap: string, position: number, isFirst: boolean): void {
  const { differing, cells } = run;
  const deep = row / run.rows.length;
  const bytes = hidden * 2;
  const differingBytes = isFirst ? 1 : Math.max(1, Math.round(bytes * Math.min(0.75, 10 ** (-2.2 + 2 * deep + 0.7 * r.next()))));
  const maxUlp = isFirst ? 1 : Math.ceil(10 ** (2.4 * deep * r.next()));
  const relL2 = 10 ** (-4 + 2 * deep + r.next());
  const firstIndex = r.whole(0, hidden);
  const keep = run.tiles.length < 256;
  if (keep) run.tiles.push(tile(r, firstIndex));
  differing.row.push(row);
  differing.tap.push(tap);
  differing.position.push(position);
  differing.bytes.push(bytes);
  differing.differingBytes.push(differingBytes);
  differing.elements.push(hidden);
  differing.differingElements.push(Math.min(hidden, differingBytes));
  differing.maxUlp.push(maxUlp);
  differing.maxAbs.push(relL2 * 3);
  differing.relL2.push(relL2);
  differing.firstIndex.push(firstIndex);
  differing.firstA.push(0.5 + r.next());
  differing.firstB.push(0.5 + r.next());
  differing.firstUlp.push(1 + r.whole(0, 3));
  differing.tile.push(keep ? run.tiles.length - 1 : -1);
  const cell = row * cells.positions + position;
  cells.differingBytes[cell]! += differingBytes;
  cells.maxUlp[cell] = Math.max(cells.maxUlp[cell]!, maxUlp);
  cells.relL2[cell] = Math.max(Number(cells.relL2[cell]), relL2);
}

function fillLogits(run: BisectRun, r: Random, otherChoices: number): void {
  const { logits, cells, rows } = run;
  for (let position = 0; position < cells.positions; position++) {
    const differs = cells.differingBytes[(rows.length - 1) * cells.positions + position]! > 0;
    const argmax = r.whole(0, vocab);
    const other = differs && position >= cells.positions - otherChoices;
    logits.differingBytes.push(differs ? r.whole(900, 5200) : 0);
    logits.maxUlp.push(differs ? r.whole(1, 40) : 0);
    logits.maxAbs.push(differs ? 0.03 + 0.05 * r.next() : 0);
    logits.relL2.push(differs ? 0.002 + 0.01 * r.next() : 0);
    logits.argmaxA.push(argmax);
    logits.argmaxB.push(other ? (argmax + 17) % vocab : argmax);
    logits.marginA.push(other ? 0.03125 : 0.2 + 6 * r.next());
    logits.marginB.push(other ? 0.015625 : 0.2 + 6 * r.next());
  }
}

function stateOf(rows: readonly MapRow[], run: BisectRun, r: Random): BisectRun['state'] {
  return rows.flatMap(({ kind, layer }, at) => {
    if (kind !== 'attention' && kind !== 'gated_delta') return [];
    const touched = run.first !== null || run.differing.row.some((row) => row <= at);
    return (kind === 'attention' ? ['k', 'v'] : ['conv_state', 'recurrent_state']).map((tensor) => {
      const bytes = tensor === 'recurrent_state' ? 65_536 : 18_432;
      const differingBytes = touched ? r.whole(1, bytes / 2) : 0;
      return { layer, tensor, bytes, differingBytes, maxUlp: touched ? r.whole(1, 90) : 0, relL2: touched ? 0.001 * r.next() : 0, firstIndex: touched ? r.whole(0, 999) : -1 };
    });
  });
}

const kernelsOf = (rows: readonly MapRow[], width: number): BisectRun['kernels'] =>
  rows.flatMap(({ kind, layer }) => taps[kind].filter((op) => matmuls.test(op)).map((op) => ({ layer, op, a: 'qmv_b4_g64', b: width >= 8 ? 'qmm_b4_g64' : 'qmv_b4_g64' })));

function firstOf(run: BisectRun, any: boolean): BisectRun['first'] {
  if (!any) return null;
  const { differing: d } = run;
  const shown = run.tiles[d.tile[0]!]!;
  const at = (d.firstIndex[0]! - shown.start) * 4;
  const row = run.rows[d.row[0]!]!;
  const kernel = run.kernels.find(({ layer, op }) => layer === row.layer && op === d.tap[0]);
  return { row: d.row[0]!, layer: row.layer, tap: d.tap[0]!, position: d.position[0]!, element: d.firstIndex[0]!, a: d.firstA[0]!, b: d.firstB[0]!, aHex: shown.a.slice(at, at + 4), bHex: shown.b.slice(at, at + 4), ulp: d.firstUlp[0]!, kernelA: kernel?.a ?? '', kernelB: kernel?.b ?? '' };
}

function verdictOf(run: BisectRun, word: VerdictWord): BisectRun['verdict'] {
  const bytes = run.logits.differingBytes.reduce((sum, n) => sum + n, 0);
  if (!run.first) return { word, sentence: `Width ${run.width}: every compared byte is the same.` };
  return { word, sentence: `Width ${run.width}: block and chain part at layer ${run.first.layer}, ${run.first.tap}, position ${run.first.position}; ${bytes.toLocaleString('en-US')} logit bytes differ.` };
}

const provenance: Report['provenance'] = {
  extension: '0.1.0',
  engine: { name: 'moire', version: '0.1.0', abi: '1.0', git: '4f1c2ab', compiler: 'rustc 1.95.0', target: 'x86_64-unknown-linux-gnu', libraryHash: '9c1185a5c5e9fc54612808977ee8f548b2258d31a5f6f0d9c0f3f4e7b6a1d2e3' },
  cpu: { name: 'Test CPU', features: ['sse4.2', 'avx', 'avx2', 'fma', 'f16c'], used: ['avx2', 'fma'], cores: 2 },
  model: { path: '/models/made-up-4bit', architecture: 'qwen3_5', fingerprint: 'b7e23ec29af22b0b4e41da31e868d57226121c84', dtype: 'bf16', quantisation: '4 bit, group 64', layers: layerKinds(8), hidden, vocab, context: 2048, warnings: [] },
  switchesA: { attention: 'per_position', delta: 'recurrent', isa: 'auto', matmul: 'auto', prefillAttention: 'auto', rope: 'row', threads: 2 },
  switchesB: { attention: 'per_position', delta: 'recurrent', isa: 'auto', matmul: 'auto', prefillAttention: 'auto', rope: 'row', threads: 2 },
  threads: 2,
  isa: 'avx2',
  kernelsA: ['attention_per_position', 'delta_recurrent', 'qmv_b4_g64', 'rope_row'],
  kernelsB: ['attention_per_position', 'delta_recurrent', 'qmm_b4_g64', 'qmv_b4_g64', 'rope_row'],
  seeds: '(i * 7 + 1) mod vocab',
};

export function bisectReport(runs: BisectRun[], changes: Partial<BisectReport> = {}): BisectReport {
  const verdict = runs.find(({ first }) => first)?.verdict ?? runs[0]?.verdict ?? { word: 'void', sentence: 'Nothing was run.' };
  return {
    format: 'moire.report',
    version: 1,
    complete: true,
    incompleteReason: '',
    verdict,
    coverage: {
      compared: ['every tap of every layer at every block position', 'logits of every block position', 'state of every layer after the block'],
      notCovered: ['rewind after a partial accept', 'prompts longer than 64 tokens', 'batches of more than one row'],
    },
    provenance,
    run: { startedAt: '2026-05-04T10:20:30.000Z', durationMs: 4820, location: 'process', cost: { load: 120, prefill: 900, chain: 2100, block: 800, diff: 900 } },
    kind: 'bisect',
    experiment: { kind: 'bisect', model: '/models/made-up-4bit', widths: runs.map(({ width }) => width), input: { type: 'draws', draws: 1, promptLength: 64 }, walk: 0, switches: {} },
    bisect: { runs },
    ...changes,
  };
}

/** Widths 2, 4 equal, 8 and 16 part at the first projection: how a change of matmul kernel looks. */
export function sampleReport(): BisectReport {
  const first = { layer: 0, tap: 'in_proj_qkv', position: 0 };
  return bisectReport([
    bisectRun({ seed: 1, layers: 8, width: 2, first: null }),
    bisectRun({ seed: 2, layers: 8, width: 4, first: null }),
    bisectRun({ seed: 3, layers: 8, width: 8, first: { layer: 1, tap: 'in_proj_qkv', position: 2 }, spread: 0.7 }),
    bisectRun({ seed: 4, layers: 8, width: 16, first, otherChoices: 2, spread: 0.6 }),
    bisectRun({ seed: 5, layers: 8, width: 8, positions: 128, source: 'walk', first: { layer: 3, tap: 'q_rope', position: 41 }, spread: 0.05 }),
  ]);
}

export function randomReport(seed: number): BisectReport {
  const r = random(seed);
  const layers = r.whole(1, 40);
  const positions = r.pick([1, 2, 5, 16, 64, 200]);
  const kinds = layerKinds(layers);
  const layer = r.whole(0, layers);
  const first = { layer, tap: r.pick(taps[kinds[layer]!]), position: r.whole(0, positions) };
  return bisectReport([bisectRun({ seed, layers, width: 8, positions, first: r.next() < 0.1 ? null : first, spread: r.next() ** 3 * 0.5, otherChoices: r.whole(0, 3) })]);
}

function diffEntry(r: Random, i: number): DiffEntry {
  const differs = r.next() < 0.4;
  const bytes = 192 * 512 * 2;
  const where = i === 7 ? 'a' : i === 9 ? 'b' : 'both';
  return {
    name: `model.layers.${i}.mlp.${r.pick(['gate', 'up', 'down'])}_proj.weight`,
    in: where,
    dtypeA: where === 'b' ? '' : 'bf16',
    dtypeB: where === 'a' ? '' : i === 11 ? 'f16' : 'bf16',
    shapeA: where === 'b' ? [] : [192, 512],
    shapeB: where === 'a' ? [] : [192, 512],
    bytes: where === 'both' ? bytes : 0,
    differingBytes: differs ? r.whole(1, bytes) : 0,
    differingElements: differs ? r.whole(1, bytes / 2) : 0,
    maxUlp: differs ? r.whole(1, 4000) : 0,
    maxAbs: differs ? r.next() : 0,
    relL2: differs ? r.next() * 0.01 : 0,
    firstIndex: differs ? r.whole(0, bytes / 2) : -1,
    firstA: differs ? r.next() : 0,
    firstB: differs ? r.next() : 0,
  };
}

export function diffReport(count = 24): DiffReport {
  const r = random(11);
  const entries = Array.from({ length: count }, (_, i) => diffEntry(r, i));
  const { bisect: _bisect, ...rest } = bisectReport([]);
  return {
    ...rest,
    kind: 'diff',
    verdict: { word: 'drift', sentence: `${entries.filter(({ differingBytes }) => differingBytes > 0).length} of ${count} tensors differ.` },
    experiment: { kind: 'diff', a: '/captures/before.safetensors', b: '/captures/after.safetensors' },
    provenance: { ...provenance, model: null, switchesA: {}, switchesB: {}, kernelsA: [], kernelsB: [] },
    diff: { entries },
  };
}

// Runs the probes on the reference engine.
import type { BisectExperiment } from '../../../src/shared/experiment';
import type { BisectReport, BisectRun } from '../../../src/shared/report';
import { bisect, type BisectFindings } from '../../../src/engine/probes/bisect';
import { bisectReport } from '../../../src/engine/probes/bisectReport';
import type { Undecided } from '../../../src/engine/probes/bisectVerdict';
import { type Faults, ReferenceEngine } from './referenceEngine';

export function experimentOf(changes: Partial<BisectExperiment> = {}): BisectExperiment {
  return { kind: 'bisect', model: 'model', widths: [4], input: { type: 'draws', draws: 1, promptLength: 12 }, walk: 0, switches: {}, ...changes };
}

export async function reportOf(changes: Partial<BisectExperiment> = {}, faults: Faults = {}): Promise<BisectReport> {
  const engine = new ReferenceEngine(faults);
  const model = await engine.load('model');
  const experiment = experimentOf(changes);
  return reportOver(await bisect(engine, model, experiment), experiment);
}

export async function reportOver(findings: BisectFindings, experiment = experimentOf()): Promise<BisectReport> {
  const engine = new ReferenceEngine();
  const { info } = await engine.load('model');
  const origin = { engine: engine.info(), extensionVersion: '1.2.3', location: 'cli', startedAt: new Date(0) } as const;
  return bisectReport({ origin, info, experiment, findings, incompleteReason: '' });
}

export async function runOf(changes: Partial<BisectExperiment> = {}, faults: Faults = {}): Promise<BisectRun> {
  const report = await reportOf(changes, faults);
  return report.bisect.runs[0]!;
}

/** Two positions, nothing differs. */
export function quietRun(changes: Partial<Undecided> = {}): Undecided {
  return {
    label: 'width 2 · prompt',
    width: 2,
    source: 'ids',
    draw: -1,
    promptIds: [1],
    blockIds: [2, 3],
    rows: [{ label: 'embedding', layer: -1, kind: 'embedding' }],
    cells: { positions: 2, rowBytes: [8], differingBytes: [0, 0], maxUlp: [0, 0], relL2: [0, 0] },
    tapsCompared: { embedding: ['embedding'] },
    differing: { row: [], tap: [], position: [], bytes: [], differingBytes: [], elements: [], differingElements: [], maxUlp: [], maxAbs: [], relL2: [], firstIndex: [], firstA: [], firstB: [], firstUlp: [], tile: [] },
    tiles: [],
    state: [{ layer: 0, tensor: 'k', bytes: 16, differingBytes: 0, maxUlp: 0, relL2: 0, firstIndex: -1 }],
    logits: { bytes: 160, differingBytes: [0, 0], maxUlp: [0, 0], maxAbs: [0, 0], relL2: [0, 0], argmaxA: [5, 6], argmaxB: [5, 6], marginA: [1, 1], marginB: [1, 1] },
    first: null,
    kernels: [],
    captureDifferingBytes: { a: 0, b: 0 },
    noise: { repeatDifferingBytes: 0, floor: 0.1, orders: 'x against y' },
    nonFinite: { a: 0, b: 0 },
    ...changes,
  };
}

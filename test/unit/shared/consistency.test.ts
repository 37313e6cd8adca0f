// Counts of a report that contradict what it lists: views and accounts take them as sizes.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readReport } from '../../../src/shared/reportFile';
import { reportOf } from '../engine/support';
import { sampleReport } from '../../view/reports';
import { reports as madeUp } from './reports';

const fixtures = path.join(import.meta.dirname, '../../fixtures');
const filesOf = (folder: string): string[] => readdirSync(path.join(fixtures, folder)).filter((name) => name.endsWith('.moire.json')).map((name) => path.join(folder, name));
const textOf = (file: string): string => readFileSync(path.join(fixtures, file), 'utf8');

const bisected = JSON.stringify(await reportOf({ widths: [2, 8], walk: 8 }));
const texts = new Map([['bisect', bisected], ['drift', textOf('compare/before.moire.json')], ...filesOf('reports').map((file): [string, string] => [path.basename(file, '.moire.json'), textOf(file)]), ...madeUp.filter(({ kind }) => kind === 'diff' || kind === 'ids').map((report): [string, string] => [report.kind, JSON.stringify(report)])]);

type Node = Record<string, unknown>;

/** A real report of a kind with other values at some places. */
function changed(kind: string, places: Readonly<Record<string, unknown>>): string {
  const report = JSON.parse(texts.get(kind) ?? '') as Node;
  for (const [place, value] of Object.entries(places)) {
    const names = place.split('.');
    const last = names.pop() ?? '';
    const holder = names.reduce((node, name) => node[name] as Node, report);
    expect(holder, place).toHaveProperty(last);
    holder[last] = value;
  }
  return JSON.stringify(report);
}

function refusal(text: string): string {
  const read = readReport(text);
  if (read.ok) throw new Error('it was accepted');
  expect(read.problem.title).toBe('This report is damaged or was changed by hand');
  expect(read.problem.detail.length).toBeLessThan(200);
  return read.problem.detail;
}

const largest = Number.MAX_SAFE_INTEGER;
const noAudits = { round: [], row: [], asked: [], dropped: [], traceBytes: [], keptBytes: [], chainBytes: [] };
const noRow = { bytes: 4, differingBytes: [], maxUlp: [], maxAbs: [], relL2: [], argmaxA: [], argmaxB: [], marginA: [], marginB: [] };
const prefillMap = (changes: Node): Node => {
  const { map } = (JSON.parse(texts.get('prefill') ?? '') as { prefill: { runs: { map: Node }[] } }).prefill.runs[0] ?? {};
  return { ...map, ...changes };
};

describe('what is refused, with its field', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, string]>([
    ['more kept rows than a block has', 'rewind', { 'rewind.schedule.kept.0': 100_000_000 }, 'rewind.schedule.kept.0: is 100000000'],
    ['the largest number as kept rows', 'rewind', { 'rewind.schedule.kept.0': largest }, 'rewind.schedule.kept.0'],
    ['no kept row', 'rewind', { 'rewind.schedule.kept.0': 0 }, 'rewind.schedule.kept.0'],
    ['a block wider than the run', 'rewind', { 'rewind.schedule.rows.0': 100_000_000, 'rewind.schedule.kept.0': 100_000_000 }, 'rewind.schedule.rows.0'],
    ['a width that no experiment has', 'rewind', { 'rewind.width': 100_000_000, 'rewind.schedule.rows.0': 100_000_000, 'rewind.schedule.kept.0': 100_000_000 }, 'rewind.width'],
    ['a long walk that nothing lists', 'rewind', { 'rewind.width': 256, 'rewind.schedule': { rows: Array<number>(5000).fill(256), kept: Array<number>(5000).fill(256) }, 'rewind.audits': noAudits }, 'rewind.schedule.kept: is 1280000'],
    ['a batch without rounds', 'rewind', { 'rewind.batch': 3_000_000, 'rewind.schedule': { rows: [], kept: [] }, 'rewind.audits': noAudits }, 'rewind.batch: is 3000000'],
    ['the largest batch', 'rewind', { 'rewind.batch': largest, 'rewind.schedule': { rows: [], kept: [] }, 'rewind.audits': noAudits }, 'rewind.batch'],
    ['no batch row', 'rewind', { 'rewind.batch': 0, 'rewind.schedule.kept': [] }, 'rewind.batch: is 0'],
    ['an audit of a round that is not there', 'rewind', { 'rewind.audits.round.0': largest }, 'rewind.audits.round.0'],
    ['an audit of a batch row that is not there', 'rewind', { 'rewind.audits.row.0': 1 }, 'rewind.audits.row.0'],
    ['an audit of more rows than were rejected', 'rewind', { 'rewind.audits.asked.0': largest }, 'rewind.audits.asked.0'],
    ['a replay of more rows than the transcript has', 'replay', { 'replay.reference.ids': [1, 2] }, 'replay.schedule.kept'],
    ['a replay that keeps more than its block', 'replay', { 'replay.schedule.kept.0': largest }, 'replay.schedule.kept.0'],
    ['a misdropped round that is not there', 'replay', { 'replay.runs.0.misdropped': [{ round: largest, asked: 1, dropped: 0 }] }, 'replay.runs.0.misdropped.0'],
    ['a first row that was not compared', 'replay', { 'replay.runs.0.first': { position: largest, round: 0, row: 0 } }, 'replay.runs.0.first'],
    ['more accepted drafts than a block has', 'parity', { 'parity.runs.0.acceptedPerRound.0': 100_000_000 }, 'parity.runs.0.acceptedPerRound.0: is 100000000'],
    ['the largest number of accepted drafts', 'parity', { 'parity.runs.0.acceptedPerRound.0': largest }, 'parity.runs.0.acceptedPerRound.0'],
    ['rounds that are not listed', 'parity', { 'parity.runs.0.rounds': 100_000_000 }, 'parity.runs.0.acceptedPerRound'],
    ['accepted drafts beyond the tokens', 'parity', { 'parity.runs.0.ids': [1], 'parity.runs.0.emitted': 1 }, 'parity.runs.0.acceptedPerRound: gives'],
    ['tokens that are not listed', 'parity', { 'parity.runs.0.emitted': largest }, 'parity.runs.0.ids'],
    ['prompts without a classic arm', 'parity', { 'parity.classic': [] }, 'parity.classic'],
    ['a fork behind the ends', 'parity', { 'parity.runs.0.fork': { token: largest, round: -1, row: 0, classicId: 0, burstId: 0, margin: 0, gap: 0, floor: 0, word: 'tie' } }, 'parity.runs.0.fork.token'],
    ['a map without rows', 'prefill', { 'prefill.runs.0.map': { rows: [], positions: 30_000_000, taps: [], differing: [] }, 'prefill.runs.0.partition': 1 }, 'prefill.runs.0.map.rows'],
    ['a map of other positions than the prompt has', 'prefill', { 'prefill.runs.0.map.positions': largest }, 'prefill.runs.0.map.positions'],
    ['a map without positions', 'prefill', { 'prefill.runs.0.map': prefillMap({ positions: 0, differing: [] }) }, 'prefill.runs.0.map.positions'],
    ['more differing taps than there are', 'prefill', { 'prefill.runs.0.map.differing.0': largest }, 'prefill.runs.0.map.differing.0'],
    ['a first row outside the prompt', 'prefill', { 'prefill.runs.0.taps.0.firstRow': largest }, 'prefill.runs.0.taps.0.firstRow'],
    ['a negative ratio', 'widths', { 'run.sweep.arms.0.againstClassic.0': -1 }, 'run.sweep.arms.0.againstClassic.0: is -1'],
    ['a ratio whose sums are no number', 'widths', { 'run.sweep.arms.0.againstClassic.0': 1e308 }, 'run.sweep.arms.0.againstClassic.0'],
    ['a negative rate', 'widths', { 'run.sweep.arms.0.tokensPerSecond.0': -1 }, 'run.sweep.arms.0.tokensPerSecond.0'],
    ['more ratios than passes', 'widths', { 'run.sweep.arms.0.againstClassic': [1, 1, 1] }, 'run.sweep.arms.0.againstClassic'],
    ['a negative time of a phase', 'widths', { 'run.sweep.arms.0.phases.verify': -1 }, 'run.sweep.arms.0.phases.verify'],
    ['more accepted drafts than proposed', 'widths', { 'widths.widths.0.accepted': largest }, 'widths.widths.0.accepted'],
    ['a negative duration', 'gate', { 'run.durationMs': -1e308 }, 'run.durationMs'],
    ['a negative cost', 'gate', { 'run.cost': { a: -1 } }, 'run.cost.a'],
    ['no batch in a gate', 'gate', { 'gate.batch': 0 }, 'gate.batch'],
    ['more differing rows than rows', 'gate', { 'gate.widths.0.attempt.checks.0.differingRows': largest }, 'gate.widths.0.attempt.checks.0.differingRows'],
    ['a run of no rows', 'bisect', { 'bisect.runs.0.rows': [], 'bisect.runs.0.cells': { positions: 2, rowBytes: [], differingBytes: [], maxUlp: [], relL2: [] } }, 'bisect.runs.0.rows'],
    ['a run of no positions', 'bisect', { 'bisect.runs.0.cells.positions': 0, 'bisect.runs.0.cells.differingBytes': [], 'bisect.runs.0.cells.maxUlp': [], 'bisect.runs.0.cells.relL2': [], 'bisect.runs.0.blockIds': [], 'bisect.runs.0.logits': noRow }, 'bisect.runs.0.cells.positions'],
    ['more differing bytes than bytes', 'bisect', { 'bisect.runs.0.cells.differingBytes.0': largest }, 'bisect.runs.0.cells.differingBytes.0'],
    ['more differing logit bytes than bytes', 'bisect', { 'bisect.runs.0.logits.differingBytes.0': largest }, 'bisect.runs.0.logits.differingBytes.0'],
    ['more differing state than state', 'bisect', { 'bisect.runs.0.state.0.differingBytes': largest }, 'bisect.runs.0.state.0.differingBytes'],
    ['a width that no bisect has', 'bisect', { 'bisect.runs.0.width': largest }, 'bisect.runs.0.width'],
    ['a negative noise floor', 'bisect', { 'bisect.runs.0.noise.floor': '-Infinity' }, 'bisect.runs.0.noise.floor'],
    ['a negative distance', 'bisect', { 'bisect.runs.0.cells.relL2.0': -1 }, 'bisect.runs.0.cells.relL2.0'],
    ['a first element outside its tap', 'drift', { 'bisect.runs.0.differing.firstIndex.0': largest }, 'bisect.runs.0.differing.firstIndex.0'],
    ['a tile that begins outside its tap', 'drift', { 'bisect.runs.0.tiles.0.start': largest }, 'bisect.runs.0.tiles.0.start'],
    ['more differing bytes of a tensor than it has', 'diff', { 'diff.entries.0.differingBytes': largest }, 'diff.entries.0.differingBytes'],
    ['a fork behind both lists', 'ids', { 'ids.fork': { at: largest, a: -1, b: -1 } }, 'ids.fork.at'],
    ['more in common than there is', 'cache', { 'answers.pairs.0.common': largest }, 'answers.pairs.0.common'],
  ])('%s', (_, kind, places, field) => {
    expect(refusal(changed(kind, places))).toContain(field);
  });
});

describe('what is read', () => {
  it.each([...filesOf('reports'), ...filesOf('compare')])('%s', (file) => {
    expect(readReport(textOf(file))).toMatchObject({ ok: true });
  });

  it('every made-up report', () => {
    for (const report of [...madeUp, sampleReport()]) expect(readReport(JSON.stringify(report)), report.kind).toMatchObject({ ok: true });
  });
});

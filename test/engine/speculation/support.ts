// The probes over the sample pair, on the built-in engine.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { NativeEngine } from '../../../src/engine/native/nativeEngine';
import { Problem } from '../../../src/engine/problem';
import { GateMemo } from '../../../src/engine/probes/gate/memo';
import type { ProbeCall } from '../../../src/engine/probes/probe';
import { runModelProbe } from '../../../src/engine/probes/registry';
import type { Model, Session } from '../../../src/engine/types';
import type { ModelExperiment, Prompt } from '../../../src/shared/experiment';
import type { Report, ReportOf } from '../../../src/shared/report';
import { formatReport, readReport } from '../../../src/shared/reportFile';
import { root, sample } from '../product';

export const engine = await NativeEngine.load();
export const target = await engine.load(sample);
afterAll(() => target.close());

export const dflashPath = path.join(root, 'samples/drafter');
/** The MTP head is in the target's own folder. */
export const mtpPath = sample;
export const exact = { matmul: 'exact', attention: 'exact' } as const;

interface How {
  readonly model?: Model;
  readonly call?: ProbeCall;
  readonly memo?: GateMemo;
  readonly keep?: (report: Report) => Promise<void>;
}

/** Runs a probe. Its report is one that a file can hold. */
export async function reportOf<E extends ModelExperiment>(experiment: E, { model = target, call = {}, memo = new GateMemo(), keep = () => Promise.resolve() }: How = {}): Promise<ReportOf<E['kind']>> {
  const origin = { engine: engine.info(), extensionVersion: '1.2.3', location: 'cli', startedAt: new Date(0) } as const;
  const report = await runModelProbe({ engine, model, origin, experiment, call, memo, keep });
  expect(readReport(formatReport(report))).toMatchObject({ ok: true });
  // A run that nobody ends is whole.
  if (call.signal === undefined) expect(report).toMatchObject({ complete: true, incompleteReason: '' });
  return report as ReportOf<E['kind']>;
}

export async function problemOf(work: Promise<unknown>): Promise<Problem['data']> {
  const thrown: unknown = await work.then(
    () => new Error('nothing was thrown'),
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(Problem);
  return (thrown as Problem).data;
}

/** Every byte of a session's state, by layer and tensor. */
export async function stateOf(session: Session): Promise<Record<string, string>> {
  const layers = await session.state();
  const found: Record<string, string> = { position: session.position.join() };
  for (const { layer, tensors } of layers) {
    for (const { name, tensor } of tensors) {
      found[`${layer}.${name}`] = Buffer.from(await tensor.read()).toString('base64');
      tensor.close();
    }
  }
  return found;
}

/** Ids of the text that the sample was not trained on, one list a file. */
async function heldOut(): Promise<number[][]> {
  const folder = path.join(root, 'test/fixtures/heldout');
  const names = readdirSync(folder).filter((name) => name.endsWith('.txt')).sort();
  const texts: number[][] = [];
  for (const name of names) texts.push(await target.tokenize(readFileSync(path.join(folder, name), 'utf8')));
  return texts;
}

/** `count` prompts of `length` tokens: slices of the held-out text, one of five synthetic. */
export async function promptsOf(count: number, length: number): Promise<Prompt[]> {
  const slices = (await heldOut()).flatMap((ids) => Array.from({ length: Math.floor(ids.length / length) }, (_, i) => ids.slice(i * length, (i + 1) * length)));
  // A step that has no factor in common with their number spreads the choice over all files.
  const step = slices.length % 7 === 0 ? 11 : 7;
  return Array.from({ length: count }, (_, i): Prompt => (i % 5 === 4 ? { type: 'draw', draw: i, length } : { type: 'ids', ids: slices[(i * step) % slices.length]! }));
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

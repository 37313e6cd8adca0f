import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { ElementLoads } from '../../src/extension/elementLoads';
import type { LoadElements } from '../../src/shared/elementsProtocol';
import type { BisectReport } from '../../src/shared/report';
import type { ToView } from '../../src/shared/viewProtocol';
import { api, bisect, closeAll, experiment, longExperiment, savedReport, until } from './support';

describe('elements of a tap', () => {
  let scratch: string;
  let file: string;
  let report: BisectReport;
  before(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'moire-elements-'));
    file = path.join(scratch, 'parts.moire.json');
    copyFileSync((await bisect(experiment({ walk: 12 }))).file ?? '', file);
    report = savedReport(file);
    await closeAll();
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(closeAll);

  /** What the page would be told. */
  async function ask(message: Partial<LoadElements> & Record<string, unknown>, from = file): Promise<ToView[]> {
    const uri = vscode.Uri.file(from);
    const { ask: send, shown } = await api();
    await vscode.commands.executeCommand('vscode.open', uri);
    await until('the editor', () => shown(uri));
    const told: ToView[] = [];
    await send(uri, { type: 'loadElements', id: 7, run: 0, tap: 0, around: 0, ...message }, (one) => told.push(one));
    return told;
  }

  const problemOf = (told: readonly ToView[]): string => {
    const last = told.at(-1);
    assert.ok(last?.type === 'notLoaded', JSON.stringify(last).slice(0, 400));
    return `${last.problem.title}. ${last.problem.action}`;
  };

  it('are computed by the engine, with progress, and are those of the report', async () => {
    const walk = report.bisect.runs.length - 1;
    const { differing } = report.bisect.runs[walk]!;
    const tap = differing.tap.length - 1;
    const told = await ask({ run: walk, tap });
    const last = told.at(-1);
    assert.ok(last?.type === 'elements', JSON.stringify(last).slice(0, 400));
    assert.equal(last.id, 7);
    const { answer } = last;
    assert.deepEqual(
      [answer.total, answer.differingBytes, answer.differingElements, answer.firstIndex, answer.fingerprint],
      [differing.elements[tap], differing.differingBytes[tap], differing.differingElements[tap], differing.firstIndex[tap], report.provenance.model?.fingerprint],
    );
    const [a, b] = [Buffer.from(answer.a, 'base64'), Buffer.from(answer.b, 'base64')];
    assert.equal(a.length, differing.bytes[tap]);
    assert.equal([...a.keys()].filter((i) => a[i] !== b[i]).length, differing.differingBytes[tap]);
    assert.ok(told.some((one) => one.type === 'loading' && one.progress.text !== ''), 'no progress was told');
  });

  it('are refused in words for a tap that the report does not have, and for a message of another shape', async () => {
    assert.match(problemOf(await ask({ tap: 10_000_000 })), /does not say how to compute this tap again/);
    await assert.rejects(ask({ tap: -1 }), /index/);
    await assert.rejects(ask({ run: 'x' } as never), /index/);
  });

  it('are refused where the model is not there, and where the report asks for what cannot be', async () => {
    const change = (name: string, changed: (copy: BisectReport) => void): string => {
      const copy = JSON.parse(readFileSync(file, 'utf8')) as BisectReport;
      changed(copy);
      const other = path.join(scratch, `${name}.moire.json`);
      writeFileSync(other, JSON.stringify(copy));
      return other;
    };
    const elsewhere = change('elsewhere', (copy) => copy.experiment.kind === 'bisect' && (copy.experiment.model = '/nowhere/model'));
    assert.match(problemOf(await ask({}, elsewhere)), /cannot be computed again here/);
    const odd = change('odd', (copy) => (copy.bisect.runs[0]!.differing.tap[0] = 'no_such_tap'));
    assert.match(problemOf(await ask({}, odd)), /no tap no_such_tap/);
  });

  it('are given up when the page cancels, asks for something else, or goes', async () => {
    const told: ToView[] = [];
    const signals: AbortSignal[] = [];
    const compute = (_request: unknown, _onProgress: unknown, signal: AbortSignal): Promise<never> =>
      new Promise((_, reject) => {
        signals.push(signal);
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      });
    const loads = new ElementLoads(() => report, compute, (one) => told.push(one));
    const load = async (id: number): Promise<Promise<void>[]> => {
      const done = loads.take({ type: 'loadElements', id, run: 0, tap: 0, around: 0 });
      await until('the request', () => (signals.length >= id ? true : undefined));
      return [done];
    };
    const open = [...(await load(1)), ...(await load(2))];
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
    await loads.take({ type: 'cancelElements', id: 1 });
    assert.equal(signals[1]?.aborted, false, 'a cancel of what is over ended what is asked for');
    await loads.take({ type: 'cancelElements', id: 2 });
    open.push(...(await load(3)));
    loads.cancel();
    await Promise.all(open);
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, true]);
    assert.deepEqual(told.map((one) => one.type === 'notLoaded' && one.problem.kind), ['cancelled', 'cancelled', 'cancelled']);
  });

  it('wait for a run that is going on', async () => {
    const { run } = await api();
    const abort = new AbortController();
    const running = run(longExperiment(), abort.signal);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    const asked = ask({});
    await new Promise((resolve) => setTimeout(resolve, 1500));
    abort.abort();
    const told = await asked;
    await running;
    assert.ok(told.some((one) => one.type === 'loading' && one.progress.text === 'waits for another run'), JSON.stringify(told).slice(0, 400));
    assert.equal(told.at(-1)?.type, 'elements');
  });
});

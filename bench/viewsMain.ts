// Entry of the bench of the views: first paint, frames, and memory of the report view with a heat map of 64 layers x 10,240 positions, in a real browser.
import process from 'node:process';
import { Command } from 'commander';
import { quantile } from 'd3-array';
import type { CDPSession } from 'playwright-core';
import { ViewHarness, type ViewPage } from '../test/view/harness';
import { bisectReport, bisectRun } from '../test/view/reports';
import { median } from './results/stats';
import { firstPaint, framesWhile, type Doing } from './views/inPage';

interface Options {
  readonly layers: string;
  readonly positions: string;
  readonly rounds: string;
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const range = (all: readonly number[]): string => `${ms(median(all))} (${ms(Math.min(...all))} to ${ms(Math.max(...all))})`;
const framesEach = 120;

function reportOf({ layers, positions }: Options): string {
  const count = Number(positions);
  const run = bisectRun({ seed: 1, layers: Number(layers), width: 8, positions: count, first: { layer: 5, tap: 'conv', position: Math.floor(count / 10) }, spread: 0.002 });
  return JSON.stringify({ type: 'report', report: bisectReport([run]), fileName: 'large.moire.json' });
}

/** Bytes and seconds of the page, by the browser's own count. */
async function metric(session: CDPSession, name: 'JSHeapUsedSize' | 'TaskDuration'): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find((one) => one.name === name)?.value ?? NaN;
}

interface Frames {
  readonly betweenMs: readonly number[];
  /** Of the page's main thread: events, drawing, layout. */
  readonly workMs: number;
}

async function frames(view: ViewPage, session: CDPSession, doing: Doing): Promise<Frames> {
  const before = await metric(session, 'TaskDuration');
  const betweenMs = await framesWhile(view.page, doing, framesEach);
  return { betweenMs, workMs: ((await metric(session, 'TaskDuration')) - before) * (1000 / framesEach) };
}

function framesInWords(what: string, all: readonly Frames[]): string {
  const between = all.flatMap(({ betweenMs }) => betweenMs);
  return `${what}: a frame every ${ms(median(between))}, nineteen of twenty within ${ms(quantile(between, 0.95) ?? NaN)}; work of a frame ${ms(median(all.map(({ workMs }) => workMs)))}`;
}

interface Round extends Readonly<Record<Doing, Frames>> {
  readonly paintMs: number;
  readonly usedMegabytes: number;
}

async function round(harness: ViewHarness, text: string): Promise<Round> {
  const view = await harness.open({ width: 1400, height: 900 });
  const session = await view.page.context().newCDPSession(view.page);
  await session.send('Performance.enable');
  const paintMs = await firstPaint(view.page, text);
  const [zoom, pan, point] = [await frames(view, session, 'zoom'), await frames(view, session, 'pan'), await frames(view, session, 'point')];
  await session.send('HeapProfiler.collectGarbage');
  const usedMegabytes = (await metric(session, 'JSHeapUsedSize')) / 1e6;
  if (view.errors.length > 0) throw new Error(view.errors.join('; '));
  await view.page.context().close();
  return { paintMs, zoom, pan, point, usedMegabytes };
}

async function main(options: Options): Promise<void> {
  const text = reportOf(options);
  say(`a report of ${options.layers} layers x ${options.positions} positions, ${(text.length / 1e6).toFixed(1)} MB as JSON; Chromium draws without a GPU`);
  const harness = await ViewHarness.start();
  const rounds: Round[] = [];
  try {
    for (let i = 0; i < Number(options.rounds); i += 1) rounds.push(await round(harness, text));
  } finally {
    await harness.stop();
  }
  say(`first paint of the map after its data arrived: ${range(rounds.map(({ paintMs }) => paintMs))}`);
  for (const doing of ['zoom', 'pan', 'point'] as const) say(framesInWords(doing, rounds.map((one) => one[doing])));
  say(`memory of the page's scripts with the report: ${median(rounds.map(({ usedMegabytes }) => usedMegabytes)).toFixed(0)} MB`);
}

const program = new Command('bench:views')
  .description('Times the report view in a browser with a large heat map')
  .option('--layers <n>', 'layers of the report', '64')
  .option('--positions <n>', 'positions of the report', '10240')
  .option('--rounds <n>', 'times that the page is opened anew', '5')
  .action(main);
void program.parseAsync(process.argv).catch((error: unknown) => {
  process.stderr.write(`bench:views: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});

// What observing costs: the same decodes without taps and with all of them, by turns.
import type { ForwardOptions, Model } from '../../src/engine/types';
import { ExactRunner, logitsAlone } from './exact';
import { timed, tokenAt } from './turn';

export interface CaptureTimes {
  readonly mode: string;
  /** Milliseconds of each decode, without and with. */
  readonly plain: number[];
  readonly captured: number[];
}

const modes: readonly { readonly mode: string; readonly options: ForwardOptions }[] = [{ mode: 'bytes', options: { ...logitsAlone, taps: ['*'] } }];
const context = 64;

async function compare(model: Model, options: ForwardOptions, threads: number, decodes: number): Promise<{ plain: number[]; captured: number[] }> {
  const runners = { plain: new ExactRunner(model), captured: new ExactRunner(model, options) };
  const times = { plain: [] as number[], captured: [] as number[] };
  const ids = Array.from({ length: context }, (_, i) => tokenAt(i + 1, model.info.vocab));
  for (const runner of Object.values(runners)) {
    await runner.begin(threads);
    await runner.prefill(ids);
    await runner.decode(1);
  }
  for (let i = 0; i < decodes; i += 1) {
    const id = tokenAt(context + i, model.info.vocab);
    for (const arm of ['plain', 'captured'] as const) times[arm].push(await timed(() => runners[arm].decode(id)));
  }
  for (const runner of Object.values(runners)) runner.end();
  return times;
}

export async function captureCost(model: Model, threads: number, decodes: number): Promise<CaptureTimes[]> {
  const all: CaptureTimes[] = [];
  for (const { mode, options } of modes) all.push({ mode, ...(await compare(model, options, threads, decodes)) });
  return all;
}

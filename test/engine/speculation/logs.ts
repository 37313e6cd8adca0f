// Logs of a real burst of the sample pair, in both forms that can be replayed byte for byte.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { importCapture } from '../../../src/engine/acceptLogs/importCapture';
import { CaptureLogWriter } from '../../../src/engine/acceptLogs/moireLog';
import { seedLines } from '../../../src/engine/acceptLogs/seedLines';
import { runBurst, type Burst } from '../../../src/engine/speculative/burst';
import { Observer } from '../../../src/engine/speculative/observer';
import type { Switches } from '../../../src/engine/types';
import { sum, target } from './support';

export interface Served {
  readonly burst: Burst;
  readonly accepted: readonly number[];
  /** Kept rows of all rounds. */
  readonly keptSum: number;
  readonly rewinds: number;
  readonly width: number;
}

export async function served(drafterPath: string, prompt: readonly number[], { width = 4, tokens = 40, switches = {} }: { width?: number; tokens?: number; switches?: Switches } = {}): Promise<Served> {
  const drafter = await target.drafter(drafterPath);
  const session = await target.open(switches);
  const draft = await drafter.open();
  const options = { width, tokens, eos: new Set<number>(), context: target.info.context, prefill: { path: 'causal', partition: 0 } as const, call: {} };
  const burst = await runBurst(session, new Observer(draft, drafter.info), false, [prompt], options);
  for (const one of [draft, session, drafter]) one.close();
  const accepted = burst.rounds.map(({ rows: [row] }) => row!.accepted);
  const rewinds = burst.rounds.filter(({ rewound }) => rewound !== null).length;
  return { burst, accepted, keptSum: sum(accepted) + accepted.length, rewinds, width };
}

/** The burst as Moire's own capture log. */
export async function writeCapture(folder: string, { burst: { rows: [row], rounds }, width }: Served): Promise<string> {
  const file = path.join(folder, 'served.moire-capture.jsonl');
  let text = '';
  const sink = (line: string): void => {
    text += line;
  };
  const writer = new CaptureLogWriter(sink, { model: 'target', drafter: 'drafter', engine: 'moire', switches: {}, width, widthFrom: 'asked for', prefill: 'causal', partition: [row!.prompt.length], sampling: { temperature: 0 } });
  const request = 'req-1';
  const [firstBonus] = row!.ids;
  writer.request({ request, promptIds: [...row!.prompt], firstBonus: firstBonus! });
  for (const { index, width: rowsOf, rows: [one], ms: times } of rounds) {
    const { bonus, drafts, targets, accepted, emitted } = one!;
    writer.round({ request, round: index, width: rowsOf, bonus, drafts: [...drafts], targets: [...targets], accepted, emitted: [...emitted], ms: times });
  }
  const accepted = sum(rounds.map(({ rows: [one] }) => one!.accepted));
  const proposed = sum(rounds.map(({ width: rowsOf }) => rowsOf - 1));
  writer.end({ request, end: { reason: 'budget', emitted: row!.ids.length - 1, rounds: rounds.length, proposed, accepted } });
  await writeFile(file, text);
  return file;
}

/** The same as lines of mlxcel's log. Its prompt is in no line. */
export async function writeSeedLog(folder: string, capture: string): Promise<string> {
  const file = path.join(folder, 'served.log');
  const { requests: [request] } = await importCapture(capture);
  const width = Math.max(...request!.rounds!.map((round) => round.width ?? 0));
  await writeFile(file, `${seedLines({ ...request!, width }, new Date('2026-09-21T05:11:12Z')).join('\n')}\n`);
  return file;
}

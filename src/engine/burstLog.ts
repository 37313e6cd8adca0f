// Gathers the bursts of a run and writes their rounds, whole or not at all.
import path from 'node:path';
import type { Report } from '../shared/report';
import { writeWhole } from './atomicFile';
import { Problem } from './problem';
import { reasonOf } from './reportStore';
import { captureText, seedText, type CapturedBurst } from './speculative/captureText';
import type { Width } from './speculative/width';

export class BurstLog {
  private readonly bursts: { readonly burst: CapturedBurst; readonly width: Width }[] = [];

  add(burst: CapturedBurst, width: Width): void {
    this.bursts.push({ burst, width });
  }

  /** Nothing for "". `at`: the time on text lines. Throws a Problem when the file cannot be written. */
  async save(file: string, report: Report, at: Date): Promise<void> {
    if (file === '') return;
    const text = file.endsWith('.log') ? seedText(this.bursts.map(({ burst }) => burst), (burst) => this.widthOf(burst), at) : captureText(this.header(report), this.bursts.map(({ burst }) => burst));
    try {
      await writeWhole(file, text);
    } catch (error) {
      throw new Problem({ kind: 'environment', title: `The rounds of the bursts cannot be saved: ${reasonOf(error)}`, place: path.resolve(file), action: 'Choose another file, or make room for this one' }, { cause: error });
    }
  }

  private widthOf(burst: CapturedBurst): number {
    return this.bursts.find((one) => one.burst === burst)?.width.used ?? 0;
  }

  private header(report: Report): Parameters<typeof captureText>[0] {
    const { engine, model, switchesA } = report.provenance;
    const widths = [...new Set(this.bursts.map(({ width }) => width.used))];
    const [first] = this.bursts;
    return {
      model: model === null ? '' : `${model.path} ${model.fingerprint}`,
      drafter: report.kind === 'parity' ? `${report.parity.drafter.path} ${report.parity.drafter.fingerprint}` : '',
      engine: `${engine.name} ${engine.version} ${engine.git}`,
      switches: switchesA,
      // Every round says its own; a run of several widths has none for all.
      width: widths.length === 1 ? (widths[0] ?? 0) : 0,
      widthFrom: first?.width.from ?? '',
      prefill: switchesA['burst.prefill'] === 'verify' ? 'verify' : 'causal',
      partition: [],
      sampling: { temperature: 0 },
    };
  }
}

// Gathers the bursts of a run: their rounds stand in a partial file as they happen, and are written whole when the run is complete.
import path from 'node:path';
import type { Experiment } from '../shared/experiment';
import type { Report } from '../shared/report';
import { writeWhole } from '../disk/writeWhole';
import { PartialBurstLog, partialCaptureOf } from './partialBurstLog';
import { Problem } from './problem';
import { reasonOf } from './reportStore';
import type { BurstRound } from './speculative/burst';
import { type CapturedBurst, type CaptureHeader, captureText, type RunningBurst, seedText } from './speculative/captureText';
import type { Width } from './speculative/width';
import type { EngineInfo, ModelInfo } from './types';

const engineText = ({ name, version, git }: { name: string; version: string; git: string }): string => `${name} ${version} ${git}`;
const common = (prefill: unknown) => ({ prefill: prefill === 'verify' ? ('verify' as const) : ('causal' as const), partition: [], sampling: { temperature: 0 } });

/** What is known of a run before it begins: switches as they were asked for, no width. */
export function plannedHeader({ engine, version, git }: EngineInfo, model: ModelInfo, experiment: Extract<Experiment, { model: string }>): CaptureHeader {
  const switches = experiment.kind === 'switches' ? {} : experiment.switches;
  return {
    model: `${model.path} ${model.fingerprint}`,
    drafter: experiment.kind === 'parity' ? experiment.drafter : '',
    engine: engineText({ name: engine, version, git }),
    switches,
    width: 0,
    widthFrom: '',
    ...common(switches['burst.prefill']),
  };
}

export class BurstLog {
  private readonly bursts: { readonly burst: CapturedBurst; readonly width: Width }[] = [];
  private readonly partial: PartialBurstLog | null;

  /** `file`: "" for no log. `planned`: stands in the partial file. */
  constructor(
    private readonly file: string,
    planned: CaptureHeader,
    private readonly onWarning?: (sentence: string) => void,
  ) {
    this.partial = file === '' ? null : new PartialBurstLog(partialCaptureOf(file), planned, onWarning);
  }

  async round(running: RunningBurst, round: BurstRound): Promise<void> {
    await this.partial?.round(running, round);
  }

  add(burst: CapturedBurst, width: Width): void {
    this.partial?.end(burst);
    this.bursts.push({ burst, width });
  }

  /** A run that is not complete leaves its partial file alone. `at`: the time on text lines. Throws a Problem when the file cannot be written. */
  async save(report: Report, at: Date): Promise<void> {
    const { file } = this;
    if (file === '' || !report.complete) return;
    if (this.bursts.length === 0) {
      this.onWarning?.(`No burst ran, so ${file} is not written.`);
      return;
    }
    const bursts = this.bursts.map(({ burst }) => burst);
    const text = file.endsWith('.log') ? seedText(bursts, (burst) => this.widthOf(burst), at) : captureText(this.header(report), bursts);
    try {
      await writeWhole(file, text);
      await this.partial?.remove();
    } catch (error) {
      throw new Problem({ kind: 'environment', title: `The rounds of the bursts cannot be saved: ${reasonOf(error)}`, place: path.resolve(file), action: 'Choose another file, or make room for this one' }, { cause: error });
    }
  }

  /** However the run ended: says where its rounds are, if they are not in the file that was asked for. */
  async close(): Promise<void> {
    await this.partial?.flush();
    if (this.partial?.isThere === true) this.onWarning?.(`The rounds that ran are kept in ${this.partial.file}.`);
  }

  private widthOf(burst: CapturedBurst): number {
    return this.bursts.find((one) => one.burst === burst)?.width.used ?? 0;
  }

  private header(report: Report): CaptureHeader {
    const { engine, model, switchesA } = report.provenance;
    const widths = [...new Set(this.bursts.map(({ width }) => width.used))];
    const [first] = this.bursts;
    return {
      model: model === null ? '' : `${model.path} ${model.fingerprint}`,
      drafter: report.kind === 'parity' ? `${report.parity.drafter.path} ${report.parity.drafter.fingerprint}` : '',
      engine: engineText(engine),
      switches: switchesA,
      // Every round says its own; a run of several widths has none for all.
      width: widths.length === 1 ? (widths[0] ?? 0) : 0,
      widthFrom: first?.width.from ?? '',
      ...common(switchesA['burst.prefill']),
    };
  }
}

// Elements of taps for the page of one report: the page names a tap of the report that it shows, the engine computes it again. A page is untrusted, and holds one request at a time.
import { access } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { ElementsRequest, type ElementsAnswer, type LoadElements } from '../shared/elementsProtocol';
import type { RunProgress } from '../shared/engineProtocol';
import type { BisectReport, Report } from '../shared/report';
import type { FromView, ToView } from '../shared/viewProtocol';
import { asProblem, Problem } from './problem';

export type ComputeElements = (request: Omit<ElementsRequest, 'library'>, onProgress: (progress: RunProgress) => void, signal: AbortSignal) => Promise<ElementsAnswer>;

/** Whether `report` is a bisect whose model is on this machine. */
export async function canLoad(report: Report | undefined): Promise<boolean> {
  if (report?.kind !== 'bisect' || !vscode.workspace.isTrusted) return false;
  return access(path.join(report.experiment.kind === 'bisect' ? report.experiment.model : '', 'config.json')).then(
    () => true,
    () => false,
  );
}

export class ElementLoads {
  private open: { readonly id: number; readonly abort: AbortController } | null = null;

  constructor(
    private readonly report: () => Report | undefined,
    private readonly compute: ComputeElements,
    private readonly post: (message: ToView) => void,
  ) {}

  /** Answers a message of the page; what goes wrong is told to the page. */
  async take(message: Extract<FromView, { type: 'loadElements' | 'cancelElements' }>): Promise<void> {
    if (message.type === 'cancelElements') {
      if (this.open?.id === message.id) this.cancel();
      return;
    }
    this.cancel();
    const { id } = message;
    const load = { id, abort: new AbortController() };
    this.open = load;
    try {
      if (!(await canLoad(this.report()))) throw problem(vscode.l10n.t('The elements cannot be computed again here'), vscode.l10n.t('They need the model of the report on this machine, and a trusted workspace'));
      const answer = await this.compute(requestOf(this.report(), message), (progress) => this.post({ type: 'loading', id, progress }), load.abort.signal);
      this.post({ type: 'elements', id, answer });
    } catch (error) {
      this.post({ type: 'notLoaded', id, problem: asProblem(error).data });
    } finally {
      if (this.open === load) this.open = null;
    }
  }

  /** Ends what is asked for: the page is gone, or asks for something else. */
  cancel(): void {
    this.open?.abort.abort(new Problem({ kind: 'cancelled', title: vscode.l10n.t('The loading was cancelled'), place: '', action: '' }));
  }
}

const problem = (title: string, action: string): Problem => new Problem({ kind: 'input', title, place: '', action });

function requestOf(report: Report | undefined, asked: LoadElements): Omit<ElementsRequest, 'library'> {
  const found = report?.kind === 'bisect' ? placeOf(report, asked) : undefined;
  const parsed = ElementsRequest.omit({ library: true }).safeParse(found);
  if (found === undefined || !parsed.success) throw problem(vscode.l10n.t('The report does not say how to compute this tap again'), vscode.l10n.t('Run the experiment again, and ask for the elements in its report'));
  return parsed.data;
}

function placeOf({ experiment, bisect }: BisectReport, { run: at, tap: entry, around }: LoadElements): unknown {
  const run = bisect.runs[at];
  const tap = run?.differing.tap[entry];
  if (run === undefined || tap === undefined || experiment.kind !== 'bisect') return undefined;
  const { promptIds, blockIds, width, differing, rows } = run;
  return { model: experiment.model, switches: experiment.switches, promptIds, blockIds, width, position: differing.position[entry], layer: rows[differing.row[entry] ?? -1]?.layer, tap, around };
}

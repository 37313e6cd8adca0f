// The engine in a process of its own: started when first needed, stopped when idle, replaced after a crash, a hang or a cancel that it did not answer.
import * as l10n from '@vscode/l10n';
import { CancellationTokenSource } from 'vscode-jsonrpc/node';
import type { AttachRequest, DoctorReport, DoctorRequest, InspectRequest, ModelFacts, RunOutcome, RunProgress, RunRequest } from '../shared/engineProtocol';
import type { ElementsAnswer, ElementsRequest } from '../shared/elementsProtocol';
import { methods } from '../shared/engineProtocol';
import type { Report } from '../shared/report';
import type { ServerProfile } from '../shared/serverProfile';
import { RpcChild, type ChildLog } from '../child/rpcChild';
import { cancelGraceMs, type EngineHost } from './engineHost';
import { Problem } from './problem';

export interface Timing {
  /** Pause between two pings of a running engine. */
  readonly pingMs: number;
  /** Silence after which an engine is taken for hung. */
  readonly hangMs: number;
  readonly idleMs: () => number;
}

export class ProcessEngine implements EngineHost {
  private child: RpcChild | undefined;
  private calls = 0;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly modulePath: string,
    private readonly log: ChildLog,
    private readonly timing: Timing,
  ) {}

  get pid(): number | undefined {
    return this.child?.alive === true ? this.child.pid : undefined;
  }

  async run(request: RunRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<Report> {
    return (await this.told<RunOutcome>(methods.run, request, onProgress, signal)).report;
  }

  elements(request: ElementsRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<ElementsAnswer> {
    return this.told<ElementsAnswer>(methods.elements, request, onProgress, signal);
  }

  /** Work that tells its progress, is watched and can be cancelled. */
  private told<R>(method: string, request: object, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<R> {
    return this.use(async (child) => {
      const source = new CancellationTokenSource();
      const progress = child.on(methods.progress, onProgress);
      const patience = patienceFor(child, source, signal);
      const watchdog = this.watch(child);
      try {
        return await child.request<R>(method, request, source.token);
      } catch (error) {
        if (!signal.aborted) throw error;
        throw new Problem({ kind: 'cancelled', title: l10n.t('The run was cancelled'), place: '', action: '' }, { cause: error });
      } finally {
        clearInterval(watchdog);
        patience.dispose();
        progress.dispose();
        source.dispose();
      }
    });
  }

  doctor(request: DoctorRequest): Promise<DoctorReport> {
    return this.use((child) => child.request<DoctorReport>(methods.doctor, request));
  }

  inspect(request: InspectRequest): Promise<ModelFacts> {
    return this.use((child) => child.request<ModelFacts>(methods.inspect, request));
  }

  attach(request: AttachRequest, signal: AbortSignal): Promise<ServerProfile> {
    return this.use(async (child) => {
      const source = new CancellationTokenSource();
      const cancel = (): void => source.cancel();
      signal.addEventListener('abort', cancel, { once: true });
      if (signal.aborted) cancel();
      try {
        return await child.request<ServerProfile>(methods.attach, request, source.token);
      } finally {
        signal.removeEventListener('abort', cancel);
        source.dispose();
      }
    });
  }

  restart(): Promise<void> {
    this.child?.kill('was restarted');
    return Promise.resolve();
  }

  dispose(): void {
    clearTimeout(this.idle);
    this.child?.kill('was stopped');
  }

  /** Runs one piece of work on a process that is up, and lets the process go after a while without any. */
  private async use<R>(work: (child: RpcChild) => Promise<R>): Promise<R> {
    clearTimeout(this.idle);
    if (this.child?.alive !== true) this.child = new RpcChild(this.modulePath, this.log);
    this.calls += 1;
    try {
      return await work(this.child);
    } finally {
      this.calls -= 1;
      if (this.calls === 0) this.idle = setTimeout(() => this.child?.kill('was idle and is stopped'), this.timing.idleMs());
    }
  }

  /** The process answers pings beside its work; one that does not is hung, whatever its work is. */
  private watch(child: RpcChild): NodeJS.Timeout {
    let unanswered = 0;
    return setInterval(() => {
      // Ticks are counted, not time: a laptop that slept would look like a hang.
      if (unanswered * this.timing.pingMs > this.timing.hangMs) child.kill(`did not answer for ${Math.round(this.timing.hangMs / 1000)} s and was ended`);
      unanswered += 1;
      if (unanswered > 1 || !child.alive) return;
      child.request(methods.ping, null).then(
        () => (unanswered = 0),
        (error: unknown) => this.log.warn(`ping: ${String(error)}`),
      );
    }, this.timing.pingMs);
  }
}

/** Passes a cancel on; an engine that does not end its run within the grace is ended. */
function patienceFor(child: RpcChild, source: CancellationTokenSource, signal: AbortSignal): { dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const cancel = (): void => {
    source.cancel();
    timer = setTimeout(() => child.kill('did not answer a cancel and was ended'), cancelGraceMs);
  };
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    dispose(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}

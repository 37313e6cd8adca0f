// The engine inside the extension host, for debugging: the module that the engine process runs, called directly. The one place where the extension imports engine code.
import * as l10n from '@vscode/l10n';
import './texts';
import { ProbeHost, type RunCall } from '../engine/host';
import type { AttachRequest, DoctorReport, DoctorRequest, InspectRequest, ModelFacts, RunProgress, RunRequest } from '../shared/engineProtocol';
import type { ElementsAnswer, ElementsRequest } from '../shared/elementsProtocol';
import type { Report } from '../shared/report';
import type { ServerProfile } from '../shared/serverProfile';
import type { ChildLog } from '../child/rpcChild';
import { cancelGraceMs, type EngineHost } from './engineHost';
import { Problem } from './problem';

export class InHostEngine implements EngineHost {
  readonly pid = undefined;
  private probes = new ProbeHost('extensionHost');
  /** A run that did not answer its cancel is still at work: it cannot be ended from here, and the next run waits for it. */
  private busy: Promise<unknown> = Promise.resolve();

  constructor(private readonly log: ChildLog) {}

  async run(request: RunRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<Report> {
    return (await this.told((call) => this.probes.run(request, call), onProgress, signal)).report;
  }

  elements(request: ElementsRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<ElementsAnswer> {
    return this.told((call) => this.probes.elements(request, call), onProgress, signal);
  }

  private async told<R>(work: (call: RunCall) => Promise<R>, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<R> {
    await this.busy;
    const running = work({ signal, onProgress, onWarning: (sentence) => this.log.warn(sentence) });
    this.busy = running.catch(() => undefined);
    const patience = givenUp(signal);
    try {
      return await Promise.race([running, patience.promise]);
    } finally {
      patience.dispose();
    }
  }

  doctor(request: DoctorRequest): Promise<DoctorReport> {
    return this.probes.doctor(request);
  }

  inspect(request: InspectRequest): Promise<ModelFacts> {
    return this.probes.inspect(request);
  }

  attach(request: AttachRequest, signal: AbortSignal): Promise<ServerProfile> {
    return this.probes.attach(request, { signal });
  }

  /** Native code cannot be taken out of a process; what can be done is to let models and engines go. */
  async restart(): Promise<void> {
    const old = this.probes;
    this.probes = new ProbeHost('extensionHost');
    await old.close();
  }

  dispose(): void {
    void this.probes.close();
  }
}

/** Rejects some time after an abort that the run did not answer. */
function givenUp(signal: AbortSignal): { readonly promise: Promise<never>; dispose(): void } {
  let timer: NodeJS.Timeout | undefined;
  const { promise, reject } = withResolvers();
  const late = (): void => reject(new Problem({ kind: 'cancelled', title: l10n.t('The run was cancelled, but the engine has not stopped yet'), place: '', action: l10n.t('The next run waits for it') }));
  const cancel = (): void => void (timer = setTimeout(late, cancelGraceMs));
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return {
    promise,
    dispose(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
    },
  };
}

function withResolvers(): { promise: Promise<never>; reject: (reason: Error) => void } {
  let reject: (reason: Error) => void = () => undefined;
  const promise = new Promise<never>((_, no) => (reject = no));
  return { promise, reject };
}

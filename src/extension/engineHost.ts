// What the extension asks of an engine, wherever it runs: in a process of its own or inside the extension host.
import type { AttachRequest, DoctorReport, DoctorRequest, InspectRequest, ModelFacts, RunProgress, RunRequest } from '../shared/engineProtocol';
import type { ElementsAnswer, ElementsRequest } from '../shared/elementsProtocol';
import type { Report } from '../shared/report';
import type { ServerProfile } from '../shared/serverProfile';

export interface EngineHost {
  /** Process id while a process of its own is up. */
  readonly pid: number | undefined;
  /** Rejects with a Problem. An abort ends it within 300 ms, with an incomplete report or as a Problem of the kind "cancelled". */
  run(request: RunRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<Report>;
  /** The elements of one tap, computed again. Rejects and is aborted as a run. */
  elements(request: ElementsRequest, onProgress: (progress: RunProgress) => void, signal: AbortSignal): Promise<ElementsAnswer>;
  doctor(request: DoctorRequest): Promise<DoctorReport>;
  inspect(request: InspectRequest): Promise<ModelFacts>;
  /** What a server is and can. Rejects with a Problem, whose place is the token's where another token mends it; an abort ends the request that is open. */
  attach(request: AttachRequest, signal: AbortSignal): Promise<ServerProfile>;
  /** Ends the process, and with it what it is doing; the next call starts a new one. */
  restart(): Promise<void>;
  dispose(): void;
}

/** How long an engine may take to answer a cancel before it is taken for hung. */
export const cancelGraceMs = 150;

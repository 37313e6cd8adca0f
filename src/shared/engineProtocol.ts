// What crosses between the extension host and the engine process: Experiment, progress and Report, and on demand the elements of a tap, bounded. Carried by JSON-RPC with cancellation.
import type { Experiment } from './experiment';
import type { Report } from './report';

/** `text`: one sentence for the user, for example "width 4 · draw 2 of 3 · block". */
export interface RunProgress {
  readonly text: string;
  readonly done: number;
  readonly total: number;
}

export interface RunRequest {
  readonly experiment: Experiment;
  /** Library to load, "" for the one that ships with the extension. */
  readonly library: string;
  readonly extensionVersion: string;
  /** The report as far as it got is written here after every comparison and when the run is cancelled, so that a crash loses little. "" for none. */
  readonly partialPath: string;
  /**
   * Where the rounds of every burst are written for a later replay, "" for nowhere: JSON lines, or text lines of mlxcel for a name that ends in ".log".
   * Not part of the experiment: a report that is run again chooses no file to write.
   */
  readonly captureFile?: string;
  /** Bearer tokens of servers by origin (http://host:port). Beside the experiment, so that no report holds one. */
  readonly bearerTokens?: Readonly<Record<string, string>>;
}

/** A run ends with a report, complete or not; only what makes a report impossible is an error. */
export interface RunOutcome {
  readonly report: Report;
  /** What could not be done besides: the rounds that were to be captured are not in their file. */
  readonly problem?: ProblemData;
}

/** An error that crosses the wire: what, where, and what to do. */
export interface ProblemData {
  readonly kind: 'input' | 'environment' | 'engine' | 'cancelled';
  readonly title: string;
  readonly place: string;
  readonly action: string;
}

/** The place of a problem that another token mends. */
export const tokenPlace = 'token';

export interface DoctorCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do when it is not ok, else "". */
  readonly action: string;
}

export interface DoctorRequest {
  readonly library: string;
  /** A model folder to inspect as well, "" for none. */
  readonly model: string;
  readonly extensionVersion: string;
}

export interface DoctorReport {
  readonly checks: readonly DoctorCheck[];
  /** The whole text to paste into an issue. */
  readonly text: string;
}

/** A server that somebody else started. */
export interface AttachRequest {
  readonly url: string;
  /** "": the first that it names. */
  readonly model: string;
  /** "" for none. */
  readonly token: string;
}

export interface InspectRequest {
  readonly library: string;
  /** Folder of the checkpoint; only headers are read. */
  readonly model: string;
}

/** A switch that a model offers: its named choices, or null for a whole number from `min` to `max`. */
export interface SwitchChoice {
  readonly name: string;
  readonly values: readonly string[] | null;
  readonly min: number;
  readonly max: number;
  readonly default: string | number;
  readonly description: string;
}

/** What a user needs to know of a model before a run. */
export interface ModelFacts {
  readonly architecture: string;
  readonly layers: number;
  readonly vocab: number;
  /** Positions the checkpoint was made for. */
  readonly context: number;
  readonly parameters: number;
  readonly tokenizer: boolean;
  readonly warnings: readonly string[];
  readonly switches: readonly SwitchChoice[];
  /** Of the burst loop, for probes over speculation. */
  readonly burstSwitches: readonly SwitchChoice[];
}

/**
 * Names of the RPC methods of the engine process, over the IPC channel of a fork. Progress of `run` and `elements` comes as the notification `progress`.
 * `ping` is answered with null as long as the process is alive, also in mid-run.
 */
export const methods = { run: 'run', elements: 'elements', doctor: 'doctor', inspect: 'inspect', attach: 'attach', ping: 'ping', progress: 'progress' } as const;

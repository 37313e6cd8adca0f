// A log that is being read or was read: its state, and the rows of it.
import path from 'node:path';
import type { Capture } from '../../shared/capture';
import { nothingKnown, type LogState, type Slot } from '../../shared/logReaderProtocol';
import { badInput, toProblem } from '../problem';
import type { CaptureBuilder } from './builder';
import { importCapture } from './importCapture';
import { countsOf } from './logRows';
import { OpenRequests } from './openRequests';

/** Between two looks at a log that is being read; a look that takes long makes the next one wait longer. */
const lookMs = 250;
const lookShare = 8;

export class OpenLog {
  private phase: LogState['phase'] = 'reading';
  private problem: LogState['problem'] = null;
  private builder: CaptureBuilder | null = null;
  private readonly openRequests = new OpenRequests();
  private capture: Capture | null = null;
  private bytes = 0;
  private bytesRead = 0;
  private nextLook = 0;

  constructor(
    private readonly slot: Slot,
    readonly file: string,
    private readonly onState: (state: LogState) => void,
  ) {}

  /** Reads to the end, or to where it cannot go on: then what was read still stands, and the state says why. */
  async read(signal: AbortSignal): Promise<LogState> {
    try {
      this.capture = await importCapture(this.file, {
        signal,
        onBegin: (builder, bytes) => {
          this.builder = builder;
          this.bytes = bytes;
        },
        onProgress: ({ done }) => this.progress(done),
      });
      this.bytesRead = this.bytes;
      this.phase = 'done';
    } catch (error) {
      this.problem = toProblem(error).data;
      this.phase = 'failed';
      this.look();
    }
    this.builder = null;
    return this.state;
  }

  get state(): LogState {
    const { slot, phase, problem, bytes, bytesRead, capture } = this;
    const head = { slot, source: path.basename(this.file), phase, problem, bytes, bytesRead };
    if (capture === null) return { ...head, ...nothingKnown };
    const { engine, format, formats, grade, semantics, facts, warnings } = capture;
    return { ...head, engine, title: formats.find(({ id }) => id === format)?.title ?? '', formats, grade, semantics, facts, warnings: warnings.slice(0, mostWarnings), counts: countsOf(capture), first: firstWithRounds(capture) };
  }

  /** What can be asked about. Throws a Problem as long as no line was known. */
  get known(): Capture {
    if (this.capture === null) throw badInput('Nothing of this log was read yet', this.file, 'Wait until it is');
    return this.capture;
  }

  /** The whole capture. Throws a Problem until the log was read to its end. */
  get whole(): Capture {
    if (this.phase === 'reading') throw badInput('This log is still being read', this.file, 'Wait until it is read to its end');
    return this.known;
  }

  private progress(done: number): void {
    this.bytesRead = done;
    const start = performance.now();
    if (start < this.nextLook) return;
    this.look();
    this.onState(this.state);
    const took = performance.now() - start;
    this.nextLook = start + Math.max(lookMs, took * lookShare);
  }

  /** Takes the capture as it stands. */
  private look(): void {
    if (this.builder?.recognised !== true) return;
    const { requests, ...capture } = this.builder.soFar(this.bytes);
    this.capture = { ...capture, requests: [...requests, ...this.openRequests.from(this.builder.open, requests.length)] };
  }
}

const firstWithRounds = ({ requests }: Capture): number => Math.max(0, requests.findIndex(({ roundCount }) => roundCount !== null && roundCount > 0));

const mostWarnings = 50;

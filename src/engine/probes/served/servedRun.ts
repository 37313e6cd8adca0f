// What a probe over servers is given.
import type { ServedExperiment } from '../../../shared/experiment';
import type { Told } from '../../attached/answer';
import { throwIfCancelled } from '../../problem';
import type { ProbeCall, Stopwatch } from '../probe';
import type { Findings } from './findings';
import type { Answering, AttachedServer, Question } from './server';

export interface ServedRun<E extends ServedExperiment = ServedExperiment> {
  readonly experiment: E;
  readonly server: AttachedServer;
  readonly findings: Findings;
  readonly call: ProbeCall;
  readonly watch: Stopwatch;
  /** Keeps the report so far. */
  readonly keep: () => Promise<void>;
  readonly progress: Progress;
}

/** What the report of a probe says besides its pairs. */
export interface ServedCoverage {
  readonly compared: readonly string[];
  readonly notCovered: readonly string[];
}

export class Progress {
  private done = 0;

  constructor(
    private readonly call: ProbeCall,
    private readonly total: number,
  ) {}

  /** One request, with its name shown while it runs. */
  async step<T>(text: string, work: () => Promise<T>): Promise<T> {
    throwIfCancelled(this.call.signal);
    this.call.onProgress?.({ text, done: this.done, total: this.total });
    try {
      return await work();
    } finally {
      this.done += 1;
    }
  }
}

/** Asks with its name in the progress and its time in the phase "answers". */
export function asked({ call, watch, progress }: Pick<ServedRun, 'call' | 'watch' | 'progress'>, text: string, who: Answering, question: Question): Promise<Told> {
  return progress.step(text, () => watch.time('answers', who.answer(question, call.signal)));
}

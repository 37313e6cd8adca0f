// What verbs with an engine in this process share.
import { ProbeHost } from '../engine/host';
import { runVerb, type ExitCode, type Verb } from './verb';

export interface HostVerb extends Verb {
  readonly host: ProbeHost;
}

/** Runs a verb with an engine host, which is closed when it ends. */
export function runHostVerb(work: (verb: HostVerb) => Promise<ExitCode>): Promise<void> {
  return runVerb(async (verb) => {
    const host = new ProbeHost('cli');
    try {
      return await work({ ...verb, host });
    } finally {
      verb.progress.stop();
      await host.close();
    }
  });
}

// Runs a probe over servers: attaches, asks, compares. The native library is loaded only where a model of this process is an arm.
import type { ServedExperiment, ServersExperiment } from '../../../shared/experiment';
import type { AnswersReport, Report } from '../../../shared/report';
import { countedBetween, readCounters } from '../../attached/counters';
import { orWhatStands, unfinished } from '../modelRun';
import { Stopwatch, type ProbeCall } from '../probe';
import { cache, cacheCoverage, requestsOfCache, withUniqueLine } from './cache';
import { concurrency, concurrencyCoverage, requestsOfConcurrency } from './concurrency';
import { Findings } from './findings';
import { LocalModel } from './localModel';
import { repeat, repeatCoverage, requestsOfRepeat } from './repeat';
import { reportOf, type LocalArm, type ServedOrigin } from './report';
import { requestsOfRescore, rescore, rescoreCoverage } from './rescore';
import { AttachedServer, type Answering } from './server';
import { Progress, type ServedCoverage, type ServedRun } from './servedRun';
import { requestsOfServers, servers, serversCoverage } from './servers';
import { overall } from './verdict';

export interface ServedCall {
  readonly experiment: ServedExperiment;
  readonly origin: ServedOrigin;
  /** Bearer tokens by origin of a server. */
  readonly bearerTokens: Readonly<Record<string, string>>;
  readonly call: ProbeCall;
  readonly keep: (report: Report) => Promise<void>;
  /** Loads a model into this process. */
  readonly load: (folder: string) => Promise<Pick<LocalArm, 'engine' | 'model'>>;
}

/** Whoever arm B is, of experiments that have one. */
interface Other {
  readonly server: AttachedServer | null;
  readonly local: LocalArm | null;
}

async function otherOf({ other }: ServersExperiment, { bearerTokens, call, load }: ServedCall): Promise<Other> {
  if (other.type === 'server') return { server: await AttachedServer.attach(other, bearerTokens, call.signal), local: null };
  const { engine, model } = await load(other.folder);
  return { server: null, local: { engine, model, arm: await LocalModel.open(model, other.switches, { signal: call.signal }) } };
}

/** What the probe of a kind covers, and how many requests it sends. */
interface Facts<E> {
  readonly coverage: (experiment: E) => ServedCoverage;
  readonly requests: (experiment: E) => number;
}

const facts: { readonly [E in ServedExperiment as E['kind']]: Facts<E> } = {
  repeat: { coverage: repeatCoverage, requests: requestsOfRepeat },
  cache: { coverage: cacheCoverage, requests: requestsOfCache },
  concurrency: { coverage: concurrencyCoverage, requests: requestsOfConcurrency },
  servers: { coverage: serversCoverage, requests: requestsOfServers },
  rescore: { coverage: rescoreCoverage, requests: requestsOfRescore },
};

/** The entry of an experiment's own kind, which the compiler cannot follow. */
const factsOf = (experiment: ServedExperiment): Facts<ServedExperiment> => facts[experiment.kind] as Facts<ServedExperiment>;

function probe(run: ServedRun, other: Answering | null): Promise<void> {
  const { experiment } = run;
  switch (experiment.kind) {
    case 'repeat':
      return repeat({ ...run, experiment });
    case 'cache':
      return cache({ ...run, experiment });
    case 'concurrency':
      return concurrency({ ...run, experiment });
    case 'rescore':
      return rescore({ ...run, experiment });
    case 'servers':
      if (other === null) throw new Error('server parity has no arm B');
      return servers({ ...run, experiment }, other);
  }
}

/** Throws a Problem when there is nothing to report. */
export async function runServed(served: ServedCall): Promise<Report> {
  const { experiment, origin, bearerTokens, call, keep } = served;
  call.onProgress?.({ text: 'attaching to the server', done: 0, total: 0 });
  const watch = new Stopwatch();
  const server = await watch.time('attach', AttachedServer.attach(experiment.server, bearerTokens, call.signal));
  server.require(experiment.kind === 'rescore' ? 'completions' : experiment.endpoint);
  const other = experiment.kind === 'servers' ? await otherOf(experiment, served) : { server: null, local: null };
  if (experiment.kind === 'servers') other.server?.require(experiment.endpoint);
  try {
    const attached = [server, ...(other.server === null ? [] : [other.server])];
    const before = await counters(attached, call);
    const findings = new Findings(experiment.kind === 'cache' ? withUniqueLine(experiment.prompts) : experiment.prompts);
    for (const { profile } of attached) for (const note of profile.notes) findings.note(note);
    const profiles = attached.map(({ profile }) => profile);
    const report = (reason: string): AnswersReport | null =>
      findings.compared.length === 0 && reason !== '' ? null : reportOf({ origin, experiment, findings, profiles, local: other.local, coverage: factsOf(experiment).coverage(experiment), verdict: overall(findings.compared, findings.noise), cost: watch.cost }, reason);
    const keepSoFar = async (): Promise<void> => {
      const partial = report(unfinished);
      if (partial !== null) await keep(partial);
    };
    const run: ServedRun = { experiment, server, findings, call, watch, keep: keepSoFar, progress: new Progress(call, factsOf(experiment).requests(experiment)) };
    return await orWhatStands(
      call,
      async () => {
        await probe(run, other.server ?? other.local?.arm ?? null);
        findings.counters = await counted(attached, before, call);
      },
      report,
    );
  } finally {
    await other.local?.arm.close();
  }
}

type Counters = readonly Awaited<ReturnType<typeof readCounters>>[];

const counters = (attached: readonly AttachedServer[], { signal }: ProbeCall): Promise<Counters> => Promise.all(attached.map(({ target }) => readCounters(target, signal)));

async function counted(attached: readonly AttachedServer[], before: Counters, call: ProbeCall): Promise<Findings['counters']> {
  const after = await counters(attached, call);
  return attached.flatMap((server, i) => {
    const between = countedBetween(before[i] ?? null, after[i] ?? null);
    return between === null ? [] : [{ server: server.name, ...between }];
  });
}


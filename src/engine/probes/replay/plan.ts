// What a replay walks over: prompt, accept list, reference transcript, all of it checked before the first round.
import { limits, type ReplayExperiment, type RewindExperiment } from '../../../shared/experiment';
import { greatest } from '../../../shared/extremes';
import { formatCount } from '../../../shared/format';
import type { PromptFacts } from '../../../shared/results/parts';
import type { LogFacts, ReplayResult, Schedule } from '../../../shared/results/replay';
import { badInput } from '../../problem';
import { classicDecode } from '../../speculative/classic';
import { splitSwitches } from '../../speculative/burstSwitches';
import type { ModelRun } from '../modelRun';
import type { Stopwatch } from '../probe';
import { checkIds, checkLength, promptOf } from '../prompts';
import type { Sessions } from '../sessions';
import { acceptsOf, type Accepted } from './accepts';
import { logFindings, notesOf } from './logFindings';
import { checkKept, cycled, logged } from './schedule';

export interface ReplayPlan {
  readonly prompt: PromptFacts;
  readonly reference: Omit<ReplayResult['reference'], 'leavesAt'>;
  readonly schedule: Schedule;
  /** Rows of the widest block: a log that says its widths runs at these. */
  readonly width: number;
  readonly log: LogFacts | null;
  /** The log's drafts of every round, null without. */
  readonly drafts: readonly (readonly number[])[] | null;
  readonly batch: number;
}

type Run = ModelRun<ReplayExperiment | RewindExperiment>;

export async function planReplay(run: Run, sessions: Sessions, watch: Stopwatch): Promise<ReplayPlan> {
  const { experiment, model, call } = run;
  const { width } = experiment;
  const batch = experiment.kind === 'rewind' ? experiment.batch : 1;
  const accepts = await acceptsOf(experiment, call);
  if (accepts.widths === null) checkKept(accepts.kept, width, accepts.place);
  if (experiment.kind === 'replay' && experiment.fills.includes('logged') && accepts.drafts === null) {
    throw badInput('The rejected rows cannot hold the logged drafts: this accept list has no token ids', accepts.place, 'Use --fill wrong, or a log with the ids of every round (grade A)');
  }
  const prompt = await promptFor(run, accepts);
  const tokens = tokensFor(experiment, accepts);
  if (tokens > limits.promptIds) throw badInput(`The log keeps ${formatCount(tokens)} rows, at most ${formatCount(limits.promptIds)} are walked over`, accepts.place, 'Choose another burst of it');
  const reference = await referenceFor(run, accepts, { promptIds: prompt.ids, tokens }, sessions, watch);
  checkLength(prompt.ids.length, reference.ids.length, model.info, 'fewer tokens');
  const schedule = accepts.widths === null ? cycled(accepts.kept, width, reference.ids.length, batch) : logged(accepts.kept, accepts.widths);
  return { prompt, reference, schedule, width: accepts.widths === null ? width : greatest(schedule.rows), log: factsWith(accepts, schedule, prompt, model.info.fingerprint), drafts: accepts.drafts, batch };
}

function factsWith(accepts: Accepted, schedule: Schedule, prompt: PromptFacts, fingerprint: string): LogFacts | null {
  const { log } = accepts;
  return log === null ? null : { ...log, findings: [...log.findings, ...logFindings(log, schedule)], notes: notesOf(accepts, prompt, fingerprint) };
}

async function promptFor({ experiment, model, call }: Run, accepts: Accepted): Promise<PromptFacts> {
  if (experiment.prompt.type !== 'default' || accepts.promptIds === null) return promptOf(model, experiment.prompt, call.signal);
  checkIds(accepts.promptIds, model.info, 'prompt of the log');
  return { source: 'log', ids: [...accepts.promptIds] };
}

/** A log is walked to its end, a list as far as asked. */
function tokensFor({ tokens, reference }: Run['experiment'], { log, keptSum }: Accepted): number {
  if (log !== null) return keptSum;
  return reference === null ? tokens : Math.min(tokens, reference.length);
}

interface Walk {
  readonly promptIds: readonly number[];
  readonly tokens: number;
}

async function referenceFor(run: Run, accepts: Accepted, walk: Walk, sessions: Sessions, watch: Stopwatch): Promise<ReplayPlan['reference']> {
  const { promptIds, tokens } = walk;
  const { experiment, model } = run;
  const given = experiment.reference ?? accepts.reference;
  if (given !== null) {
    checkIds(given, model.info, 'reference');
    if (accepts.log !== null && given.length < tokens) {
      throw badInput(`The reference has ${formatCount(given.length)} ids, the log keeps ${formatCount(tokens)} rows`, accepts.place, 'Give the whole transcript, or none: then the model writes its own');
    }
    return { source: experiment.reference === null ? 'log' : 'ids', ids: given.slice(0, tokens) };
  }
  checkLength(promptIds.length, tokens, model.info, 'fewer tokens');
  return { source: 'greedy', ids: await greedy(run, walk, sessions, watch) };
}

/** The model's own greedy continuation, classic. */
async function greedy({ experiment, model, call }: Run, { promptIds, tokens }: Walk, sessions: Sessions, watch: Stopwatch): Promise<number[]> {
  const { signal } = call;
  const session = await sessions.fresh(model, splitSwitches(experiment.switches).engine, { signal });
  const step = await watch.time('prefill', session.prefill(promptIds, { signal }));
  step.close();
  const onToken = (done: number): void => call.onProgress?.({ text: `reference · token ${formatCount(done)} of ${formatCount(tokens)}`, done, total: tokens });
  const [row] = await watch.time('reference', classicDecode(session, step, { tokens, eos: new Set(), top: 1, context: model.info.context, signal, onToken }));
  return row?.ids ?? [];
}


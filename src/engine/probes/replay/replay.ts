// Probe "replay": an accept sequence over a reference transcript. Every kept row is compared with the classic chain.
import type { ReplayExperiment } from '../../../shared/experiment';
import { leavesBeforeRounds } from '../../../shared/followUp';
import { formatCount, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { TokenTexts } from '../../../shared/results/parts';
import type { ReplayResult, ReplayRun } from '../../../shared/results/replay';
import { gravest, type Verdict } from '../../../shared/verdict';
import { armsOf, namesOf } from '../arms';
import { compareStates } from '../bisectState';
import { checkBurstSwitches } from '../checkSwitches';
import { firstDiffering, otherChoices } from '../choices';
import { promisesExact } from '../exactKernels';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { Stopwatch } from '../probe';
import { Sessions } from '../sessions';
import { tokenTexts } from '../tokenTexts';
import { splitSwitches } from '../../speculative/burstSwitches';
import { startArms, type Started } from './arms';
import { coverageOf } from './coverage';
import { planReplay, type ReplayPlan } from './plan';
import { countsOf } from './schedule';
import { attribute, decideReplay, nothingDiffers, placeOf } from './verdict';
import { shiftOf } from './logFindings';
import { roundsOf } from './rounds';

/** Throws a Problem for input that the model cannot take, before any work. */
export async function replay(run: ModelRun<ReplayExperiment>): Promise<Report> {
  const { experiment, model, call } = run;
  checkBurstSwitches(experiment.switches, model.info);
  const watch = new Stopwatch();
  const sessions = new Sessions();
  try {
    const plan = await planReplay(run, sessions, watch);
    const started = await startArms(run, plan, sessions, watch);
    const ended: Ended = { state: [], texts: null };
    const report = (incompleteReason: string): Report | null => reportOf(run, plan, started, { ...ended, cost: watch.cost }, incompleteReason);
    return await orWhatStands(
      call,
      async () => {
        await drive(run, plan, started, report);
        ended.state = await finalStates(run, started, watch);
        ended.texts = await readable(run, plan, started);
      },
      report,
    );
  } finally {
    sessions.close();
  }
}

/** What is known at the end alone. */
interface Ended {
  state: ReplayRun['state'][];
  texts: TokenTexts | null;
}

/** Rounds between two partial reports. */
const keepEvery = 16;

async function drive({ call, keep }: ModelRun, { schedule, reference }: ReplayPlan, { lockstep }: Started, report: (reason: string) => Report | null): Promise<void> {
  const rounds = roundsOf(schedule, reference.ids);
  for (const round of rounds) {
    call.onProgress?.({ text: `round ${formatCount(round.index + 1)} of ${formatCount(rounds.length)} · token ${formatCount(round.at)}`, done: round.at, total: reference.ids.length });
    await lockstep.round([round]);
    if (round.index % keepEvery !== keepEvery - 1) continue;
    const partial = report(unfinished);
    if (partial !== null) await keep(partial);
  }
}

async function finalStates({ engine, model, call }: ModelRun, { lockstep, chain }: Started, watch: Stopwatch): Promise<ReplayRun['state'][]> {
  const states: ReplayRun['state'][] = [];
  for (const arm of lockstep.arms) states.push(await watch.time('state', compareStates(engine, model.info, chain, arm.session, { signal: call.signal })));
  return states;
}

function readable({ model, call }: ModelRun, { prompt, reference }: ReplayPlan, { lockstep }: Started): Promise<TokenTexts> {
  const chosen = lockstep.arms.flatMap(({ choices: { rows } }) => [...rows.argmaxA, ...rows.argmaxB]);
  return tokenTexts(model, [...prompt.ids, ...reference.ids, ...chosen], { signal: call.signal });
}

function reportOf(run: ModelRun<ReplayExperiment>, plan: ReplayPlan, started: Started, { state: states, texts, cost }: Readonly<Ended> & { readonly cost: Stopwatch['cost'] }, incompleteReason: string): Report | null {
  const { lockstep, switches, notes } = started;
  if (lockstep.chosen.length < 2) return null;
  const noise = lockstep.noiseWith(started.orders);
  const exact = promisesExact(switches);
  const runs = lockstep.arms.map(({ form, fill, choices, kernels, misdropped, rewinds }, i): ReplayRun => {
    const undecided = { form, fill, rows: choices.rows, rewinds, misdropped, state: states[i] ?? [], kernels: namesOf(kernels) };
    return {
      ...undecided,
      first: placeOf(firstDiffering(choices.rows), plan.schedule),
      firstChoice: placeOf(otherChoices(choices.rows)[0] ?? -1, plan.schedule),
      verdict: decideReplay(undecided, plan.schedule, noise, exact),
    };
  });
  const { reference, schedule, prompt, log } = plan;
  const counts = countsOf(schedule);
  const leavesAt = reference.ids.findIndex((id, i) => i < lockstep.chosen.length && lockstep.chosen[i] !== id);
  const result: ReplayResult = { width: plan.width, ...counts, prompt, reference: { ...reference, leavesAt }, schedule, log, runs, noise, attribution: incompleteReason === '' ? pointedTo(runs, { ...reference, leavesAt }, log, lockstep.chosen) : attribute(runs), ...(texts === null ? {} : { texts }) };
  const { burst } = splitSwitches(run.experiment.switches);
  const arms = armsOf({ switches, burst, notes, threads: lockstep.threads, isa: lockstep.isa, kernelsA: lockstep.kernels, kernelsB: runs.flatMap(({ kernels }) => kernels) });
  const reached = `${plural(lockstep.rounds, 'round')} of ${formatCount(counts.rounds)} had been run; the state at the end was not reached.`;
  const common = { verdict: overall(runs, result), coverage: coverageOf(result, run.model.info), arms, cost, threadsUsed: lockstep.threads, reached };
  return { ...baseOf(run, incompleteReason, common), kind: 'replay', experiment: run.experiment, replay: result };
}

/** What differing arms point to; and where none differs but the log's text is not the model's own, what came before the rounds. */
function pointedTo(runs: readonly ReplayRun[], reference: ReplayResult['reference'], log: ReplayResult['log'], chosen: readonly number[]): string {
  const { ids, leavesAt } = reference;
  const shift = shiftOf(chosen, ids);
  if (!leavesBeforeRounds({ runs, reference, log }) || shift !== '') return `${attribute(runs)}${shift}`;
  return `Blocks, rejected rows and rewinds give the bytes of single steps, yet the text of the log leaves what the model itself chooses at token ${formatCount(leavesAt)}: what came before the first round did it. Compare the prefills.${log?.prefill === 'verify' ? ' The log says that its prompt ran as one verify block (burst.prefill verify), this replay prefilled as classic decode does.' : ''}`;
}

/** The gravest arm speaks, with the counts; a log that does not hold is a defect of its own. */
function overall(runs: readonly ReplayRun[], { rounds, rewinds, keptSum, log, attribution, reference }: ReplayResult): Verdict {
  const word = gravest([...runs.map(({ verdict }) => verdict.word), ...(log !== null && log.findings.length > 0 ? (['defect'] as const) : [])]);
  const worst = runs.find(({ verdict }) => verdict.word === word);
  const counts = `${plural(rounds, 'round')}, ${plural(rewinds, 'rewind')}, ${plural(keptSum, 'kept row')}`;
  const finding = log?.findings[0] ?? log?.notes[0];
  const arm = worst === undefined || runs.length === 1 ? '' : ` (${worst.form} form${worst.form === 'block' ? `, ${worst.fill} ids in rejected rows` : ''})`;
  const left = word === 'equal' && reference.leavesAt >= 0;
  const verdict = worst?.verdict.sentence ?? '';
  const said = [left ? `${verdict.slice(0, -1)}; yet ${leaving(reference)}.` : verdict, finding ?? '', word === 'equal' && (!left || attribution === nothingDiffers) ? '' : attribution, `${counts}${arm}.`];
  return { word, sentence: said.filter((part) => part !== '').join(' ') };
}

/** Equal forwards are half of what a replay shows: its first sentence, which a page has as its headline, says the other half too. */
function leaving({ source, leavesAt }: ReplayResult['reference']): string {
  const whose = { greedy: 'its tokens', ids: 'the given tokens', log: "the log's tokens" }[source];
  return `${whose} leave what the model itself chooses at token ${formatCount(leavesAt)}`;
}

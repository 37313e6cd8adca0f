// Probe "gate": whether blocks of each width are exact enough to be served, and what to do about it.
import type { GateExperiment } from '../../../shared/experiment';
import { capitalise, formatWidths, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { GateResult, GateWidth } from '../../../shared/results/gate';
import { gravest, type Verdict, type VerdictWord } from '../../../shared/verdict';
import { splitSwitches } from '../../speculative/burstSwitches';
import { widthOf } from '../../speculative/width';
import type { DrafterInfo } from '../../types';
import { armsOf } from '../arms';
import { checkBurstSwitches } from '../checkSwitches';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { Stopwatch } from '../probe';
import { Gatekeeper, type AskedWidth } from './gatekeeper';

/** Throws a Problem for input that the model cannot take, before any work. */
export async function gate(run: ModelRun<GateExperiment>): Promise<Report> {
  const { engine, model, experiment, call, keep, memo } = run;
  checkBurstSwitches(experiment.switches, model.info);
  const watch = new Stopwatch();
  const drafter = experiment.drafter === null ? null : await model.drafter(experiment.drafter, { signal: call.signal });
  try {
    const asked = widthsOf(experiment, drafter?.info ?? null);
    const found: GateWidth[] = [];
    const progress = { done: 0, total: asked.length };
    const context = { engine, model, watch, call: { signal: call.signal }, taps: drafter?.info.taps ?? [] };
    const keeper = new Gatekeeper(context, memo, experiment, (text) => call.onProgress?.({ text, ...progress }));
    const report = (reason: string): Report | null => (found.length === 0 && reason !== '' ? null : reportOf(run, [...found], keeper, watch, reason));
    return await orWhatStands(
      call,
      async () => {
        for (const width of asked) {
          found.push(await keeper.ask(width, splitSwitches(experiment.switches).engine, experiment.override));
          progress.done += 1;
          const partial = report(unfinished);
          if (partial !== null) await keep(partial);
        }
      },
      report,
    );
  } finally {
    drafter?.close();
  }
}

function widthsOf({ widths }: GateExperiment, drafter: DrafterInfo | null): AskedWidth[] {
  return [...new Set(widths)].map((asked) => ({ asked, used: drafter === null ? asked : widthOf(drafter, asked).used }));
}

const words: Readonly<Record<GateWidth['decision'], VerdictWord>> = { engage: 'equal', decline: 'declined', override: 'drift' };

function overall(widths: readonly GateWidth[]): Verdict {
  const of = (decision: GateWidth['decision']): number[] => widths.filter((one) => one.decision === decision).map(({ used }) => used);
  const [engaged, declined, overridden] = [of('engage'), of('decline'), of('override')];
  const first = widths.find(({ decision }) => decision !== 'engage');
  const parts = [
    ...(overridden.length === 0 ? [] : [`${formatWidths(overridden)} OVERRIDDEN, not exact`]),
    ...(declined.length === 0 ? [] : [`${formatWidths(declined)} declined`]),
    ...(engaged.length === 0 ? [] : [`${formatWidths(engaged)} exact on what was tried`]),
  ];
  const sentence = `${parts.join('; ')}.${first === undefined ? '' : ` Width ${first.used}: ${first.reason}.`}`;
  return { word: gravest(widths.map(({ decision }) => words[decision])), sentence: capitalise(sentence) };
}

function reportOf(run: ModelRun<GateExperiment>, widths: GateWidth[], { ran }: Gatekeeper, watch: Stopwatch, incompleteReason: string): Report {
  const { experiment } = run;
  const [first] = ran;
  const switches = widths[0]?.attempt.switches ?? {};
  const result: GateResult = { batch: experiment.batch, widths, memoKey: ['model fingerprint', 'switches, threads among them', 'width', 'instruction set', 'draws, prompt length, walk and batch', 'captured taps'], override: experiment.override };
  const { draws, promptLength, walk, batch } = experiment;
  const coverage = {
    compared: [
      `${plural(draws, 'draw')} of synthetic ids${batch === 1 ? '' : ` in each of ${batch} batch rows`}: a prompt of ${promptLength} and one block, row by row against single steps${batch === 1 ? '' : ' of the same batch'} from the same production prefill`,
      ...(walk === 0 ? [] : [`a walk of ${plural(walk, 'token')} in full blocks, and the same with rejected rows (wrong ids in them) and rewinds; the whole state at the end of each`]),
    ],
    notCovered: [
      'the prefill: both arms start from one, so the prefill comparison has to see it',
      'real text and real drafts: a pass holds for the synthetic ids that were tried',
      `more than ${plural(Math.max(walk, 1), 'token')} after the prompt, and other prompt lengths than ${promptLength}`,
      batch === 1 ? 'more than one row in a batch' : `other batches than ${batch} rows of one length that keep as many rows each`,
      'prompt caches',
      ...(experiment.drafter === null ? ['blocks whose layers are captured for a drafter'] : []),
    ],
  };
  const arms = armsOf({
    switches,
    burst: null,
    notes: first?.notes ?? [],
    threads: first?.threads ?? 0,
    isa: first?.isa ?? '',
    kernelsA: ran.flatMap(({ chainKernels }) => chainKernels),
    kernelsB: ran.flatMap(({ kernels }) => kernels),
    seeds: 'as of block-versus-chain probes in the field: (i*stride + offset + salt) mod vocab',
  });
  return { ...baseOf(run, incompleteReason, { verdict: overall(widths), coverage, arms, cost: watch.cost, threadsUsed: first?.threads ?? 0 }), kind: 'gate', experiment, gate: result };
}

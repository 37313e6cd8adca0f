// Probe "switches": one experiment under every combination of some switches, and for each switch whether it is live at all.
import type { SwitchesExperiment } from '../../../shared/experiment';
import { formatCount, formatList, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import { probeNames } from '../../../shared/reportFacts';
import type { Combination, SwitchControl } from '../../../shared/results/switches';
import { gravest, type Verdict, type VerdictWord } from '../../../shared/verdict';
import { badInput, throwIfCancelled } from '../../problem';
import { namesOf } from '../arms';
import { checkBurstSwitches } from '../checkSwitches';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { Stopwatch } from '../probe';
import { combinationsOf, controlsOf } from './controls';
import { witnessOf } from './witness';

const mostCombinations = 64;

type RunProbe = (run: ModelRun) => Promise<Report>;

interface Done {
  readonly combination: Combination;
  readonly report: Report;
}

/** Throws a Problem for switches that the model does not have, before any work. */
export async function switchMatrix(run: ModelRun<SwitchesExperiment>, runProbe: RunProbe): Promise<Report> {
  const { experiment, model, call, keep } = run;
  const choices = combinationsOf(experiment.matrix);
  if (choices.length > mostCombinations) throw badInput(`These switches have ${formatCount(choices.length)} combinations, at most ${mostCombinations} are run`, 'matrix', 'Choose fewer switches or values');
  for (const choice of choices) checkBurstSwitches(choice, model.info);
  const watch = new Stopwatch();
  const done: Done[] = [];
  const report = (reason: string): Report | null => (done.length === 0 && reason !== '' ? null : reportOf(run, done, choices.length, watch.cost, reason));
  return orWhatStands(
    call,
    async () => {
      for (const [i, choice] of choices.entries()) {
        throwIfCancelled(call.signal);
        const name = Object.entries(choice).map(([key, value]) => `${key}=${value}`).join(' ');
        const base = { ...experiment.base, model: experiment.model, switches: { ...experiment.base.switches, ...choice } };
        const onProgress = ({ text }: { text: string }): void => call.onProgress?.({ text: `${name} · ${text}`, done: i, total: choices.length });
        const one = await watch.time('probe', runProbe({ ...run, experiment: base, call: { ...call, onProgress }, keep: () => Promise.resolve() }));
        if (!one.complete) throwIfCancelled(call.signal);
        const witness = await watch.time('witness', witnessOf(model, base.switches, { signal: call.signal }));
        done.push({ combination: { switches: choice, verdict: one.verdict, complete: one.complete, ...witness }, report: one });
        const partial = report(unfinished);
        if (partial !== null) await keep(partial);
      }
    },
    report,
  );
}

function reportOf(run: ModelRun<SwitchesExperiment>, done: readonly Done[], planned: number, cost: Stopwatch['cost'], incompleteReason: string): Report {
  const { experiment } = run;
  const found = done.map(({ combination }) => combination);
  const reports = done.map(({ report }) => report);
  const controls = controlsOf(experiment.matrix, found);
  const [first] = reports;
  const arms = {
    switches: first?.provenance.switchesA ?? {},
    threads: first?.provenance.threads ?? 0,
    isa: first?.provenance.isa ?? '',
    notes: [],
    kernelsA: namesOf(reports.flatMap(({ provenance }) => provenance.kernelsA)),
    kernelsB: namesOf(reports.flatMap(({ provenance }) => provenance.kernelsB)),
    seeds: 'of the witness: a synthetic prompt, two single steps and a block of 8',
  };
  const coverage = {
    compared: [
      `${probeNames[experiment.base.kind]} under ${formatCount(found.length)} of ${plural(planned, 'combination')} of ${formatList(experiment.matrix.map(({ name }) => name))}`,
      'bytes of every tap, and kernels, of one prefill, single steps and a verify block under each combination: what shows a switch to be live',
      ...(first?.coverage.compared ?? []),
    ],
    notCovered: ['other switches than these', 'whether a switch that is void here is live on another model, length or machine', ...(first?.coverage.notCovered ?? [])],
  };
  const common = { verdict: overall(found, controls), coverage, arms, cost, threadsUsed: first?.run.threads ?? 0 };
  return { ...baseOf(run, incompleteReason, common), kind: 'switches', experiment, switches: { probe: experiment.base.kind, combinations: found, controls } };
}

function overall(found: readonly Combination[], controls: readonly SwitchControl[]): Verdict {
  if (found.length === 0) return { word: 'void', sentence: 'Nothing was run.' };
  const count = (word: VerdictWord): number => found.filter(({ verdict }) => verdict.word === word).length;
  const words = (['equal', 'drift', 'tie', 'defect', 'declined', 'void'] as const).flatMap((word) => (count(word) === 0 ? [] : [`${count(word)} ${word}`]));
  const inert = controls.filter(({ live, evidence }) => live === 'void' && !evidence.startsWith('not reached')).map(({ name }) => name);
  const deciding = controls.filter(({ decides }) => decides).map(({ name }) => name);
  const word = controls.every(({ live }) => live === 'void') ? 'void' : gravest(found.map(({ verdict }) => verdict.word));
  const sentence = [
    `Of ${plural(found.length, 'combination')}: ${words.join(', ')}.`,
    deciding.length === 0 ? 'No switch decides the verdict by itself.' : `The verdict changes with ${formatList(deciding)}.`,
    ...(inert.length === 0 ? [] : [`Inert here, so void as ${inert.length === 1 ? 'a control' : 'controls'}: ${formatList(inert)}.`]),
  ].join(' ');
  return { word, sentence };
}

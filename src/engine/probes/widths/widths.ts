// Probe "widths": every width with its throughput, acceptance and exactness, between passes of classic decode, in rounds of rotating order.
import { greatest } from '../../../shared/extremes';
import type { WidthsExperiment } from '../../../shared/experiment';
import { capitalise, formatWidths, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { DrafterFacts } from '../../../shared/results/parity';
import type { GateWidth } from '../../../shared/results/gate';
import type { PromptFacts } from '../../../shared/results/parts';
import type { SweptWidth } from '../../../shared/results/widths';
import { gravest, type Verdict, type VerdictWord } from '../../../shared/verdict';
import { splitSwitches } from '../../speculative/burstSwitches';
import { widthsOf } from '../../speculative/width';
import { throwIfCancelled } from '../../problem';
import type { Drafter, Session } from '../../types';
import { armsOf, namesOf } from '../arms';
import { checkBurstSwitches } from '../checkSwitches';
import { drafterFacts } from '../drafterFacts';
import { briefGate } from '../gate/checks';
import { Gatekeeper } from '../gate/gatekeeper';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { Stopwatch } from '../probe';
import { checkLength, longest, promptsOf } from '../prompts';
import { burstPass, classicPass, type Pass, type PassContext } from './pass';
import { Timings } from './timings';

/** Throws a Problem for input that model or drafter cannot take, before any work. */
export async function widths(run: ModelRun<WidthsExperiment>): Promise<Report> {
  const { experiment, model, call } = run;
  checkBurstSwitches(experiment.switches, model.info);
  const prompts = await promptsOf(model, experiment.prompts, call.signal);
  checkLength(longest(prompts), experiment.tokens + greatest(experiment.widths), model.info, 'fewer tokens');
  const options = { signal: call.signal };
  const drafter = await model.drafter(experiment.drafter, options);
  const session = await model.open(splitSwitches(experiment.switches).engine, options).catch((error: unknown) => {
    drafter.close();
    throw error;
  });
  try {
    const facts = await drafterFacts(drafter, splitSwitches(experiment.switches).engine, options);
    return await new Sweep(run, drafter, facts, session, prompts).run();
  } finally {
    session.close();
    drafter.close();
  }
}

class Sweep {
  private readonly watch = new Stopwatch();
  private readonly timings = new Timings();
  private readonly gates: GateWidth[] = [];
  private readonly passes = new Map<number, Pass>();
  private readonly context: PassContext;
  private classic: Pass | null = null;
  private isa = '';
  private threads = 0;
  private done = 0;

  constructor(
    private readonly its: ModelRun<WidthsExperiment>,
    private readonly drafter: Drafter,
    private readonly facts: DrafterFacts,
    /** For the switches as the engine resolved them. */
    private readonly session: Session,
    private readonly prompts: readonly PromptFacts[],
  ) {
    const { experiment, model, call } = its;
    const { engine: switches, burst } = splitSwitches(experiment.switches);
    const eos = new Set(experiment.ignoreEos ? [] : model.info.eos);
    this.context = { model, drafter, prompts: prompts.map(({ ids }) => ids), tokens: experiment.tokens, eos, switches, burst, call: { signal: call.signal } };
  }

  run(): Promise<Report> {
    return orWhatStands(this.its.call, () => this.work(), (reason) => (this.passes.size === 0 && reason !== '' ? null : this.report(reason)));
  }

  private async work(): Promise<void> {
    const { experiment, engine, model, memo, keep } = this.its;
    const keeper = new Gatekeeper({ engine, model, watch: this.watch, call: this.context.call, taps: this.drafter.info.taps }, memo, briefGate(model.info), (text) => this.progress(`gate · ${text}`));
    // A width is measured although the gate declines it: its price is what one wants to know. The verdict says that it is not exact.
    for (const width of widthsOf(this.drafter.info, experiment.widths)) this.gates.push(await keeper.ask(width, this.context.switches, false));
    const [ran] = keeper.ran;
    this.isa = ran?.isa ?? String(this.session.switches['isa'] ?? '');
    this.threads = ran?.threads ?? Number(this.session.switches['threads'] ?? 0);
    // Code and caches are cold in a first pass.
    this.classic = await this.pass('warm-up', () => classicPass(this.context));
    for (let repeat = 0; repeat < experiment.repeats; repeat += 1) {
      await this.repeat(repeat);
      await keep(this.report(unfinished));
    }
  }

  private async repeat(repeat: number): Promise<void> {
    const name = `repeat ${repeat + 1} of ${this.its.experiment.repeats}`;
    this.timings.addOpen(await this.pass(`${name} · classic, open`, () => classicPass(this.context)));
    const arms = [0, ...new Set(this.gates.map(({ used }) => used))];
    const shift = repeat % arms.length;
    for (const width of [...arms.slice(shift), ...arms.slice(0, shift)]) {
      const pass = await this.pass(`${name} · ${width === 0 ? 'classic, again' : `width ${width}`}`, () => (width === 0 ? classicPass(this.context) : burstPass(this.context, width)));
      this.timings.add(width === 0 ? 'classic, again' : `width ${width}`, width, pass);
      if (width > 0) this.passes.set(width, pass);
    }
    this.timings.addClose(await this.pass(`${name} · classic, close`, () => classicPass(this.context)));
  }

  private async pass(text: string, work: () => Promise<Pass>): Promise<Pass> {
    throwIfCancelled(this.its.call.signal);
    this.progress(text);
    const pass = await this.watch.time('passes', work());
    this.done += 1;
    return pass;
  }

  private progress(text: string): void {
    const { repeats, widths: asked } = this.its.experiment;
    this.its.call.onProgress?.({ text, done: this.done, total: 1 + repeats * (3 + new Set(asked).size) });
  }

  private swept({ asked, used, decision, reason }: GateWidth): SweptWidth {
    const pass = this.passes.get(used);
    const rounds = pass?.bursts.flatMap((burst) => burst.rounds) ?? [];
    const equalPrompts = pass?.ids.filter((ids, i) => ids.join() === this.classic?.ids[i]?.join()).length ?? 0;
    const accepted = rounds.reduce((sum, round) => sum + (round.rows[0]?.accepted ?? 0), 0);
    return {
      asked,
      used,
      decision,
      reason,
      rounds: rounds.length,
      proposed: rounds.reduce((sum, round) => sum + round.width - 1, 0),
      accepted,
      emitted: pass?.ids.reduce((sum, { length }) => sum + length, 0) ?? 0,
      equalPrompts,
      kernels: namesOf(pass?.kernels ?? []),
      verdict: verdictOf(decision, reason, equalPrompts, this.prompts.length, pass !== undefined),
    };
  }

  private report(incompleteReason: string): Report {
    const { experiment } = this.its;
    const swept = this.gates.map((gate) => this.swept(gate));
    const { switches, notes } = this.session;
    const arms = armsOf({
      switches,
      burst: this.context.burst,
      notes,
      threads: this.threads,
      isa: this.isa,
      kernelsA: this.classic?.kernels ?? [],
      kernelsB: swept.flatMap(({ kernels }) => kernels),
    });
    const coverage = {
      compared: [
        `classic decode and ${plural(swept.length, 'width')} over ${plural(this.prompts.length, 'prompt')}, ${plural(experiment.tokens, 'token')} each, ${plural(experiment.repeats, 'repeat')} in rotating order, each opened and closed by classic decode, with a second classic arm as null arm`,
        'the emitted ids of every width against classic decode, and the exactness gate of every width',
      ],
      notCovered: ['other prompts, lengths and machines; what else ran on this one', 'more than one row in a batch', 'sampling above temperature 0', 'the memory that each width takes'],
    };
    const base = baseOf(this.its, incompleteReason, { verdict: overall(swept), coverage, arms, cost: this.watch.cost, threadsUsed: this.threads });
    const result = { drafter: this.facts, prompts: [...this.prompts], widths: swept, classicEmitted: this.classic?.ids.reduce((sum, { length }) => sum + length, 0) ?? 0 };
    return { ...base, run: { ...base.run, sweep: this.timings.finish() }, kind: 'widths', experiment, widths: result };
  }
}

function verdictOf(decision: GateWidth['decision'], reason: string, equal: number, all: number, ran: boolean): Verdict {
  if (!ran) return { word: 'void', sentence: 'It did not run.' };
  const text = `${equal} of ${plural(all, 'prompt')} got the ids of classic decode`;
  if (decision === 'engage') return equal === all ? { word: 'equal', sentence: `Exact on what the gate tried; ${text}.` } : { word: 'defect', sentence: `The gate passes it, yet ${text}.` };
  return { word: 'declined', sentence: `Measured although the gate declines it: ${reason}. ${text}.` };
}

const widthsByWord: readonly (readonly [VerdictWord, string])[] = [
  ['equal', 'exact on what was tried'],
  ['declined', 'not exact, measured all the same'],
  ['defect', 'passed by the gate, with other text'],
  ['void', 'not run'],
];

function overall(swept: readonly SweptWidth[]): Verdict {
  if (swept.length === 0) return { word: 'void', sentence: 'Nothing was run.' };
  const parts = widthsByWord.flatMap(([one, what]) => {
    const widths = swept.filter(({ verdict }) => verdict.word === one).map(({ used }) => used);
    return widths.length === 0 ? [] : [`${formatWidths(widths)} ${what}`];
  });
  const word = gravest(swept.map(({ verdict }) => verdict.word));
  const sentence = parts.join('; ');
  return { word, sentence: `${capitalise(sentence)}.` };
}

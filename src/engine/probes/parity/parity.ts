// Probe "parity": classic greedy decode against the burst, prompts x widths. A width that the gate declines runs classic, so its text is classic by construction.
import { append } from '../../../shared/append';
import { greatest, least } from '../../../shared/extremes';
import type { ParityExperiment } from '../../../shared/experiment';
import { formatList, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { DrafterFacts, ParityResult, ParityRun, ParityWidth } from '../../../shared/results/parity';
import type { Noise, PromptFacts, TokenTexts } from '../../../shared/results/parts';
import type { GateWidth } from '../../../shared/results/gate';
import type { BurstRound } from '../../speculative/burst';
import { splitSwitches } from '../../speculative/burstSwitches';
import { widthOf, widthsOf } from '../../speculative/width';
import { throwIfCancelled } from '../../problem';
import type { Drafter } from '../../types';
import { armsOf } from '../arms';
import { checkBurstSwitches } from '../checkSwitches';
import { drafterFacts } from '../drafterFacts';
import { promisesExact } from '../exactKernels';
import { briefGate } from '../gate/checks';
import { Gatekeeper, type AskedWidth } from '../gate/gatekeeper';
import { baseOf, orWhatStands, unfinished, type ModelRun } from '../modelRun';
import { larger } from '../numbers';
import { Stopwatch } from '../probe';
import { checkLength, longest, promptsOf } from '../prompts';
import { tokenTexts } from '../tokenTexts';
import { burstGroup } from './burstArm';
import { classicGroup, type ClassicGroup } from './classicArm';
import { compareRow } from './compare';
import { invarianceOf, overall, verdictOf } from './verdict';

/** Throws a Problem for input that model or drafter cannot take, before any work. */
export async function parity(run: ModelRun<ParityExperiment>): Promise<Report> {
  const { experiment, model, call } = run;
  checkBurstSwitches(experiment.switches, model.info);
  // A batch row that has ended keeps a row of junk in every round of the others.
  const most = experiment.batch === 1 ? experiment.tokens : 2 * experiment.tokens;
  const groups = grouped(await promptsOf(model, experiment.prompts, call.signal), experiment.batch);
  checkLength(longest(groups.flatMap(({ prompts }) => prompts)), most + greatest(experiment.widths), model.info, 'fewer tokens');
  const drafter = await model.drafter(experiment.drafter, { signal: call.signal });
  try {
    const facts = await drafterFacts(drafter, splitSwitches(experiment.switches).engine, { signal: call.signal });
    return await new Parity(run, drafter, facts, groups).run();
  } finally {
    drafter.close();
  }
}

interface Group {
  /** Index of its first prompt. */
  readonly first: number;
  readonly prompts: readonly PromptFacts[];
}

/** Rows of a batch have one length: prompts are cut to their last tokens, as many as the shortest of the batch has. */
function grouped(prompts: readonly PromptFacts[], batch: number): Group[] {
  return Array.from({ length: Math.ceil(prompts.length / batch) }, (_, i): Group => {
    const own = prompts.slice(i * batch, (i + 1) * batch);
    const length = least(own.map(({ ids }) => ids.length));
    return { first: i * batch, prompts: own.map(({ source, ids }) => ({ source, ids: ids.slice(-length) })) };
  });
}

class Parity {
  private readonly watch = new Stopwatch();
  private readonly runs: ParityRun[] = [];
  private readonly gates: GateWidth[] = [];
  private readonly classic: ClassicGroup[] = [];
  private readonly kernels = new Set<string>();
  private done = 0;
  private texts: TokenTexts | null = null;

  constructor(
    private readonly its: ModelRun<ParityExperiment>,
    private readonly drafter: Drafter,
    private readonly facts: DrafterFacts,
    private readonly groups: readonly Group[],
  ) {}

  run(): Promise<Report> {
    return orWhatStands(this.its.call, () => this.work(), (reason) => (this.runs.length === 0 && reason !== '' ? null : this.report(reason)));
  }

  private get exact(): boolean {
    return promisesExact(this.classic[0]?.switches ?? {});
  }

  private async work(): Promise<void> {
    const { experiment, keep } = this.its;
    for (const width of widthsOf(this.drafter.info, experiment.widths)) this.gates.push(await this.ask(width));
    for (const group of this.groups) {
      const classic = await this.decode(group);
      this.classic.push(classic);
      for (const gate of this.gates) {
        if (gate.decision === 'decline') append(this.runs, group.prompts.map((_, row) => declined(group.first + row, gate.used, classic, row)));
        else await this.burst(group, classic, gate);
        this.done += 1;
        this.texts = await this.readable();
        await keep(this.report(unfinished));
      }
    }
  }

  private progress(text: string): void {
    this.its.call.onProgress?.({ text, done: this.done, total: this.groups.length * Math.max(1, this.gates.length) });
  }

  private async ask(width: AskedWidth): Promise<GateWidth> {
    const { engine, model, experiment, call, memo } = this.its;
    const context = { engine, model, watch: this.watch, call: { signal: call.signal }, taps: this.drafter.info.taps };
    const { engine: switches } = splitSwitches(experiment.switches);
    // A smaller batch at the end runs other shapes: one that fails decides for the width.
    const sizes = [...new Set(this.groups.map(({ prompts }) => prompts.length))];
    const asked: GateWidth[] = [];
    for (const size of sizes) {
      const keeper = new Gatekeeper(context, memo, briefGate(model.info, size), (text) => this.progress(`gate · ${text}`));
      asked.push(await keeper.ask(width, switches, experiment.gate === 'override'));
    }
    const [first] = [...asked.filter(({ decision }) => decision !== 'engage'), ...asked];
    if (first === undefined) throw new Error('the gate was asked for no batch');
    return first;
  }

  private get context(): { engine: ModelRun['engine']; model: ModelRun['model']; watch: Stopwatch; call: { signal: AbortSignal | undefined }; tokens: number; eos: ReadonlySet<number> } {
    const { engine, model, experiment, call } = this.its;
    return { engine, model, watch: this.watch, call: { signal: call.signal }, tokens: experiment.tokens, eos: new Set(experiment.ignoreEos ? [] : model.info.eos) };
  }

  private decode({ first, prompts }: Group): Promise<ClassicGroup> {
    throwIfCancelled(this.its.call.signal);
    this.progress(`classic · prompt ${first + 1}${prompts.length > 1 ? ` to ${first + prompts.length}` : ''} of ${this.its.experiment.prompts.length}`);
    return classicGroup(this.context, prompts.map(({ ids }) => ids), splitSwitches(this.its.experiment.switches).engine);
  }

  private async burst({ first, prompts }: Group, classic: ClassicGroup, { used }: GateWidth): Promise<void> {
    const { experiment } = this.its;
    const { engine: switches, burst: burstSwitches } = splitSwitches(experiment.switches);
    this.progress(`width ${used} · prompt ${first + 1} of ${experiment.prompts.length}`);
    const running = prompts.map(({ ids }, row) => ({ request: `prompt-${first + row + 1}-width-${used}`, row, prompt: ids }));
    const onRound = async (round: BurstRound): Promise<void> => {
      for (const one of running) await this.its.onRound?.(one, round);
    };
    const { burst, audits } = await burstGroup({ ...this.context, drafter: this.drafter, audit: experiment.audit, onRound }, prompts.map(({ ids }) => ids), used, switches, burstSwitches);
    for (const kernel of burst.kernels) this.kernels.add(kernel);
    for (const { request, row } of running) this.its.onBurst?.({ request, burst, row }, widthOf(this.drafter.info, used));
    for (const [row, rowOf] of classic.rows.entries()) {
      this.runs.push(compareRow({ prompt: first + row, width: used, burst, row, audit: audits[row] ?? { audits: 0, bytes: 0, first: '' } }, rowOf, classic.noise.floor));
    }
  }

  private readable(): Promise<TokenTexts> {
    const forks = this.runs.flatMap(({ fork }) => (fork === null ? [] : [fork.classicId, fork.burstId]));
    const ids = [...this.classic.flatMap(({ rows }) => rows), ...this.runs].flatMap((one) => one.ids ?? []);
    const prompts = this.groups.slice(0, this.classic.length).flatMap((group) => group.prompts.flatMap((prompt) => prompt.ids));
    return tokenTexts(this.its.model, [...prompts, ...ids, ...forks], { signal: this.its.call.signal });
  }

  private noise(): Noise {
    const noises = this.classic.map(({ noise }) => noise);
    return {
      repeatDifferingBytes: noises.reduce((sum, one) => sum + one.repeatDifferingBytes, 0),
      floor: noises.reduce<Noise['floor']>((floor, one) => larger(floor, one.floor), 0),
      orders: noises[0]?.orders ?? '',
    };
  }

  private widths(noise: Noise): ParityWidth[] {
    return this.gates.map(({ used, decision, reason }): ParityWidth => {
      const own = this.runs.filter(({ width }) => width === used);
      const count = (outcome: ParityRun['outcome']): number => own.filter((one) => one.outcome === outcome).length;
      const total = (which: 'rounds' | 'proposed' | 'accepted' | 'emitted'): number => own.reduce((sum, one) => sum + one[which], 0);
      return {
        width: used,
        decision,
        reason,
        equal: count('equal'),
        differs: count('differs'),
        declined: count('declined'),
        rounds: total('rounds'),
        proposed: total('proposed'),
        accepted: total('accepted'),
        emitted: total('emitted'),
        verdict: verdictOf(own, { decision, reason }, noise, this.exact),
      };
    });
  }

  private report(incompleteReason: string): Report {
    const { experiment, model } = this.its;
    const noise = this.noise();
    const widths = this.widths(noise);
    const invariance = invarianceOf(this.runs);
    const [first] = this.classic;
    const done = this.groups.slice(0, this.classic.length);
    const result: ParityResult = {
      drafter: this.facts,
      prompts: done.flatMap(({ prompts }) => prompts.map((one) => ({ ...one, ids: [...one.ids] }))),
      classic: this.classic.flatMap(({ rows }) => rows.map(({ ids, end }) => ({ ids, end }))),
      batch: experiment.batch,
      widths,
      runs: [...this.runs],
      invariance,
      noise,
      ...(this.texts === null ? {} : { texts: this.texts }),
    };
    const arms = armsOf({
      switches: first?.switches ?? {},
      burst: splitSwitches(experiment.switches).burst,
      notes: first?.notes ?? [],
      threads: first?.threads ?? 0,
      isa: first?.isa ?? '',
      kernelsA: this.classic.flatMap(({ kernels }) => [...kernels]),
      kernelsB: this.kernels,
    });
    const common = { verdict: overall(widths, this.runs, invariance), coverage: coverageOf(result, experiment, model.info.layers.length), arms, cost: this.watch.cost, threadsUsed: first?.threads ?? 0 };
    return { ...baseOf(this.its, incompleteReason, common), kind: 'parity', experiment, parity: result };
  }
}

/** Text of a declined width is that of classic decode. */
function declined(prompt: number, width: number, { rows }: ClassicGroup, row: number): ParityRun {
  const classic = rows[row];
  return { prompt, width, outcome: 'declined', rounds: 0, proposed: 0, accepted: 0, rewinds: 0, emitted: classic?.ids.length ?? 0, acceptedPerRound: [], end: classic?.end ?? '', fork: null, audits: 0, auditBytes: 0, auditFirst: '' };
}

function coverageOf({ prompts, batch, drafter }: ParityResult, { widths, tokens, audit, ignoreEos }: ParityExperiment, layers: number): Report['coverage'] {
  return {
    compared: [
      `greedy ids of ${plural(prompts.length, 'prompt')} x ${plural(new Set(widths).size, 'width')} (${formatList([...new Set(widths)])}), up to ${plural(tokens, 'token')} each${ignoreEos ? ', past the end of text' : ''}, classic decode against bursts of the ${drafter.family} drafter${batch === 1 ? '' : `, ${batch} rows at a time`}`,
      'classic decode twice, byte by byte, and in another reduction order for the noise floor',
      ...(audit ? [`the whole state of ${plural(layers, 'layer')} after every round, against single steps${batch === 1 ? '' : ' of each row alone'}`] : []),
    ],
    notCovered: [
      'logit bytes of the bursts: ids can agree where bytes differ; replay and bisect compare them',
      'other prompts, widths and lengths',
      ...(batch === 1 ? ['more than one row in a batch'] : ['batches whose prompts differ in length', 'the gate where batch rows keep different counts: its rows go in step']),
      ...(audit ? [] : ['the state after each round']),
      'sampling above temperature 0',
    ],
  };
}

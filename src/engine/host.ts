// Runs experiments: the same module in the engine process, in the extension host and in the command line tool, so that their reports are equal.
import type { AttachRequest, DoctorReport, DoctorRequest, InspectRequest, ModelFacts, RunOutcome, RunProgress, RunRequest, SwitchChoice } from '../shared/engineProtocol';
import { ElementsRequest, type ElementsAnswer } from '../shared/elementsProtocol';
import { Experiment, isServed, limits } from '../shared/experiment';
import { formatList } from '../shared/format';
import { firstIssue } from '../shared/issues';
import type { Report } from '../shared/report';
import type { ServerProfile } from '../shared/serverProfile';
import { attach } from './attached/attach';
import { examine } from './doctor';
import { ModelCache } from './modelCache';
import { NativeEngine } from './native/nativeEngine';
import { loadElements } from './probes/bisectElements';
import { diffFiles } from './probes/diff';
import { GateMemo } from './probes/gate/memo';
import { compareIds } from './probes/ids/ids';
import { runModelProbe } from './probes/registry';
import { runServed } from './probes/served/served';
import type { ModelRun } from './probes/modelRun';
import { BurstLog, plannedHeader } from './burstLog';
import { badInput, sentenceOf, throwIfCancelled, toProblem } from './problem';
import type { Location, Origin } from './provenance';
import { savePartialReport } from './reportStore';
import { burstSwitchInfos } from './speculative/burstSwitches';
import type { Call, Engine, EngineInfo, Model, ModelInfo, SwitchInfo } from './types';

export interface RunCall {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** One sentence on something that does not end the run. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export type OpenEngine = (library: string) => Promise<Engine>;

const openBuiltIn: OpenEngine = (library) => NativeEngine.load(library);

function checked(experiment: unknown): Experiment {
  const parsed = Experiment.safeParse(experiment);
  if (parsed.success) return parsed.data;
  const { place, message } = firstIssue(parsed.error);
  throw badInput(`The experiment is not valid: ${message}`, place, '');
}

export class ProbeHost {
  private readonly engines = new Map<string, Promise<Engine>>();
  private readonly models = new ModelCache();
  private readonly memo = new GateMemo();

  constructor(
    private readonly location: Location,
    private readonly openEngine: OpenEngine = openBuiltIn,
  ) {}

  /** Runs an experiment. Throws a Problem when there is nothing to report: bad input, no engine, cancelled or failed before the first comparison was done. */
  async run(request: RunRequest, call: RunCall = {}): Promise<RunOutcome> {
    try {
      const experiment = checked(request.experiment);
      const startedAt = new Date();
      const keep = partialWriter(request.partialPath, call);
      const common = { extensionVersion: request.extensionVersion, location: this.location, startedAt };
      if (isServed(experiment)) return { report: await runServed({ experiment, origin: common, bearerTokens: request.bearerTokens ?? {}, call, keep, load: (folder) => this.loaded(request.library, folder, call) }) };
      if (experiment.kind === 'ids') return { report: await compareIds({ experiment, origin: common, call, load: (folder) => this.loaded(request.library, folder, call) }) };
      const engine = await this.engine(request.library);
      const origin: Origin = { engine: engine.info(), ...common };
      if (experiment.kind === 'diff') return { report: await diffFiles(engine, origin, experiment, call) };
      const model = await this.load(engine, experiment.model, call);
      return await this.probe({ engine, model, origin, experiment, call, memo: this.memo, keep }, new BurstLog(request.captureFile ?? '', plannedHeader(engine.info(), model.info, experiment), call.onWarning));
    } catch (error) {
      throw toProblem(error);
    }
  }

  /** Computes one tap of a comparison again and reads its elements. Throws a Problem: bad input, no engine, another model, cancelled. */
  async elements(request: ElementsRequest, call: RunCall = {}): Promise<ElementsAnswer> {
    try {
      const parsed = ElementsRequest.safeParse(request);
      if (!parsed.success) {
        const { place, message } = firstIssue(parsed.error);
        throw badInput(`The report does not say how to compute it again: ${message}`, place, 'Run the experiment again');
      }
      const engine = await this.engine(parsed.data.library);
      const model = await this.load(engine, parsed.data.model, call);
      return await loadElements(engine, model, parsed.data, call);
    } catch (error) {
      throw toProblem(error);
    }
  }

  doctor(request: DoctorRequest, call: Call = {}): Promise<DoctorReport> {
    return examine(() => this.engine(request.library), request, call);
  }

  /** What a user needs to know of a model before a run; reads headers only. */
  async inspect(request: InspectRequest, call: Call = {}): Promise<ModelFacts> {
    try {
      const engine = await this.engine(request.library);
      return factsOf((await engine.inspect(request.model, call)).model);
    } catch (error) {
      throw toProblem(error);
    }
  }

  /** What a server says of itself and can. Throws a Problem, whose place is the token's when another token mends it. */
  async attach(request: AttachRequest, call: Call = {}): Promise<ServerProfile> {
    try {
      return await attach(request, call.signal);
    } catch (error) {
      throw toProblem(error);
    }
  }

  /** The engine of a library, opened once. */
  engine(library: string): Promise<Engine> {
    const known = this.engines.get(library);
    if (known !== undefined) return known;
    const opening = this.openEngine(library);
    this.engines.set(library, opening);
    opening.catch(() => this.engines.delete(library));
    return opening;
  }

  async close(): Promise<void> {
    this.models.close();
    const engines = await Promise.allSettled(this.engines.values());
    this.engines.clear();
    for (const engine of engines) if (engine.status === 'fulfilled') engine.value.close();
  }

  /** The report of a run whose rounds are logged. */
  private async probe(run: ModelRun, bursts: BurstLog): Promise<RunOutcome> {
    try {
      const told = await runModelProbe({ ...run, onRound: (running, round) => bursts.round(running, round), onBurst: (burst, width) => bursts.add(burst, width) });
      const report = marked(told, rewrittenSentence(await this.models.rewritten(run.model)));
      // A disk that does not take the rounds is no reason to lose the report.
      const problem = await bursts.save(report, run.origin.startedAt).then(() => undefined, (error: unknown) => toProblem(error).data);
      return { report, ...(problem === undefined ? {} : { problem }) };
    } finally {
      await bursts.close();
    }
  }

  private async loaded(library: string, folder: string, call: RunCall): Promise<{ engine: EngineInfo; model: Model }> {
    const engine = await this.engine(library);
    return { engine: engine.info(), model: await this.load(engine, folder, call) };
  }

  private async load(engine: Engine, folder: string, { signal, onProgress }: RunCall): Promise<Model> {
    throwIfCancelled(signal);
    onProgress?.({ text: 'loading the model', done: 0, total: 0 });
    return this.models.get(engine, folder, { signal });
  }
}

/** "" when the weights stayed as they were. */
function rewrittenSentence(files: readonly string[]): string {
  if (files.length === 0) return '';
  return `The weights were written to while the run read them (${formatList(files)}), so these results belong to no model. Run it again when nothing writes there.`;
}

/** A report over weights that changed meanwhile is not complete. */
function marked(report: Report, incompleteReason: string): Report {
  return incompleteReason === '' || !report.complete ? report : { ...report, complete: false, incompleteReason };
}

/** Keeps the run so far on disk. A disk that takes no partial report is no reason to end the run; the user hears of it once. */
function partialWriter(partialPath: string, { onWarning }: RunCall): (report: Report) => Promise<void> {
  let broken = partialPath === '';
  return async (report) => {
    if (broken) return;
    try {
      await savePartialReport(report, partialPath);
    } catch (error) {
      broken = true;
      onWarning?.(`What is compared is not kept while the run lasts. ${sentenceOf(toProblem(error).data)}`);
    }
  };
}

const choiceOf = ({ name, values, min = 0, max = limits.threads, default: preset, description }: SwitchInfo): SwitchChoice => ({ name, values, min, max, default: preset, description });

export function factsOf(info: ModelInfo): ModelFacts {
  const { architecture, layers, vocab, context, parameters, tokenizer, warnings, switches } = info;
  return {
    architecture,
    layers: layers.length,
    vocab,
    context,
    parameters,
    tokenizer,
    warnings,
    switches: switches.map(choiceOf),
    burstSwitches: burstSwitchInfos.map(choiceOf),
  };
}

// Where a report came from: engine, machine, model, and what differs from run to run.
import type { Provenance, RunFacts } from '../shared/report';
import type { EngineInfo, ModelInfo } from './types';

export type Location = RunFacts['location'];

/** What does not depend on the experiment. */
export interface Origin {
  readonly engine: EngineInfo;
  readonly extensionVersion: string;
  readonly location: Location;
  readonly startedAt: Date;
}

/** Of a run in which no engine of this machine took part. */
export function engineNamed(engine: string, version: string): EngineInfo {
  return { engine, version, abi: '', library: '', libraryHash: '', git: '', compiler: '', target: '', cpu: { name: '', features: [], used: [], cores: 0 }, kernels: [], architectures: [] };
}

export function quantisationText({ quantisation }: Pick<ModelInfo, 'quantisation'>): string {
  if (quantisation === null) return 'none';
  const { bits, group, mixed } = quantisation;
  return `${bits} bit, groups of ${group}${mixed ? ', mixed' : ''}`;
}

function modelPart(info: ModelInfo, notes: readonly string[]): NonNullable<Provenance['model']> {
  return {
    path: info.path,
    architecture: info.architecture,
    fingerprint: info.fingerprint,
    dtype: info.dtype,
    quantisation: quantisationText(info),
    layers: info.layers.map(({ kind }) => kind),
    hidden: info.hidden,
    vocab: info.vocab,
    context: info.context,
    warnings: [...info.warnings, ...notes],
  };
}

export interface ArmFacts {
  readonly switches: Provenance['switchesA'];
  /** At most so many: what was chosen, not what the load of the machine left. */
  readonly threads: number;
  readonly isa: string;
  readonly notes: readonly string[];
  readonly kernelsA: readonly string[];
  readonly kernelsB: readonly string[];
  readonly seeds: string;
}

/** `model` null and no `arms`: a probe that ran no model. */
export function provenanceOf({ engine, extensionVersion }: Origin, model: ModelInfo | null, arms?: ArmFacts): Provenance {
  const { name, features, used, cores } = engine.cpu;
  return {
    extension: extensionVersion,
    engine: {
      name: engine.engine,
      version: engine.version,
      abi: engine.abi,
      git: engine.git,
      compiler: engine.compiler,
      target: engine.target,
      libraryHash: engine.libraryHash,
    },
    cpu: { name, features: [...features], used: [...used], cores },
    model: model === null ? null : modelPart(model, arms?.notes ?? []),
    switchesA: { ...arms?.switches },
    switchesB: { ...arms?.switches },
    threads: arms?.threads ?? 0,
    isa: arms?.isa ?? '',
    kernelsA: [...(arms?.kernelsA ?? [])],
    kernelsB: [...(arms?.kernelsB ?? [])],
    seeds: arms?.seeds ?? '',
  };
}

/** `threads`: so many computed. The clock of a machine may be set back while a run goes on. */
export function runFactsOf({ startedAt, location }: Omit<Origin, 'engine'>, cost: Readonly<Record<string, number>>, threads?: number): RunFacts {
  const rounded = Object.entries(cost).map(([phase, ms]): [string, number] => [phase, Math.round(ms * 10) / 10]);
  return { startedAt: startedAt.toISOString(), durationMs: Math.max(0, Date.now() - startedAt.getTime()), location, cost: Object.fromEntries(rounded), ...(threads === undefined ? {} : { threads }) };
}

// What the steps of a wizard put together; each writes its part.
import type { ModelFacts } from '../shared/engineProtocol';
import type { ModelExperiment, Switches } from '../shared/experiment';

export interface Draft<E extends ModelExperiment = ModelExperiment> {
  /** What the engine says of the chosen model. */
  facts: ModelFacts | undefined;
  readonly experiment: E;
}

export interface ModelDraft {
  facts: ModelFacts | undefined;
  readonly experiment: { model: string };
}

export interface SwitchDraft {
  readonly facts: ModelFacts | undefined;
  readonly experiment: { switches: Switches };
}

// Probe "ids": two lists of token ids. No engine takes part; a model, where one is given, only tells what the ids say.
import type { IdsExperiment } from '../../../shared/experiment';
import { formatCount, plural } from '../../../shared/format';
import { reportFormat, reportVersion, type ReportOf } from '../../../shared/report';
import type { IdsFork, IdsResult } from '../../../shared/results/ids';
import type { Verdict } from '../../../shared/verdict';
import { throwIfCancelled } from '../../problem';
import { engineNamed, provenanceOf, runFactsOf, type Origin } from '../../provenance';
import type { EngineInfo, Model } from '../../types';
import { Stopwatch, type ProbeCall } from '../probe';
import { tokenTexts } from '../tokenTexts';
import { readIds, type ReadIds } from './readIds';

type IdsReport = ReportOf<'ids'>;

export interface IdsRun {
  readonly experiment: IdsExperiment;
  /** As Origin, without an engine where none was loaded. */
  readonly origin: Omit<Origin, 'engine'>;
  readonly call: ProbeCall;
  readonly load: (folder: string) => Promise<{ readonly engine: EngineInfo; readonly model: Model }>;
}

/** The first place that differs; a list that ends before the other differs there. */
export function forkOf(a: readonly number[], b: readonly number[]): IdsFork | null {
  const longer = Math.max(a.length, b.length);
  for (let at = 0; at < longer; at++) if (a[at] !== b[at]) return { at, a: a[at] ?? -1, b: b[at] ?? -1 };
  return null;
}

/** No arm ran and no margin is told, so lists that part show neither a tie nor a defect: the verdict claims none. */
export function decideIds({ a, b, fork }: Pick<IdsResult, 'a' | 'b' | 'fork'>): Verdict {
  if (fork === null) return { word: 'equal', sentence: `Both lists are the same ${plural(a.ids.length, 'id')}.` };
  return { word: 'void', sentence: `${partSentence(a, b, fork)}, so whether this is a tie or a defect is not known. To know it, replay the tokens on their model, or compare servers that tell log probabilities.` };
}

function partSentence(a: IdsResult['a'], b: IdsResult['a'], fork: IdsFork): string {
  if (fork.a >= 0 && fork.b >= 0) return `The lists part at token ${formatCount(fork.at)}: id ${fork.a} in A, id ${fork.b} in B. Ids tell no margin`;
  const [ended, other, length] = fork.a < 0 ? ['A', 'B', b.ids.length] : ['B', 'A', a.ids.length];
  return `The ${plural(fork.at, 'id')} of ${ended} are the first of ${other}, which goes on to ${formatCount(length)}. Ids tell neither a margin nor whether ${ended} was cut or ended there`;
}

/** Of two logs of which one does not tell its first token, both begin behind it. */
function aligned(a: ReadIds, b: ReadIds): readonly [ReadIds, ReadIds] {
  const behind = (one: ReadIds, other: ReadIds): ReadIds => (one.firstBonus === true && other.firstBonus === false ? { ...one, ids: one.ids.slice(1), firstBonus: false } : one);
  return [behind(a, b), behind(b, a)];
}

function notCovered(lists: readonly [ReadIds, ReadIds], hasTexts: boolean): string[] {
  const behind = lists.some(({ firstBonus }) => firstBonus === false);
  return [
    'margins: no logit is known, so a tie cannot be told from a defect',
    'which of the lists is right: no engine ran, and none of them was computed again',
    'prompts and switches: whether both lists come from the same ones is not known',
    ...(behind ? ['the first token of an answer, which a log does not tell: its ids begin behind it'] : []),
    ...(hasTexts ? [] : ['texts of the ids: no model with a tokenizer was given']),
  ];
}

const listOf = ({ source, about, ids }: ReadIds): IdsResult['a'] => ({ source, about, ids: [...ids] });

/** Throws a Problem when a file does not hold ids, or the model cannot be loaded. */
export async function compareIds({ experiment, origin, call, load }: IdsRun): Promise<IdsReport> {
  const watch = new Stopwatch();
  const files = [await watch.time('read', readIds(experiment.a, call)), await watch.time('read', readIds(experiment.b, call))] as const;
  throwIfCancelled(call.signal);
  const lists = aligned(...files);
  const [a, b] = [listOf(lists[0]), listOf(lists[1])];
  const loaded = experiment.model === null ? null : await watch.time('load', load(experiment.model));
  const texts = loaded === null ? { ids: [], texts: [] } : await watch.time('texts', tokenTexts(loaded.model, idsIn(a.ids, b.ids), { signal: call.signal }));
  const found = { a, b, fork: forkOf(a.ids, b.ids) };
  return {
    format: reportFormat,
    version: reportVersion,
    complete: true,
    incompleteReason: '',
    verdict: decideIds(found),
    coverage: { compared: [`every id of both lists: ${formatCount(a.ids.length)} in A, ${formatCount(b.ids.length)} in B`], notCovered: notCovered(lists, texts.ids.length > 0) },
    provenance: provenanceOf({ ...origin, engine: loaded?.engine ?? engineNamed('', '') }, loaded?.model.info ?? null),
    run: runFactsOf(origin, watch.cost),
    kind: 'ids',
    experiment,
    ids: { ...found, ...(texts.ids.length === 0 ? {} : { texts }) },
  };
}

function* idsIn(...lists: readonly (readonly number[])[]): Generator<number> {
  for (const list of lists) yield* list;
}

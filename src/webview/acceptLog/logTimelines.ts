// Requests of a log as timelines: one with what was drafted for each token, or two against each other.
import * as l10n from '@vscode/l10n';
import type { Facts as LogFacts } from '../../shared/capture';
import { formatCount } from '../../shared/format';
import type { LogTokens, TokenRound } from '../../shared/logReaderProtocol';
import { amount } from '../model/amount';
import type { Facts, Grid, Round } from '../model/grid';
import { inEnglish } from '../model/language';
import { notCompared, otherChoice, sameChoice } from '../model/measures';
import { spanAt } from '../model/spanAt';
import { stateLane, type StateLane, type StateStep } from '../model/stateLane';
import { timelineGrid, type Lane, type Reading, type TimelineSource } from '../model/timeline';
import { factName, factText } from './words';

type Kind = 'first' | 'accepted' | 'bonus';

const kindWords: Readonly<Record<Kind, string>> = { first: l10n.t('bonus of the prefill'), accepted: l10n.t('accepted draft'), bonus: l10n.t('bonus of the target') };

/** Positions here count from the first of the picture. */
function roundAt({ rounds, from }: LogTokens, position: number): TokenRound | undefined {
  return spanAt(rounds, from + position);
}

function kindAt(tokens: LogTokens, position: number): Kind {
  const round = roundAt(tokens, position);
  if (round === undefined) return 'first';
  return tokens.from + position - round.from < round.accepted ? 'accepted' : 'bonus';
}

/** Of what was drafted for a position: accepted where the token was, rejected where the bonus took its place; null: nothing, or not told. */
function draftAt(tokens: LogTokens, position: number): 'accepted' | 'rejected' | null {
  const round = roundAt(tokens, position);
  if (round === undefined) return null;
  if (kindAt(tokens, position) === 'accepted') return 'accepted';
  return round.drafted !== null && round.drafted > round.accepted ? 'rejected' : null;
}

const laneOf = (name: string, ids: readonly number[]): Lane => ({ name, tokens: ids.map((id) => ({ id, text: id < 0 ? '' : String(id) })) });

const rejectedOf = ({ drafted, accepted }: TokenRound): number => Math.max(0, (drafted ?? accepted) - accepted);

function roundLabel({ index, accepted, drafted }: TokenRound): string {
  const drafts = amount(accepted, l10n.t('{0} draft'), l10n.t('{0} drafts'));
  return drafted === null ? l10n.t('{0}: {1} accepted', index, drafts) : l10n.t('{0}: {1} accepted of {2}', index, drafts, formatCount(drafted));
}

/** A round of which a part is out of the picture is cut to it. */
function cut({ from, ids }: LogTokens, round: TokenRound): { readonly from: number; readonly kept: number } {
  const first = Math.max(0, round.from - from);
  return { from: first, kept: Math.min(ids.length, round.from + round.kept - from) - first };
}

const roundsOf = (tokens: LogTokens): Round[] => tokens.rounds.map((round) => ({ ...cut(tokens, round), rejected: rejectedOf(round), label: roundLabel(round) }));

/** What a log may say of a prompt before its first token. */
const promptFacts = ['cached', 'fresh', 'promptPieces'] as const;

const factsOfPrompt = (given: LogFacts): Facts => promptFacts.flatMap((name) => (given[name] === undefined || given[name] === null ? [] : [[factName(name), factText(given[name])] as const]));

/** None where the log does not say how long the prompt was, nor where its rounds begin. */
function statesOf(name: string, tokens: LogTokens, facts: LogFacts): StateLane[] {
  const { rounds, from, promptTokens } = tokens;
  const told = { dropped: null, differs: 0 };
  const first: StateStep[] = from > 0 || promptTokens === null ? [] : [{ from: 0, kept: 1, when: l10n.t('after the prefill'), live: promptTokens, asked: null, ...told, facts: factsOfPrompt(facts) }];
  const steps = rounds.flatMap((round): StateStep[] => {
    const { live, index, drafted } = round;
    const span = cut(tokens, round);
    // A round whose end is out of the picture leaves nothing in it.
    if (live === null || span.from + from + span.kept < round.from + round.kept) return [];
    return [{ ...span, when: l10n.t('after round {0}', index), live, asked: drafted === null ? null : rejectedOf(round), ...told, facts: [] }];
  });
  return steps.length + first.length === 0 ? [] : [stateLane(name, [...first, ...steps])];
}

/** The tokens of a request, and below each what was drafted for it. */
function readingOf(tokens: LogTokens): Reading {
  return {
    measure: { describes: l10n.t('Tokens by position, and what was drafted for them'), equal: l10n.t('accepted draft'), gap: l10n.t('no draft, or not told'), tones: 'drafts', choices: [l10n.t('bonus of the target'), l10n.t('rejected draft')] },
    value(lane, position) {
      if (lane === 0) return kindAt(tokens, position) === 'accepted' ? 0 : sameChoice;
      const draft = draftAt(tokens, position);
      return draft === null ? notCompared : draft === 'accepted' ? 0 : otherChoice;
    },
    words(lane, position) {
      if (lane === 0) return kindWords[kindAt(tokens, position)];
      const draft = draftAt(tokens, position);
      return draft === null ? l10n.t('no draft, or not told') : draft === 'accepted' ? l10n.t('accepted draft') : l10n.t('rejected draft');
    },
  };
}

function factsOf(name: string, tokens: LogTokens, position: number): Facts {
  const round = roundAt(tokens, position);
  if (round === undefined) return [];
  const rejected = round.drafted === null ? l10n.t('not told') : formatCount(rejectedOf(round));
  return [[`${name}${l10n.t('rejected in its round')}`, rejected], ...(round.line === null ? [] : [[`${name}${l10n.t('line')}`, formatCount(round.line)] as const])];
}

/** In the language of the page, and in English for files. */
const inBoth = (source: () => TimelineSource): Grid => ({ ...timelineGrid(source()), english: () => inEnglish(() => timelineGrid(source())) });

export function requestTimeline(tokens: LogTokens, facts: LogFacts): Grid {
  return inBoth(() => ({
    lanes: [laneOf(l10n.t('tokens'), tokens.ids), laneOf(l10n.t('drafts'), tokens.drafts)],
    states: statesOf(l10n.t('state'), tokens, facts),
    rounds: roundsOf(tokens),
    from: tokens.from,
    drifts: () => false,
    facts: (position) => factsOf('', tokens, position),
    sign: (lane, position) => (lane === 0 ? (kindAt(tokens, position) === 'accepted' ? null : 'bonus') : draftAt(tokens, position) === 'rejected' ? 'rejected' : null),
    reading: readingOf(tokens),
  }));
}

export interface ComparedTokens {
  readonly tokens: LogTokens;
  readonly facts: LogFacts;
}

/** `fork`: where the texts part, null: nowhere that both tell. A picture that lies behind it has no first difference. */
export function compareTimeline(a: ComparedTokens, b: ComparedTokens, fork: number | null): Grid {
  const { from } = a.tokens;
  const bonus = ({ tokens }: ComparedTokens, position: number): boolean => position < tokens.ids.length && kindAt(tokens, position) !== 'accepted';
  const grid = inBoth(() => ({
    lanes: [laneOf('A', a.tokens.ids), laneOf('B', b.tokens.ids)],
    states: [...statesOf(l10n.t('state {0}', 'A'), a.tokens, a.facts), ...statesOf(l10n.t('state {0}', 'B'), b.tokens, b.facts)],
    rounds: roundsOf(a.tokens),
    roundsOf: 'A',
    from,
    drifts: () => false,
    facts: (position) => [...factsOf('A: ', a.tokens, position), ...factsOf('B: ', b.tokens, position)],
    sign: (lane, position) => (bonus(lane === 0 ? a : b, position) ? 'bonus' : null),
  }));
  return fork !== null && fork < from ? { ...grid, first: null } : grid;
}

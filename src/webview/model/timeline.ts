// Lanes of tokens aligned by position, as a grid: what two or more runs chose, where they part, the rounds that gave the tokens, and below them what the state held.
import * as l10n from '@vscode/l10n';
import { max } from 'd3-array';
import { formatCount } from '../../shared/format';
import { cut, room } from './cut';
import type { Cell, Facts, Grid, Measure, Round, Sign } from './grid';
import { notCompared, otherChoice, sameChoice } from './measures';
import { spanAt } from './spanAt';
import type { StateLane } from './stateLane';

export interface Token {
  /** -1: not told. */
  readonly id: number;
  /** "": not told, where the id is not either. */
  readonly text: string;
}

export interface Lane {
  readonly name: string;
  readonly tokens: readonly Token[];
}

/** Cells that mean something else than whether lanes agree. */
export interface Reading {
  readonly measure: Omit<Measure, 'name' | 'label' | 'scale' | 'tick'>;
  /** As the values of a grid, of the lanes of tokens. */
  readonly value: (lane: number, position: number) => number;
  /** What a cell of a lane is. */
  readonly words: (lane: number, position: number) => string;
}

export interface TimelineSource {
  /** The first is what the others are held against. */
  readonly lanes: readonly Lane[];
  readonly states?: readonly StateLane[];
  readonly rounds: readonly Round[];
  /** Whose rounds they are, where lanes have others. */
  readonly roundsOf?: string;
  /** What the first position is called, 0 where it is missing; all positions here count from it. */
  readonly from?: number;
  /** Whether a lane's bytes differ at a position though the tokens agree. */
  readonly drifts: (position: number, lane: number) => boolean;
  /** What else is known of it. */
  readonly facts: (position: number) => Facts;
  readonly sign?: (lane: number, position: number) => Sign | null;
  readonly reading?: Reading;
}

const measured = { name: 'tokens', label: l10n.t('Tokens'), scale: 'choice', tick: formatCount } as const;

/** What the colours mean over lanes of tokens, of states, or of both. */
const meanings = {
  tokens: () => ({ describes: l10n.t('Tokens by position'), choices: [l10n.t('same token, from other bytes'), l10n.t('other token')] }),
  states: () => ({ describes: l10n.t('State by position'), equal: l10n.t('as it is to be'), gap: l10n.t('not told'), choices: [l10n.t('other bytes than arms that never rewind'), l10n.t('other rows than asked, or a trace of rejected ones')] }),
  both: () => ({ describes: l10n.t('Tokens and state by position'), gap: l10n.t('not compared, or not told'), choices: [l10n.t('same token or rows, from other bytes'), l10n.t('other token, or other rows than asked')] }),
} as const satisfies Readonly<Record<string, () => Reading['measure']>>;

function measureOf({ lanes, states = [], reading }: TimelineSource): Measure {
  return { ...measured, ...(reading?.measure ?? meanings[lanes.length === 0 ? 'states' : states.length === 0 ? 'tokens' : 'both']()) };
}

const isTold = ({ id, text }: Token): boolean => id >= 0 || text !== '';

/** A token that only one of the lanes has differs; one that is not told does not. */
function differ(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined) return a !== b;
  if (!isTold(a) || !isTold(b)) return false;
  return a.id >= 0 && b.id >= 0 ? a.id !== b.id : a.text !== b.text;
}

/** Of a lane against the first. The first lane is marked where any other differs. */
function valueOf({ lanes, drifts }: TimelineSource, lane: number, position: number): number {
  const own = lanes[lane]?.tokens[position];
  if (own === undefined || !isTold(own)) return notCompared;
  const others = (lane === 0 ? lanes.slice(1) : lanes.slice(0, 1)).map(({ tokens }) => tokens[position]);
  if (others.some((other) => differ(own, other))) return otherChoice;
  if (others.length > 0 && others.every((other) => other !== undefined && !isTold(other))) return notCompared;
  return drifts(position, lane) ? sameChoice : 0;
}

/** Where tokens part; else the first state that is not what it is to be. */
function firstOf({ lanes, states = [], reading }: TimelineSource, length: number): Cell | null {
  const [first, ...others] = reading === undefined ? lanes : [];
  for (let position = 0; position < length; position++) {
    const lane = others.findIndex(({ tokens }) => differ(first?.tokens[position], tokens[position]));
    if (lane >= 0) return { row: lane + 1, position };
  }
  for (let position = 0; position < length; position++) {
    const state = states.findIndex(({ value }) => value(position) > 0);
    if (state >= 0) return { row: lanes.length + state, position };
  }
  return null;
}

/** A token of which no more than its id is known reads as a number. */
const isBareId = (token: Token | undefined): boolean => token !== undefined && token.id >= 0 && token.text === String(token.id);

export const roundAt = (rounds: readonly Round[], position: number): Round | undefined => spanAt(rounds, position);

/** A token as it reads in a cell: what cannot be seen is named. */
export const visible = (text: string): string => cut(text, room.token).replaceAll('\n', '\u21b5').replaceAll('\t', '\u21e5').replace(/^ +| +$/g, (spaces) => '\u00b7'.repeat(spaces.length));

function tokenInWords(token: Token | undefined): string {
  if (token === undefined) return l10n.t('no token: it ended before');
  if (!isTold(token)) return l10n.t('not told');
  const text = JSON.stringify(cut(token.text, room.token));
  return token.id < 0 ? text : l10n.t('{0} · id {1}', text, token.id);
}

function valueInWords(value: number | undefined): string {
  return value === otherChoice ? l10n.t('the lanes differ') : value === sameChoice ? l10n.t('the same token, from other bytes') : value === 0 ? l10n.t('the lanes agree') : l10n.t('not compared');
}

function stateInWords(value: number | undefined): string {
  return value === otherChoice ? l10n.t('not what was asked for') : value === sameChoice ? l10n.t('of other bytes') : value === 0 ? l10n.t('as it is to be') : l10n.t('not told');
}

/** Positions of the longest lane. */
export const lengthOf = ({ lanes, states = [] }: TimelineSource): number => max([...lanes.map(({ tokens }) => tokens.length), ...states.map(({ positions }) => positions)]) ?? 0;

export function timelineGrid(source: TimelineSource): Grid {
  const { lanes, rounds, states = [], from = 0, reading, sign } = source;
  const length = lengthOf(source);
  const values = new Float64Array((lanes.length + states.length) * length);
  for (let cell = 0; cell < values.length; cell++) {
    const [row, position] = [Math.floor(cell / length), cell % length];
    const state = states[row - lanes.length]?.value(position);
    // Where colours are those of drafts, a state that is as it is to be has none of them.
    values[cell] = state === 0 && reading !== undefined ? notCompared : (state ?? reading?.value(row, position) ?? valueOf(source, row, position));
  }
  const tokenAt = ({ row, position }: Cell): Token | undefined => lanes[row]?.tokens[position];
  const stateAt = ({ row }: Cell): StateLane | undefined => states[row - lanes.length];
  const measure = measureOf(source);
  const names = [...lanes, ...states].map(({ name }) => cut(name, room.name));
  const place = ({ row, position }: Cell): string => l10n.t('{0} · token {1}', names[row] ?? '', formatCount(from + position));
  const about = (cell: Cell): string => stateAt(cell)?.about(cell.position) ?? tokenInWords(tokenAt(cell));
  const held = (cell: Cell): string => {
    const state = stateAt(cell);
    return state === undefined ? (reading?.words(cell.row, cell.position) ?? valueInWords(values[cell.row * length + cell.position])) : stateInWords(state.value(cell.position));
  };
  const roundFact = (position: number): Facts => (rounds.length === 0 ? [] : [[l10n.t('round'), roundAt(rounds, position)?.label ?? l10n.t('none')]]);
  return {
    rows: names.map((label) => ({ label, kind: null })),
    positions: length,
    from,
    first: firstOf(source, length),
    measures: [measure],
    values: () => values,
    boundaries: [],
    holding: (text) => lanes.flatMap(({ tokens }, row) => tokens.flatMap((token, position) => (token.text.includes(text) ? [row * length + position] : []))),
    tokens: {
      text: (cell) => stateAt(cell)?.text(cell.position) ?? visible(tokenAt(cell)?.text ?? ''),
      room: (cell) => stateAt(cell)?.room(cell.position) ?? (isBareId(tokenAt(cell)) ? 1 : null),
      token: tokenAt,
      rounds,
      ...(source.roundsOf === undefined ? {} : { roundsOf: source.roundsOf }),
      ...(sign === undefined ? {} : { sign: ({ row, position }: Cell) => (row < lanes.length ? sign(row, position) : null) }),
    },
    place,
    about,
    facts(cell) {
      const state = stateAt(cell);
      const own: Facts = state === undefined ? [[reading === undefined ? l10n.t('lanes') : l10n.t('it is'), held(cell)], ...source.facts(cell.position)] : [[l10n.t('state'), held(cell)], ...state.facts(cell.position)];
      return [...own, ...roundFact(cell.position)];
    },
    words: (cell) => `${place(cell)}: ${about(cell)}, ${held(cell)}`,
  };
}

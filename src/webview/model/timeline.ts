// Lanes of tokens aligned by position, as a grid: what two or more runs chose, where they part, and the rounds that gave the tokens.
import { formatCount } from '../../shared/format';
import type { Cell, Facts, Grid, Measure, Round } from './grid';
import { notCompared, otherChoice, sameChoice } from './measures';

export interface Token {
  /** -1: not told. */
  readonly id: number;
  readonly text: string;
}

export interface Lane {
  readonly name: string;
  readonly tokens: readonly Token[];
}

export interface TimelineSource {
  /** The first is what the others are held against. */
  readonly lanes: readonly Lane[];
  readonly rounds: readonly Round[];
  /** Whether bytes differ at a position though the tokens agree. */
  readonly drifts: (position: number) => boolean;
  /** What else is known of it. */
  readonly facts: (position: number) => Facts;
}

const measure: Measure = { name: 'tokens', label: 'Tokens', describes: 'Tokens by position', scale: 'choice', choices: ['same token, from other bytes', 'other token'], tick: formatCount };

/** A token that only one of the lanes has differs. */
function differ(a: Token | undefined, b: Token | undefined): boolean {
  if (a === undefined || b === undefined) return a !== b;
  return a.id >= 0 && b.id >= 0 ? a.id !== b.id : a.text !== b.text;
}

/** Of a lane against the first. The first lane is marked where any other differs. */
function stateOf({ lanes, drifts }: TimelineSource, lane: number, position: number): number {
  const own = lanes[lane]?.tokens[position];
  if (own === undefined) return notCompared;
  const others = lane === 0 ? lanes.slice(1) : lanes.slice(0, 1);
  return others.some(({ tokens }) => differ(own, tokens[position])) ? otherChoice : drifts(position) ? sameChoice : 0;
}

function firstOf({ lanes: [first, ...others] }: TimelineSource, length: number): Cell | null {
  for (let position = 0; position < length; position++) {
    const lane = others.findIndex(({ tokens }) => differ(first?.tokens[position], tokens[position]));
    if (lane >= 0) return { row: lane + 1, position };
  }
  return null;
}

export const roundAt = (rounds: readonly Round[], position: number): Round | undefined => rounds.find(({ from, kept }) => position >= from && position < from + kept);

/** A token as it reads in a cell: what cannot be seen is named. */
export const visible = (text: string): string => text.replaceAll('\n', '\u21b5').replaceAll('\t', '\u21e5').replace(/^ +| +$/g, (spaces) => '\u00b7'.repeat(spaces.length));

export function timelineGrid(source: TimelineSource): Grid {
  const { lanes, rounds } = source;
  const length = Math.max(0, ...lanes.map(({ tokens }) => tokens.length));
  const values = new Float64Array(lanes.length * length);
  for (let cell = 0; cell < values.length; cell++) values[cell] = stateOf(source, Math.floor(cell / length), cell % length);
  const tokenAt = ({ row, position }: Cell): Token | undefined => lanes[row]?.tokens[position];
  const place = ({ row, position }: Cell): string => `${lanes[row]?.name ?? ''} · token ${formatCount(position)}`;
  const about = (cell: Cell): string => {
    const token = tokenAt(cell);
    if (token === undefined) return 'no token: it ended before';
    return `${JSON.stringify(token.text)}${token.id < 0 ? '' : ` · id ${token.id}`}`;
  };
  const held = ({ row, position }: Cell): string => {
    const value = values[row * length + position];
    return value === otherChoice ? 'the lanes differ' : value === sameChoice ? 'the same token, from other bytes' : value === 0 ? 'the lanes agree' : 'not compared';
  };
  return {
    rows: lanes.map(({ name }) => ({ label: name, kind: null })),
    positions: length,
    first: firstOf(source, length),
    measures: [measure],
    values: () => values,
    boundaries: [],
    holding: (text) => lanes.flatMap(({ tokens }, row) => tokens.flatMap((token, position) => (token.text.includes(text) ? [row * length + position] : []))),
    tokens: { text: (cell) => visible(tokenAt(cell)?.text ?? ''), token: tokenAt, rounds },
    place,
    about,
    facts: (cell) => [['lanes', held(cell)], ...source.facts(cell.position), ...(rounds.length === 0 ? [] : ([['round', roundAt(rounds, cell.position)?.label ?? 'none']] as const))],
    words: (cell) => `${place(cell)}: ${about(cell)}, ${held(cell)}`,
  };
}

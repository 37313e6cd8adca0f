// The verdict of one comparison and of a whole table: computed from what was counted, by the rules of the six words.
import { capitalise, formatCount, formatFloat, formatList, plural } from '../../shared/format';
import type { BisectRun, FirstDivergence } from '../../shared/report';
import { sum } from '../../shared/sum';
import { gravest, moreGrave, type Verdict, type VerdictWord } from '../../shared/verdict';
import { within } from './numbers';

export type Undecided = Omit<BisectRun, 'verdict'>;

/** "layer 0 · in_proj_qkv, position 0, element 3 (qmv against qmm)" */
function placeOfFirst(first: FirstDivergence): string {
  const layer = first.row === 0 ? 'embedding' : `layer ${first.layer}`;
  const kernels = first.kernelA === '' && first.kernelB === '' ? '' : first.kernelA === first.kernelB ? ` (both arms ran ${first.kernelA})` : ` (${first.kernelA} against ${first.kernelB})`;
  return `${layer} · ${first.tap}, position ${first.position}, element ${first.element}${kernels}`;
}

type Placed = Pick<BisectRun, 'first' | 'state'>;

/** Where the arms part: the first tap, else the first state tensor, "" where neither differs. */
export function placeOf({ first, state }: Placed): string {
  if (first !== null) return placeOfFirst(first);
  const changed = state.find(({ differingBytes }) => differingBytes > 0);
  return changed === undefined ? '' : `the state after the block, layer ${changed.layer} · ${changed.tensor}, element ${changed.firstIndex} (every tap is equal)`;
}

interface Counts {
  readonly logits: number;
  readonly state: number;
  readonly taps: number;
  readonly positions: number;
}

function countBytes(run: Undecided): Counts {
  return {
    logits: sum(run.logits.differingBytes),
    state: sum(run.state.map(({ differingBytes }) => differingBytes)),
    taps: sum(run.cells.differingBytes),
    positions: run.blockIds.length,
  };
}

type Choosing = Pick<BisectRun, 'logits' | 'noise'>;

/** Positions at which the greedy choices differ. */
export function greedyDifferences({ logits }: Pick<Choosing, 'logits'>): number[] {
  return logits.argmaxA.flatMap((id, position) => (id === logits.argmaxB[position] ? [] : [position]));
}

function isTie({ logits, noise }: Choosing, position: number): boolean {
  return [logits.marginA[position], logits.marginB[position]].every((margin) => margin !== undefined && within(margin, noise.floor));
}

/** The choice that decides: the first that is none within the noise floor, else the first; null where all agree. */
function choiceOf(run: Choosing): { readonly position: number; readonly tie: boolean } | null {
  const greedy = greedyDifferences(run);
  const [first] = greedy;
  const beyond = greedy.find((position) => !isTie(run, position));
  return first === undefined ? null : { position: beyond ?? first, tie: beyond === undefined };
}

function equalSentence(run: Undecided, { positions }: Counts): string {
  const all = { logit: run.logits.bytes * positions, tap: sum(run.cells.rowBytes) * positions, ...(run.planned === undefined ? { state: sum(run.state.map(({ bytes }) => bytes)) } : {}) };
  const none = formatList(Object.entries(all).map(([what, bytes]) => `0 of ${formatCount(bytes)} ${what} bytes`));
  return `The block gives the same bytes as single steps: ${none} differ.`;
}

function bytesSentence(run: Undecided, { logits, state, positions }: Counts): string {
  const total = run.logits.bytes * positions;
  const place = placeOf(run);
  const where = place === '' ? '' : `; the arms part first at ${place}`;
  const after = run.planned === undefined ? ` and ${plural(state, 'state byte')}` : '';
  return `${formatCount(logits)} of ${formatCount(total)} logit bytes${after} differ${where}`;
}

function choiceSentence(run: Undecided, position: number, tie: boolean): string {
  const { argmaxA, argmaxB, marginA, marginB } = run.logits;
  const margins = `${formatFloat(marginA[position] ?? 0)} and ${formatFloat(marginB[position] ?? 0)}`;
  const floor = `the measured noise floor of ${formatFloat(run.noise.floor)}`;
  return `at position ${position} single steps choose token ${argmaxA[position] ?? 0} and the block ${argmaxB[position] ?? 0}, with margins ${margins} ${tie ? 'within' : 'that are not both within'} ${floor}`;
}

function distrust({ captureDifferingBytes: { a, b } }: Undecided): string {
  return a + b === 0 ? '' : ` Observing changed ${plural(a + b, 'logit byte')}, so the place is not to be trusted.`;
}

function notNumbers({ nonFinite: { a, b } }: Undecided): string {
  return a + b === 0 ? '' : ` ${formatCount(a)} logits of the single steps and ${formatCount(b)} of the block are NaN or infinite.`;
}

function cutShort({ planned, blockIds }: Undecided): string {
  return planned === undefined ? '' : ` Only ${formatCount(blockIds.length)} of ${plural(planned, 'token')} were compared, and the state after the block was not.`;
}

/** Verdict of one comparison; bytes first, greedy choice second. `logits`: how many an arm gave in all. */
export function decideRun(run: Undecided, logits: number): Verdict {
  const { word, sentence } = decide(run, logits);
  return { word, sentence: `${sentence}${notNumbers(run)}${cutShort(run)}` };
}

function decide(run: Undecided, logits: number): Verdict {
  const bytes = countBytes(run);
  const observed = run.captureDifferingBytes.a + run.captureDifferingBytes.b;
  const choice = choiceOf(run);
  if (bytes.positions === 0) return { word: 'void', sentence: 'Nothing was compared.' };
  if (run.nonFinite.a >= logits) return { word: 'void', sentence: 'No logit is a number, so nothing can be told from them.' };
  if (run.noise.repeatDifferingBytes > 0) {
    return { word: 'defect', sentence: `Not reproducible: single steps run twice differ in ${plural(run.noise.repeatDifferingBytes, 'byte')}, so nothing else here can be judged.` };
  }
  if (bytes.logits + bytes.state === 0 && observed > 0) {
    return { word: 'void', sentence: `Logits and state agree when nobody looks, but observing changed ${plural(observed, 'logit byte')}: this capture cannot be trusted.` };
  }
  if (bytes.logits + bytes.state + bytes.taps === 0) return { word: 'equal', sentence: equalSentence(run, bytes) };
  if (choice === null) return { word: 'drift', sentence: `${capitalise(bytesSentence(run, bytes))}; every greedy choice agrees.${distrust(run)}` };
  const said = `${plural(greedyDifferences(run).length, 'greedy choice differs', 'greedy choices differ')}: ${choiceSentence(run, choice.position, choice.tie)}`;
  return { word: choice.tie ? 'tie' : 'defect', sentence: `${said}. ${capitalise(bytesSentence(run, bytes))}.${distrust(run)}` };
}

/** "no logit is a number, so nothing can be told from them": why the first of them is void. */
function reasonOf(runs: readonly Pick<Judged, 'verdict'>[]): string {
  const reason = runs.find(({ verdict }) => verdict.word === 'void')?.verdict.sentence.split(/\.(?:\s|$)/)[0] ?? '';
  return reason === '' ? '' : `: ${reason.slice(0, 1).toLowerCase()}${reason.slice(1)}`;
}

type Judged = Placed & Pick<BisectRun, 'label' | 'width' | 'verdict' | 'logits' | 'noise'>;

/** ": in width 8 · walk, at position 110, and bytes part first at layer 0 · q_proj, ...": of the first run with the word, which the page opens on as well. Bytes may part long before a choice does. */
function firstPlace([run]: readonly Judged[]): string {
  if (run === undefined) return '';
  const choice = choiceOf(run);
  const place = placeOf(run);
  const said = [choice === null ? '' : `at position ${choice.position}`, place === '' ? '' : `bytes part first at ${place}`].filter((part) => part !== '');
  return `: in ${[run.label, said.join(', and ')].filter((part) => part !== '').join(', ')}`;
}

/** What a block of such a width does, after "width 8" and after "widths 8 and 16". */
const meanings: Record<VerdictWord, readonly [string, string]> = {
  equal: ['gives the same bytes as single steps', 'give the same bytes as single steps'],
  drift: ['differs in bytes while every greedy choice agrees', 'differ in bytes while every greedy choice agrees'],
  tie: ['changes a greedy choice within the noise floor', 'change a greedy choice within the noise floor'],
  defect: ['changes a greedy choice by more than the noise floor, or is not reproducible', 'change a greedy choice by more than the noise floor, or are not reproducible'],
  declined: ['was declined', 'were declined'],
  void: ['showed nothing that can be trusted', 'showed nothing that can be trusted'],
};

/** Widths in order with their gravest word, then gathered by word. */
function widthsByWord(runs: readonly Judged[]): Map<VerdictWord, number[]> {
  const words = [...new Set(runs.map(({ width }) => width))].map((width) => ({ width, word: gravest(runs.filter((run) => run.width === width).map(({ verdict }) => verdict.word)) }));
  const gathered = new Map<VerdictWord, number[]>();
  for (const { width, word } of words) gathered.set(word, [...(gathered.get(word) ?? []), width]);
  return gathered;
}

/** Verdict of the whole table: the gravest word, and which widths stand where, gravest first. */
export function decideTable(runs: readonly Judged[]): Verdict {
  if (runs.length === 0) return { word: 'void', sentence: 'Nothing was compared.' };
  const gathered = [...widthsByWord(runs)].sort(([a], [b]) => moreGrave(a, b));
  const parts = gathered.map(([word, widths]) => {
    const these = runs.filter(({ width }) => widths.includes(width));
    // Of a run that carries the word: another run of these widths may part elsewhere and be milder.
    const place = word === 'equal' ? '' : word === 'void' ? reasonOf(these) : firstPlace(these.filter(({ verdict }) => verdict.word === word));
    return widths.length === 1 ? `width ${formatList(widths)} ${meanings[word][0]}${place}` : `widths ${formatList(widths)} ${meanings[word][1]}${place}`;
  });
  return { word: gravest(gathered.map(([word]) => word)), sentence: `${capitalise(parts.join('; '))}.` };
}

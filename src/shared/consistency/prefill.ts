// A prefill comparison: a map over the tokens of the prompt, and taps with a row a token.
import type { PrefillResult, PrefillRun, PrefillTap, TapMap } from '../results/prefill';
import { beyond, faultIn, faultOfChoices, faultOfNoise, faultOfState, firstOf, lengths, outside, placed } from './parts';

export const faultOfPrefill = ({ prompt, runs, noise }: PrefillResult): string =>
  firstOf(runs, (run, i) => faultOfRun(run, prompt.ids.length, `prefill.runs.${i}`)) || faultOfNoise(noise, 'prefill.noise');

function faultOfRun({ logits, state, taps, map }: PrefillRun, prompt: number, at: string): string {
  return (
    faultOfChoices(logits, `${at}.logits`, prompt) ||
    faultOfState(state, `${at}.state`) ||
    firstOf(taps, (tap, i) => faultOfTap(tap, prompt, `${at}.taps.${i}`)) ||
    (map === undefined ? '' : faultOfMap(map, prompt, `${at}.map`))
  );
}

function faultOfTap({ rows, differingRows, firstRow, measured }: PrefillTap, prompt: number, at: string): string {
  return (
    placed(`${at}.rows`, outside(rows, 1, prompt)) ||
    placed(`${at}.differingRows`, outside(differingRows, 1, rows)) ||
    placed(`${at}.firstRow`, outside(firstRow, 0, rows - differingRows)) ||
    (measured === null ? '' : placed(`${at}.measured.differingBytes`, beyond(measured.differingBytes, measured.bytes, 'bytes')))
  );
}

function faultOfMap({ rows, positions, taps, differing }: TapMap, prompt: number, at: string): string {
  return (
    (rows.length === 0 ? `${at}.rows: is empty, so nothing was compared` : '') ||
    (positions === prompt && positions > 0 ? '' : `${at}.positions: is ${positions}, and the prompt has ${prompt} tokens`) ||
    lengths(at, { taps }, rows.length) ||
    lengths(at, { differing }, rows.length * positions) ||
    faultIn(`${at}.differing`, differing, (count, cell) => beyond(count, taps[Math.floor(cell / positions)] ?? 0, 'taps'))
  );
}

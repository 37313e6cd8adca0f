// What a schema cannot say of a report: columns of equal length, matrices of rows x positions, indices that exist, parts that are no larger than their whole.
// Views and accounts take counts of a report as sizes, so each of them is held against what the report lists, or against what an experiment may ask for.
import { faultOfAnswers, faultOfIds } from './consistency/answers';
import { faultOfRun } from './consistency/bisect';
import { faultOfClock } from './consistency/clock';
import { beyond, firstOf, outside, placed } from './consistency/parts';
import { faultOfPrefill } from './consistency/prefill';
import { faultOfParity, faultOfReplay, faultOfRewind } from './consistency/rounds';
import { limits } from './experiments/parts';
import type { DiffResult, Report } from './report';
import type { GateCheck, GateResult } from './results/gate';
import type { WidthsResult } from './results/widths';

/** The first fault as "place: what is wrong", "" for none. */
export const inconsistency = (report: Report): string => faultOfResult(report) || faultOfClock(report.run);

function faultOfResult(report: Report): string {
  switch (report.kind) {
    case 'bisect':
      return firstOf(report.bisect.runs, (run, index) => faultOfRun(run, `bisect.runs.${index}`));
    case 'replay':
      return faultOfReplay(report.replay);
    case 'rewind':
      return faultOfRewind(report.rewind);
    case 'prefill':
      return faultOfPrefill(report.prefill);
    case 'parity':
      return faultOfParity(report.parity);
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return faultOfAnswers(report.answers);
    case 'ids':
      return faultOfIds(report.ids);
    case 'diff':
      return faultOfDiff(report.diff);
    case 'gate':
      return faultOfGate(report.gate);
    case 'widths':
      return faultOfWidths(report.widths);
    case 'switches':
      return '';
  }
}

const faultOfDiff = ({ entries }: DiffResult): string => firstOf(entries, ({ bytes, differingBytes }, i) => placed(`diff.entries.${i}.differingBytes`, beyond(differingBytes, bytes, 'bytes')));

function faultOfGate({ batch, widths }: GateResult): string {
  const checks = ({ rows, differingRows, first }: GateCheck, at: string): string =>
    placed(`${at}.differingRows`, beyond(differingRows, rows, 'rows')) || (first === null ? '' : placed(`${at}.first.differingBytes`, beyond(first.differingBytes, first.totalBytes, 'bytes')));
  const attempts = firstOf(widths, ({ attempt, retry }, i) =>
    firstOf(attempt.checks, (check, c) => checks(check, `gate.widths.${i}.attempt.checks.${c}`)) || firstOf(retry?.checks ?? [], (check, c) => checks(check, `gate.widths.${i}.retry.checks.${c}`)),
  );
  return placed('gate.batch', outside(batch, 1, limits.batch)) || attempts;
}

const faultOfWidths = ({ prompts, widths }: WidthsResult): string =>
  firstOf(widths, ({ proposed, accepted, equalPrompts }, i) => placed(`widths.widths.${i}.accepted`, beyond(accepted, proposed, 'drafts')) || placed(`widths.widths.${i}.equalPrompts`, beyond(equalPrompts, prompts.length, 'prompts')));

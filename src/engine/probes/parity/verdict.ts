// Verdicts of a parity run: per width and over all of them.
import { capitalise, formatCount, formatFloat, formatList, formatWidths, plural } from '../../../shared/format';
import type { ParityRun, ParityWidth } from '../../../shared/results/parity';
import type { Noise } from '../../../shared/results/parts';
import { gravest, moreGrave, verdictWords, type Verdict, type VerdictWord } from '../../../shared/verdict';

const wordOf = ({ outcome, fork, auditBytes }: ParityRun, exact: boolean): VerdictWord => {
  if (outcome === 'declined') return 'declined';
  if (outcome === 'not run') return 'void';
  if (outcome === 'differs') return exact ? 'defect' : (fork?.word ?? 'defect');
  return auditBytes === 0 ? 'equal' : exact ? 'defect' : 'drift';
};

function forkSentence({ fork, prompt }: ParityRun): string {
  if (fork === null) return '';
  const place = fork.round < 0 ? 'the first token, before any round' : `token ${formatCount(fork.token)} (round ${formatCount(fork.round)}, row ${fork.row})`;
  return ` First at ${place} of prompt ${prompt + 1}: classic decode chooses ${fork.classicId}, the burst ${fork.burstId}, ${formatFloat(fork.gap)} apart against a noise floor of ${formatFloat(fork.floor)}.`;
}

export function verdictOf(runs: readonly ParityRun[], { decision, reason }: { decision: string; reason: string }, noise: Noise, exact: boolean): Verdict {
  if (runs.length === 0) return { word: 'void', sentence: 'Nothing was run.' };
  if (noise.repeatDifferingBytes > 0) return { word: 'defect', sentence: `Not reproducible: classic decode run twice differs in ${plural(noise.repeatDifferingBytes, 'byte')}.` };
  const word = gravest(runs.map((run) => wordOf(run, exact)));
  const count = (outcome: ParityRun['outcome']): number => runs.filter((run) => run.outcome === outcome).length;
  if (word === 'declined') return { word, sentence: `The gate declined: ${reason}. ${plural(count('declined'), 'prompt')} ran classic.` };
  const rounds = runs.reduce((sum, run) => sum + run.rounds, 0);
  const overridden = decision === 'override' ? ' The gate was OVERRIDDEN.' : '';
  const audits = runs.reduce((sum, run) => sum + run.audits, 0);
  const bytes = runs.reduce((sum, run) => sum + run.auditBytes, 0);
  const audited = audits === 0 ? '' : ` After ${plural(audits, 'round')} the state was compared with single steps: ${formatCount(bytes)} bytes differ${bytes === 0 ? '' : `, first ${runs.find((run) => run.auditFirst !== '')?.auditFirst ?? ''}`}.`;
  const worst = runs.find((run) => wordOf(run, exact) === word);
  const outcomes = formatList([counted(count('equal'), 'is equal', 'are equal'), counted(count('differs'), 'differs', 'differ')]);
  const counts = `Of ${plural(runs.length, 'prompt')} ${outcomes} (${plural(rounds, 'round')})`;
  return { word, sentence: `${counts}.${worst === undefined ? '' : forkSentence(worst)}${audited}${overridden}` };
}

/** "none is equal", "1 differs", "2 differ" */
const counted = (count: number, one: string, many: string): string => (count === 0 ? `none ${one}` : `${formatCount(count)} ${count === 1 ? one : many}`);

/** K-invariance: does the first fork of a prompt stand at the same token at every width that ran? */
export function invarianceOf(runs: readonly ParityRun[]): string {
  const ran = runs.filter(({ outcome }) => outcome === 'equal' || outcome === 'differs');
  if (ran.length === 0) return 'No burst ran, so there is no fork to compare between widths.';
  const prompts = [...new Set(ran.map(({ prompt }) => prompt))];
  const widths = [...new Set(ran.map(({ width }) => width))];
  const forked = prompts.filter((prompt) => ran.some((run) => run.prompt === prompt && run.fork !== null));
  if (forked.length === 0) return 'No burst leaves classic text, so there is no fork to compare between widths.';
  if (widths.length < 2) return 'One width ran: whether the fork moves with the width is not known.';
  const tokens = (prompt: number): number[] => ran.filter((run) => run.prompt === prompt).map(({ fork }) => fork?.token ?? -1);
  const fixed = forked.filter((prompt) => new Set(tokens(prompt)).size === 1);
  if (fixed.length === forked.length) {
    return `Every burst leaves classic text at the same token whatever the width (${formatList(forked.slice(0, 8).map((prompt) => `prompt ${prompt + 1}: token ${tokens(prompt)[0] ?? 0}`))}), and the widths agree with each other: what all of them share does it, the prefill or the forward path, not rewind or accept rule.`;
  }
  return `The fork moves with the width (${formatList(forked.filter((prompt) => !fixed.includes(prompt)).slice(0, 4).map((prompt) => `prompt ${prompt + 1}: tokens ${tokens(prompt).map((token) => (token < 0 ? 'none' : String(token))).join(', ')}`))}): block shape, rewind or accept rule, and not what all widths share.`;
}

/** What bursts of one width, and of several, do. */
const does: Readonly<Record<VerdictWord, readonly [one: string, several: string]>> = {
  equal: ['emits classic text', 'emit classic text'],
  drift: ['emits classic text from another state', 'emit classic text from another state'],
  tie: ['leaves classic text within the noise floor', 'leave classic text within the noise floor'],
  defect: ['parts from classic decode', 'part from classic decode'],
  declined: ['is declined', 'are declined'],
  void: ['was not run', 'were not run'],
};

function headline(word: VerdictWord, widths: readonly number[], runs: readonly ParityRun[]): string {
  const fork = runs.find((run) => run.fork !== null && widths.includes(run.width) && (word === 'tie' || word === 'defect'));
  const place = fork?.fork ? `, first at token ${formatCount(fork.fork.token)} of prompt ${fork.prompt + 1}` : '';
  return `${formatWidths(widths)} ${does[word][widths.length === 1 ? 0 : 1]}${place}`;
}

export function overall(widths: readonly ParityWidth[], runs: readonly ParityRun[], invariance: string): Verdict {
  if (widths.length === 0) return { word: 'void', sentence: 'Nothing was run.' };
  const word = gravest(widths.map(({ verdict }) => verdict.word));
  const of = (which: VerdictWord): number[] => widths.filter(({ verdict }) => verdict.word === which).map(({ width }) => width);
  const parts = [...verdictWords].sort(moreGrave).filter((one) => of(one).length > 0).map((one) => headline(one, of(one), runs));
  const worst = widths.find(({ verdict }) => verdict.word === word);
  return { word, sentence: `${capitalise(parts.join('; '))}. Width ${worst?.width ?? 0}: ${worst?.verdict.sentence ?? ''}${word === 'tie' || word === 'defect' ? ` ${invariance}` : ''}` };
}

// What a report says in words.
import { formatCount, formatFloat, formatMs, plural } from '../../shared/format';
import type { BisectRun, FirstDivergence, MapRow, Report, StateDiff } from '../../shared/report';
import type { VerdictWord } from '../../shared/verdictWord';
import { percent, share } from './numbers';

export const verdictMeans: Readonly<Record<VerdictWord, string>> = {
  equal: 'Every compared byte is the same.',
  drift: 'Bytes differ, every greedy choice agrees.',
  tie: 'A greedy choice differs, within the measured noise floor.',
  defect: 'A greedy choice differs by more than the noise floor, or bytes differ where they may not.',
  declined: 'The exactness gate refused to run the arm.',
  void: 'Nothing was shown.',
};

export const kindWords: Readonly<Record<MapRow['kind'], { readonly letter: string; readonly name: string }>> = {
  embedding: { letter: 'E', name: 'embedding' },
  attention: { letter: 'A', name: 'attention' },
  gated_delta: { letter: 'Δ', name: 'gated delta' },
  head: { letter: 'H', name: 'head' },
};

const list = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

export function modelInWords({ provenance: { model } }: Report): string {
  if (!model) return '';
  return list([model.architecture, `${model.layers.length} layers`, `hidden ${formatCount(model.hidden)}`, model.dtype, model.quantisation]);
}

export function runFactsInWords({ run, provenance }: Report): string {
  const started = new Date(run.startedAt);
  const when = Number.isNaN(started.getTime()) ? run.startedAt : started.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
  const where = { process: 'engine process', extensionHost: 'extension host', cli: 'command line' }[run.location];
  return list([when, formatMs(run.durationMs), where, `${provenance.engine.name} ${provenance.engine.version}`.trim()]);
}

export function sourceInWords(run: BisectRun): string {
  switch (run.source) {
    case 'draw':
      return `draw ${run.draw + 1}`;
    case 'walk':
      return `walk of ${formatCount(run.blockIds.length)}`;
    case 'text':
      return 'prompt text';
    case 'ids':
      return 'prompt ids';
  }
}

/** layer 3 · q_rope */
export const placeInWords = (run: BisectRun, first: FirstDivergence): string => `${run.rows[first.row]?.label ?? `layer ${first.layer}`} · ${first.tap}`;

/** The state tensor that shows a difference when no tap does. */
export const firstState = ({ state }: BisectRun): StateDiff | undefined => state.find(({ differingBytes }) => differingBytes > 0);

/** layer 0 · recurrent_state */
export const stateInWords = ({ layer, tensor }: StateDiff): string => `layer ${layer} · ${tensor}`;

/** Position in the block and in the whole sequence. */
export function positionInWords(run: BisectRun, position: number): string {
  const id = run.blockIds[position];
  return `position ${position} (absolute ${formatCount(run.promptIds.length + position)}${id === undefined ? '' : `, id ${id}`})`;
}

export const logitBytes = (run: BisectRun): number => run.logits.differingBytes.reduce((sum, n) => sum + n, 0);
export const argmaxDiffers = ({ logits }: BisectRun, position: number): boolean => logits.argmaxA[position] !== logits.argmaxB[position];
export const otherChoices = (run: BisectRun): number => run.logits.argmaxA.filter((_, position) => argmaxDiffers(run, position)).length;

/** Without the name of the hash. */
export const shortFingerprint = (fingerprint: string): string => fingerprint.slice(fingerprint.indexOf(':') + 1, fingerprint.indexOf(':') + 13);

/** What a cell holds, for the hover card's reader by ear. */
export function cellInWords(run: BisectRun, row: number, position: number): string {
  const { cells } = run;
  const cell = row * cells.positions + position;
  const bytes = cells.rowBytes[row] ?? 0;
  const differing = cells.differingBytes[cell] ?? 0;
  const place = `${run.rows[row]?.label ?? ''}, position ${position}`;
  if (bytes === 0) return `${place}: not compared`;
  if (differing === 0) return `${place}: equal, ${plural(bytes, 'byte')} compared`;
  const first = run.first?.row === row && run.first.position === position ? ', first divergence' : '';
  const amounts = `${percent(share(differing, bytes))}, ${formatCount(differing)} of ${plural(bytes, 'byte')} differ`;
  return `${place}: ${amounts}, max ULP ${formatCount(cells.maxUlp[cell] ?? 0)}, relative L2 ${formatFloat(cells.relL2[cell] ?? 0, 3)}${first}`;
}

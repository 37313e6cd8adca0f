// A capture as files for other tools: the whole of it as JSON, its rounds as a table. Both are made in pieces, since a log may be larger than a string can be.
import type { Capture, CapturedRequest } from '../../shared/capture';
import type { ExportFormat } from '../../shared/logReaderProtocol';
import { writeWhole } from '../../disk/writeWhole';
import { badInput } from '../problem';
import { reasonOf } from '../reportStore';

/** The same bytes as JSON.stringify of the capture, and a line end. */
export function* jsonPieces(capture: Capture): Generator<string> {
  let before = '{';
  for (const [name, value] of Object.entries(capture)) {
    yield `${before}${JSON.stringify(name)}:`;
    if (Array.isArray(value)) yield* listPieces(value);
    else yield JSON.stringify(value);
    before = ',';
  }
  yield '}\n';
}

function* listPieces(values: readonly unknown[]): Generator<string> {
  yield '[';
  for (const [i, value] of values.entries()) yield `${i === 0 ? '' : ','}${JSON.stringify(value)}`;
  yield ']';
}

const columns = ['ordinal', 'request', 'round', 'width', 'drafted', 'accepted', 'kept', 'bonus', 'draft_ids', 'target_ids', 'new_ids', 'line'] as const;

/** Of what a log says, a tab or a line end would begin another cell. */
const cell = (text: string): string => text.replace(/[\t\r\n]/g, ' ');
const optional = (value: number | null | undefined): string => (value === null || value === undefined ? '' : String(value));
const list = (ids: readonly number[] | null): string => ids?.join(',') ?? '';

function* requestLines({ ordinal, request, rounds, drafted }: CapturedRequest): Generator<string> {
  for (const [i, round] of (rounds ?? []).entries()) {
    const { index, width, accepted, bonus, drafts, targets, emitted, line } = round;
    const cells = [String(ordinal), cell(request ?? ''), String(index), optional(width), optional(drafted?.[i]), String(accepted), String(accepted + 1), optional(bonus), list(drafts), list(targets), list(emitted), optional(line)];
    yield `${cells.join('\t')}\n`;
  }
}

/** A round a line, under a heading. Empty cells: the log does not say. */
export function* tsvPieces({ requests }: Pick<Capture, 'requests'>): Generator<string> {
  yield `${columns.join('\t')}\n`;
  for (const request of requests) yield* requestLines(request);
}

/** Lines are short and a write each would take long. */
function* gathered(pieces: Iterable<string>, least = 256 * 1024): Generator<string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    if (text.length < least) continue;
    yield text;
    text = '';
  }
  yield text;
}

/** Written whole or not at all. Throws a Problem. */
export async function exportCapture(capture: Capture, format: ExportFormat, file: string): Promise<void> {
  if (format === 'tsv' && capture.requests.every(({ rounds }) => rounds === null || rounds.length === 0)) throw badInput('This log holds no rounds in order, so there is no table of them', capture.source, 'Export it as JSON');
  try {
    await writeWhole(file, gathered(format === 'json' ? jsonPieces(capture) : tsvPieces(capture)));
  } catch (error) {
    throw badInput(`The export cannot be written: ${reasonOf(error)}`, file, 'Choose another place');
  }
}

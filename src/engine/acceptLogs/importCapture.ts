// A log of any known engine as a normalised capture.
import { open, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Capture } from '../../shared/capture';
import type { RunProgress } from '../../shared/engineProtocol';
import { formatBytes } from '../../shared/format';
import { badInput, Problem, throwIfCancelled } from '../problem';
import { reasonOf } from '../reportStore';
import { CaptureBuilder } from './builder';
import { Dispatch } from './dispatch';
import { engineNames } from './engines';
import { parseJson } from './jsonText';
import { KeyPlaces } from './keyPlaces';
import { decoderFor, linesOf } from './lineStream';
import { limits } from './reader';

export interface ImportOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: RunProgress) => void) | undefined;
  /** Hears of what collects the capture before the first line is read, for those who show it while it grows. */
  readonly onBegin?: ((capture: CaptureBuilder, bytes: number) => void) | undefined;
}

const peekBytes = 64 * 1024;

interface Peeked {
  readonly bytes: number;
  readonly text: string;
}

/** The size of the file and the text of its beginning. */
async function peek(file: string): Promise<Peeked> {
  const facts = await stat(file);
  if (!facts.isFile()) throw badInput('This is not a file', file, 'Give the path of a log');
  if (facts.size === 0) throw badInput('This file is empty', file, 'Give the path of a log that holds something');
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(peekBytes), 0, peekBytes, 0);
    const start = buffer.subarray(0, bytesRead);
    const text = decoderFor(start).decode(start);
    if (text.includes('\0')) throw badInput('This file is not text', file, 'Give the path of a log; unpack it first if it is packed');
    return { bytes: facts.size, text };
  } finally {
    await handle.close();
  }
}

/** A JSON document over several lines (or one very long one), as opposed to JSON lines and to log lines that begin with a bracket. */
export function looksLikeDocument(text: string): boolean {
  if (!/^\s*(?:\{\s*(?:"|\}|$)|\[\s*(?:[{[\]"]|$))/.test(text)) return false;
  const lines = text.trimStart().split('\n');
  return !parseJson(lines[0] ?? '').ok;
}

/** Why the file is no JSON document, "" when it was read as one. */
async function readDocument(file: string, bytes: number, dispatch: Dispatch, { signal, onProgress }: ImportOptions): Promise<string> {
  if (bytes > limits.documentBytes) {
    throw badInput(`This JSON document is too large: it has ${formatBytes(bytes)}, at most ${formatBytes(limits.documentBytes)} are read at once`, file, 'Save one object a line (JSON lines), which may have any size, or cut out the part of interest');
  }
  const buffer = await readFile(file, { signal });
  onProgress?.({ text: 'reading the log', done: bytes, total: bytes });
  const text = decoderFor(buffer).decode(buffer);
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed.reason;
  const keys = new KeyPlaces(text);
  dispatch.document(parsed.value, (key) => keys.next(key));
  dispatch.end(0);
  return '';
}

async function readLines(file: string, bytes: number, capture: CaptureBuilder, dispatch: Dispatch, { signal, onProgress }: ImportOptions): Promise<void> {
  let last = 0;
  const onBytes = (done: number): void => onProgress?.({ text: 'reading the log', done, total: bytes });
  for await (const lines of linesOf(file, { signal, onBytes })) {
    for (const { number, text, cut } of lines) {
      if (cut) capture.warn(`line ${number} has more than ${limits.lineChars} characters; the rest of it was not read`);
      dispatch.line(number, text);
    }
    last = lines.at(-1)?.number ?? last;
  }
  dispatch.end(last);
}

function unrecognised(file: string, documentFault: string): Problem {
  const title = documentFault === '' ? 'Nothing in this file is a known log of speculative decoding' : `This JSON document cannot be read: ${documentFault}`;
  return badInput(title, file, `Looked for lines, metrics and replies of ${engineNames.join(', ')}. Let the engine log its acceptance (see moire logs --help) and import that`);
}

/** A known line or object was there, but none that could be used. */
function unusable({ firstFinding }: CaptureBuilder, file: string): Problem | null {
  if (firstFinding === null) return null;
  const where = firstFinding.line === null ? file : `${file}, line ${firstFinding.line}`;
  return badInput(`Nothing in this log can be used: ${firstFinding.sentence}`, where, 'Let the engine write the log again');
}

async function read(file: string, options: ImportOptions): Promise<Capture> {
  const { bytes, text } = await peek(file);
  throwIfCancelled(options.signal);
  const capture = new CaptureBuilder(path.basename(file), file);
  options.onBegin?.(capture, bytes);
  const dispatch = new Dispatch(capture);
  const fault = looksLikeDocument(text) ? await readDocument(file, bytes, dispatch, options) : null;
  if (fault !== '') await readLines(file, bytes, capture, dispatch, options);
  if (!capture.recognised) throw (fault === null ? unusable(capture, file) : null) ?? unrecognised(file, fault ?? '');
  return capture.finish(bytes);
}

/** Throws a Problem: for a file that cannot be read, that holds no known log, or more of one than is kept; and when it is cancelled. */
export async function importCapture(file: string, options: ImportOptions = {}): Promise<Capture> {
  try {
    return await read(file, options);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throwIfCancelled(options.signal);
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (typeof code !== 'string' || code === '') throw error;
    throw badInput(`The log cannot be read: ${code === 'ENOENT' ? 'it does not exist' : reasonOf(error)}`, file, 'Check the path');
  }
}

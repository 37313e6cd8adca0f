// Lines of a file of any size: no more is held than a chunk of the file and a line, and a line without end is cut.
import { createReadStream } from 'node:fs';
import { TextDecoder } from 'node:util';
import { throwIfCancelled } from '../problem';
import { limits } from './reader';

export interface StreamedLine {
  readonly number: number;
  readonly text: string;
  /** The line was longer than what is read of one. */
  readonly cut: boolean;
}

export interface StreamOptions {
  readonly signal?: AbortSignal | undefined;
  /** Bytes read so far. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
}

/** Collects the pieces of a line that spans chunks, up to the limit. */
class Pending {
  private pieces: string[] = [];
  private length = 0;
  cut = false;

  add(piece: string): void {
    const room = limits.lineChars - this.length;
    if (piece.length > room) this.cut = true;
    if (room <= 0 || piece === '') return;
    const kept = piece.length > room ? piece.slice(0, room) : piece;
    this.pieces.push(kept);
    this.length += kept.length;
  }

  get empty(): boolean {
    return this.length === 0 && !this.cut;
  }

  take(number: number): StreamedLine {
    const text = this.pieces.length === 1 ? (this.pieces[0] ?? '') : this.pieces.join('');
    const line = { number, text: text.endsWith('\r') ? text.slice(0, -1) : text, cut: this.cut };
    this.pieces = [];
    this.length = 0;
    this.cut = false;
    return line;
  }
}

/** UTF-8, or UTF-16 where a byte order mark says so (shells on Windows redirect in it). */
export function decoderFor(first: Buffer): TextDecoder {
  return new TextDecoder(first[0] === 0xff && first[1] === 0xfe ? 'utf-16le' : first[0] === 0xfe && first[1] === 0xff ? 'utf-16be' : 'utf-8');
}

/** The lines that end in each chunk of the file. */
export async function* linesOf(file: string, { signal, onBytes }: StreamOptions): AsyncGenerator<readonly StreamedLine[]> {
  const pending = new Pending();
  let decoder: TextDecoder | null = null;
  let bytes = 0;
  let number = 1;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    throwIfCancelled(signal);
    decoder ??= decoderFor(chunk);
    const text = decoder.decode(chunk, { stream: true });
    const lines: StreamedLine[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      pending.add(text.slice(start, end));
      start = end + 1;
      lines.push(pending.take(number++));
    }
    pending.add(text.slice(start));
    bytes += chunk.length;
    yield lines;
    onBytes?.(bytes);
  }
  pending.add(decoder?.decode() ?? '');
  if (!pending.empty) yield [pending.take(number)];
}

// The capture log of a whole served run, line by line as rounds happen: it can be opened while the run goes on, and replayed afterwards.
import { appendFile, open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Problem } from '../problem';
import { reasonOf } from '../reportStore';
import { CaptureLines, type ServedHeader } from './captureLines';

export class CaptureFile {
  readonly lines: CaptureLines;
  private text = '';
  private writing: Promise<void> = Promise.resolve();
  private failed = false;

  private constructor(
    private readonly file: string,
    header: ServedHeader,
    private readonly onWarning: (sentence: string) => void,
  ) {
    this.lines = new CaptureLines((line) => (this.text += line), header);
  }

  /** A new file. Throws a Problem where there is one already or none can be made. */
  static async create(file: string, header: ServedHeader, onWarning: (sentence: string) => void): Promise<CaptureFile> {
    const made = new CaptureFile(file, header, onWarning);
    const { text } = made;
    made.text = '';
    try {
      await writeFile(file, text, { flag: 'wx' });
    } catch (error) {
      const exists = error instanceof Error && 'code' in error && error.code === 'EEXIST';
      throw new Problem({ kind: 'input', title: exists ? 'The capture file is there already' : `The capture file cannot be written: ${reasonOf(error)}`, place: path.resolve(file), action: 'Choose another file' }, { cause: error });
    }
    return made;
  }

  /** The file of this run, which an engine process that died left: rounds go on behind its last whole line, after a header of their own. */
  static async resume(file: string, header: ServedHeader, onWarning: (sentence: string) => void): Promise<CaptureFile> {
    try {
      await cutLastLine(file);
    } catch (error) {
      onWarning(`The last line of the capture may be cut: ${reasonOf(error)} (${file}).`);
    }
    return new CaptureFile(file, header, onWarning);
  }

  /** Whole lines only. Nobody waits for the disk; one that takes no more is told of once. */
  flush(): void {
    const { text } = this;
    this.text = '';
    if (text === '' || this.failed) return;
    this.writing = this.writing.then(() => appendFile(this.file, text)).catch((error: unknown) => {
      if (!this.failed) this.onWarning(`Rounds are no longer captured: ${reasonOf(error)} (${this.file}).`);
      this.failed = true;
    });
  }

  async close(): Promise<void> {
    this.lines.endAll();
    this.flush();
    await this.writing;
  }
}

const chunk = 65_536;

/** Takes away what stands behind the last line feed. */
async function cutLastLine(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  try {
    let end = (await handle.stat()).size;
    for (let whole = false; end > 0 && !whole; ) {
      const from = Math.max(0, end - chunk);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - from), 0, end - from, from);
      const at = buffer.lastIndexOf('\n', bytesRead - 1);
      whole = at >= 0;
      end = whole ? from + at + 1 : from;
    }
    await handle.truncate(end);
  } finally {
    await handle.close();
  }
}

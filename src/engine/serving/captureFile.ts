// The capture log of a whole served run, line by line as rounds happen: it can be opened while the run goes on, and replayed afterwards.
import { appendFile, writeFile } from 'node:fs/promises';
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

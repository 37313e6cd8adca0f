// The rounds of bursts while they run, beside the file that is to hold them: what a run has when it is cancelled, fails or is killed.
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { CaptureLogWriter } from './acceptLogs/moireLog';
import { reasonOf } from './reportStore';
import type { BurstRound } from './speculative/burst';
import { type CapturedBurst, type CaptureHeader, type RunningBurst, writeEnd, writePrompt, writeRound } from './speculative/captureText';

/** Its name. JSON lines whatever the file is to be: text lines do not tell the rows of a batch apart. */
export const partialCaptureOf = (file: string): string => `${file}.partial`;

/** Made with the first round. A file that cannot be written is no reason to end the run: the user hears of it once. */
export class PartialBurstLog {
  private text = '';
  private readonly begun = new Set<string>();
  private readonly writer: CaptureLogWriter;
  private state: 'none' | 'there' | 'broken' = 'none';

  constructor(
    readonly file: string,
    header: CaptureHeader,
    private readonly onWarning: ((sentence: string) => void) | undefined,
  ) {
    this.writer = new CaptureLogWriter((line) => (this.text += line), header);
  }

  get isThere(): boolean {
    return this.state === 'there';
  }

  /** On the disk when it returns. */
  async round({ request, row, prompt }: RunningBurst, round: BurstRound): Promise<void> {
    const own = round.rows[row];
    if (own?.live !== true) return;
    this.begin(request, prompt, own.bonus);
    writeRound(this.writer, request, round, own);
    await this.flush();
  }

  /** Goes to the disk with the next flush. */
  end(captured: CapturedBurst): void {
    const own = captured.burst.rows[captured.row];
    // A first token that ends the text leaves no round.
    if (own !== undefined) this.begin(captured.request, own.prompt, own.ids[0] ?? 0);
    writeEnd(this.writer, captured);
  }

  async flush(): Promise<void> {
    const { text } = this;
    this.text = '';
    // The header alone is no reason to make a file.
    if (this.state === 'broken' || this.begun.size === 0 || text === '') return;
    try {
      await (this.state === 'none' ? writeFile : appendFile)(this.file, text);
      this.state = 'there';
    } catch (error) {
      this.state = 'broken';
      this.onWarning?.(`The rounds of the bursts are not kept while the run lasts: ${reasonOf(error)} (${this.file}).`);
    }
  }

  private begin(request: string, prompt: readonly number[], firstBonus: number): void {
    if (this.begun.has(request)) return;
    this.begun.add(request);
    writePrompt(this.writer, request, prompt, firstBonus);
  }

  /** One of an earlier run goes as well. */
  async remove(): Promise<void> {
    this.text = '';
    await rm(this.file, { force: true });
    this.state = 'none';
  }
}

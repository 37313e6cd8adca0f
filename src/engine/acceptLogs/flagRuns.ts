// Flags per token, true for a drafted one: a run of true closed by one false is a round.
import type { CapturedRound } from '../../shared/capture';
import type { CaptureBuilder } from './builder';
import { limits, type Format, type LogLine } from './reader';
import { quoteOf } from './text';

export class FlagRuns {
  private readonly rounds: CapturedRound[] = [];
  private emitted: number[] = [];
  private drafted = 0;
  private first: LogLine | null = null;
  private ids = true;

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly format: Format,
  ) {}

  /** One token; `id` null where the log has none. */
  add(drafted: boolean, id: number | null, at: LogLine): void {
    this.first ??= { number: at.number, text: quoteOf(at.text) };
    this.capture.reserve(0, 1);
    if (id === null) this.ids = false;
    this.emitted.push(id ?? 0);
    if (drafted) this.drafted += 1;
    else this.close(at.number);
  }

  /** Tokens of one piece of text share their flag. */
  addMany(drafted: boolean, count: number, at: LogLine): void {
    for (let i = 0; i < Math.min(count, limits.rounds + 1); i += 1) this.add(drafted, null, at);
  }

  private close(line: number | null): void {
    this.capture.reserve(1, 0);
    this.rounds.push({ index: this.rounds.length, width: null, bonus: null, drafts: null, targets: null, accepted: this.drafted, emitted: this.ids ? this.emitted : null, line });
    this.emitted = [];
    this.drafted = 0;
  }

  end(): void {
    if (this.first === null) return;
    const cut = this.emitted.length > 0;
    if (cut) this.close(null);
    if (cut) this.capture.warn('the last run of drafted tokens is not closed by one of the target: the last round is cut');
    const rounds = this.rounds.map((round) => (this.ids ? round : { ...round, emitted: null }));
    const emittedIds = this.ids ? rounds.flatMap(({ emitted }) => emitted ?? []) : null;
    this.capture.request({ format: this.format, stated: { accepted: rounds.map(({ accepted }) => accepted) }, rounds, emittedIds, at: this.first });
  }
}

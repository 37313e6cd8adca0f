// Reads the lines of bursts in order and gives every request to the capture when its end was seen.
import type { CaptureBuilder } from '../builder';
import type { LineReader, LogLine } from '../reader';
import { quoteOf } from '../text';
import { OpenBursts, type OpenBurst } from './openBursts';
import { readAccepts, readDiagnostics, readSummary, type Closing, type Diagnostics } from './closing';
import { anchors, formats } from './formats';
import { burstOf, burstOfList, burstOfTokens, sameList } from './match';
import { readRound, readWalk, type CutRound } from './roundLine';
import { bareClosing, settle, usableRounds } from './settle';

export class BurstLines implements LineReader {
  readonly anchors = Object.values(anchors);
  private readonly open: OpenBursts;
  private closing: Closing | null = null;
  private closed = false;
  private readonly sync = { ms: 0, rounds: 0 };
  /** A line that ends inside a field: cut if it is the last of the file, damaged if not. */
  private cut: (CutRound & { readonly at: LogLine; readonly burst: OpenBurst | null }) | null = null;
  /** An accept list without its end, judged the same way. */
  private cutList: LogLine | null = null;

  constructor(
    private readonly capture: CaptureBuilder,
    private readonly width: () => number | null,
  ) {
    this.open = new OpenBursts(capture);
  }

  read(line: LogLine): void {
    const { text } = line;
    this.damaged();
    if (text.includes(anchors.round)) this.round(line);
    else if (text.includes(anchors.accepts)) this.accepts(line);
    else if (text.includes(anchors.mtpDiagnostics) || text.includes(anchors.diagnostics)) this.diagnostics(readDiagnostics(this.capture, line));
    else if (text.includes(anchors.completed)) this.summary(line);
    else if (text.includes(anchors.finalized)) this.finalized(line);
    else if (text.includes(`${anchors.walk}\t`) || text.startsWith(`${anchors.walk} `)) this.walk(line);
  }

  private round(line: LogLine): void {
    this.capture.saw(formats.transcript, line);
    const round = readRound(this.capture, line);
    if (round === null) return;
    if ('cutIn' in round) this.cut = { ...round, at: { number: line.number, text: quoteOf(line.text) }, burst: round.index === null ? null : this.open.expecting(round.index, round.bonus) };
    else for (const burst of this.open.add(round, line)) settle(this.capture, bareClosing(burst), { kind: 'served', width: null });
  }

  private walk(line: LogLine): void {
    this.capture.saw(formats.mtpwalk, line);
    const burst = this.open.of('MTP')[0] ?? this.open.begin('MTP');
    const round = readWalk(this.capture, line, burst.nextRound, burst.bonus);
    if (round === null) return;
    if ('cutIn' in round) this.cut = { ...round, at: { number: line.number, text: quoteOf(line.text) }, burst };
    else this.open.addWalk(burst, round, line);
  }

  private damaged(): void {
    if (this.cutList !== null) this.capture.find({ identity: 'lines are whole', sentence: 'the accept list has no end, but the log goes on' }, this.cutList);
    this.cutList = null;
    if (this.cut === null) return;
    const { cutIn, at, index, burst } = this.cut;
    this.capture.find({ identity: 'lines are whole', sentence: `a round line ends inside ${cutIn}, but the log goes on`, ...(index === null ? {} : { round: index }) }, at);
    if (burst !== null) burst.reason ||= `line ${at.number ?? 0} is damaged`;
    this.cut = null;
  }

  private get current(): Closing {
    this.closing ??= { burst: null, diagnostics: null, accepts: null, summary: null, finalized: null };
    return this.closing;
  }

  /** The diagnostics open the closing lines of a burst; an accept list just before may belong to them. */
  private diagnostics(diagnostics: Diagnostics): void {
    this.capture.saw(diagnostics.drafter === 'MTP' ? formats.mtpDiagnostics : formats.diagnostics, diagnostics.at);
    if (diagnostics.targetSyncMs !== null) {
      this.sync.ms += diagnostics.targetSyncMs;
      this.sync.rounds += diagnostics.roundCount ?? 0;
    }
    const joins = this.closing?.diagnostics === null && this.closing.summary === null && this.closing.accepts?.values.length === diagnostics.roundCount;
    if (!joins) this.flush();
    const { current } = this;
    current.diagnostics = diagnostics;
    if (current.burst === null) this.assign(burstOf(this.open.of(diagnostics.drafter), diagnostics));
  }

  private accepts(line: LogLine): void {
    this.capture.saw(formats.acceptLens, line);
    const accepts = readAccepts(this.capture, line);
    if (accepts === 'cut') this.cutList = { number: line.number, text: quoteOf(line.text) };
    if (accepts === null || accepts === 'cut') return;
    if (this.closing !== null && (this.closing.accepts !== null || this.closing.summary !== null)) this.flush();
    const { current } = this;
    current.accepts = accepts;
    if (current.burst !== null && sameList(current.burst.accepted, accepts.values)) return;
    const better = burstOfList(this.open.of('DFlash'), accepts.values);
    if (better !== null && (current.burst === null || sameList(better.accepted, accepts.values))) this.assign(better);
  }

  private summary(line: LogLine): void {
    if (this.closing !== null && this.closing.summary !== null) this.flush();
    const { current } = this;
    const summary = readSummary(this.capture, line, anchors.completed);
    current.summary = summary;
    if (current.diagnostics === null && current.accepts === null) this.assign(burstOfTokens(this.open.all, summary.generatedTokens));
  }

  private finalized(line: LogLine): void {
    if (this.current.finalized !== null) this.flush();
    const finalized = readSummary(this.capture, line, anchors.finalized);
    this.current.finalized = finalized;
    if (this.current.diagnostics === null && this.current.accepts === null && this.current.burst === null) this.assign(burstOfTokens(this.open.all, finalized.generatedTokens));
    if (finalized.whole) this.flush();
  }

  /** Takes the burst out of the open ones; another one that was taken before goes back. */
  private assign(burst: OpenBurst | null): void {
    const { current } = this;
    if (current.burst !== null) this.open.putBack(current.burst);
    current.burst = burst;
    if (burst !== null) this.open.take(burst);
  }

  private flush(): void {
    if (this.closing === null) return;
    settle(this.capture, this.closing, { width: this.width() });
    if (this.closing.burst !== null) this.closed = true;
    this.closing = null;
  }

  /** A closing line that is the last of the file and lacks its last field was cut: its numbers may be too. */
  private dropCut(last: number): void {
    if (this.closing === null) return;
    const { diagnostics, summary, finalized } = this.closing;
    const isCut = (line: { at: LogLine; whole: boolean } | null): boolean => line !== null && !line.whole && line.at.number === last;
    if (isCut(diagnostics)) this.closing.diagnostics = null;
    if (isCut(summary)) this.closing.summary = null;
    if (isCut(finalized)) this.closing.finalized = null;
    if ([diagnostics, summary, finalized].some(isCut)) this.capture.warn('the last line is cut: its numbers were not used');
  }

  end(last: number): void {
    this.dropCut(last);
    this.flush();
    if (this.cutList !== null && this.cutList.number === last) this.cutList = null;
    if (this.sync.rounds > 0) this.capture.fact('targetSyncMsPerRound', this.sync.ms / this.sync.rounds);
    if (this.cut?.at.number !== last) this.damaged();
    const rest = this.open.all;
    if (rest.length > 0 && !this.closed) this.capture.warn('no line of the log ends a request, so whether the last one is complete is not known');
    for (const burst of rest) this.unclosed(burst);
    if (this.cut?.burst === null) this.capture.warn(`the last line is cut inside ${this.cut.cutIn} and belongs to no round before it`);
  }

  private unclosed(burst: OpenBurst): void {
    const count = burst.rounds.length;
    const isCut = this.cut?.burst === burst;
    if (count === 0 && !isCut) return;
    if (!isCut && !this.closed) settle(this.capture, bareClosing(burst), { kind: 'served', width: null });
    else settle(this.capture, bareClosing(burst), { kind: 'unfinished', reason: `${isCut ? `the last line is cut inside ${this.cut?.cutIn ?? ''}` : 'the log ends before the request does'}; ${usableRounds(count)}`, width: null });
  }
}

// llama.cpp server: lines of print_timing in three forms, cumulative statistics, `timings` of a reply, Prometheus.
import type { CaptureBuilder } from './builder';
import { roundsFromMean, type Stated } from './counts';
import { objectAt } from './jsonText';
import { allZeroWarning } from './logprobs';
import { SpecDecodeCounters } from './prometheus';
import { formatsOf, type EngineLogs, type JsonReader, type LineReader, type LogLine } from './reader';
import { after, own, quoteOf, ratioOf, ratiosOf, type Ratio } from './text';

const formats = formatsOf('llama.cpp', 'llamacpp', {
  old: ['print_timing, old form', 'D', 'totals', false, 'request'],
  timing: ['print_timing', 'C', 'mean length with bonus, per-position survival', true, 'request'],
  means: ['print_timing without positions', 'D', 'mean length with bonus', true, 'request'],
  trace: ['print_timing + statistics at TRACE', 'C', 'mean length with bonus, per-position survival', true, 'request; statistics line cumulative since start'],
  statistics: ['statistics line of an implementation', 'C', 'mean length with bonus, per-position survival', true, 'cumulative since start, all requests'],
  response: ['timings in the reply', 'D', 'totals', false, 'request'],
  prometheus: ['Prometheus counters', 'C', 'counters, per position', false, 'cumulative, all requests'],
});

/** What the lines of one task have said so far. */
interface Task {
  readonly at: LogLine;
  readonly acceptedSum: number | null;
  readonly proposedSum: number | null;
  readonly acceptanceRate: Ratio | null;
  readonly meanLengthWithBonus: Ratio | null;
  readonly promptTokens: number | null;
  readonly generatedTokens: number | null;
  perPosition: Ratio[] | null;
  /** Positions on a line of their own: the form of TRACE. */
  trace: boolean;
}

const acceptance = /^(?: rate)? = ([\d.]{1,20}|-?nan) \(\s*(\S{1,24}) accepted \/\s*(\S{1,24}) generated\)/;
const mean = /mean (?:acceptance length|len) =\s*([\d.]{1,20})/;
const positions = /acceptance rate per position = (\([^)]{0,2000}\))/;

class Timings implements LineReader {
  readonly anchors = ['print_timing:', 'draft acceptance', 'eval time =', 'acc per pos = '];
  private readonly tasks = new Map<string, Task>();
  private task = '';
  private evaluated = { prompt: null as number | null, generated: null as number | null };

  constructor(private readonly capture: CaptureBuilder) {}

  read(line: LogLine): void {
    const [, task] = /print_timing: id\s+-?\d{1,9} \| task (-?\d{1,12})/.exec(line.text.slice(0, 500)) ?? [];
    if (task !== undefined && task !== this.task) {
      this.task = own(task);
      this.evaluated = { prompt: null, generated: null };
    }
    if (line.text.includes('draft acceptance')) this.readAcceptance(line);
    else if (line.text.includes('acc per pos = ')) this.readPositions(line);
    else this.readEvaluated(line);
  }

  private readEvaluated(line: LogLine): void {
    const [, what, tokens] = /(prompt eval|eval) time =\s*[\d.]{1,20} ms \/\s*(\d{1,12}) tokens/.exec(line.text.slice(0, 500)) ?? [];
    if (what !== undefined) this.evaluated[what === 'eval' ? 'generated' : 'prompt'] = Number(tokens);
  }

  private readAcceptance(at: LogLine): void {
    const rest = after(at.text, 'draft acceptance');
    const [, rate, accepted, generated] = acceptance.exec(rest) ?? [];
    if (rate === undefined) return;
    this.close(this.task);
    const perPosition = positions.exec(rest)?.[1];
    this.tasks.set(this.task, {
      at: { number: at.number, text: quoteOf(at.text) },
      acceptedSum: this.capture.count(accepted, 'accepted', at),
      proposedSum: this.capture.count(generated, 'generated', at),
      acceptanceRate: ratioOf(rate),
      meanLengthWithBonus: ratioOf(mean.exec(rest)?.[1]),
      promptTokens: this.evaluated.prompt,
      generatedTokens: this.evaluated.generated,
      perPosition: perPosition === undefined ? null : ratiosOf(perPosition),
      trace: false,
    });
  }

  private readPositions(line: LogLine): void {
    const task = this.tasks.get(this.task);
    if (task === undefined) return;
    task.perPosition = ratiosOf(after(line.text, 'acc per pos = '));
    task.trace = true;
  }

  private close(name: string): void {
    const task = this.tasks.get(name);
    if (task === undefined) return;
    this.tasks.delete(name);
    const { at, trace, perPosition, acceptedSum, proposedSum, meanLengthWithBonus } = task;
    const roundCount = roundsFromMean(acceptedSum, proposedSum, meanLengthWithBonus, perPosition?.length ?? 0);
    const format = trace ? formats.trace : perPosition !== null ? formats.timing : meanLengthWithBonus !== null ? formats.means : formats.old;
    this.capture.request({ format, request: name === '' ? null : `task ${name}`, stated: { ...task, roundCount }, at });
  }

  end(): void {
    for (const name of [...this.tasks.keys()]) this.close(name);
  }
}

const statistics = /^([\w-]{1,40}): #calls\(b,g,a\) = [\d ]{1,60}, #gen drafts = (\S{1,24}), #acc drafts = (\S{1,24}), #gen tokens = (\S{1,24}), #acc tokens = (\S{1,24}?)(?:, #mean acc len = ([\d.]{1,20}))?(?:, #acc rate\/pos = (\([^)]{0,2000}\)))?(?:,|$)/;

function readStatistics(capture: CaptureBuilder, at: LogLine): void {
  const [, implementation, drafts, accDrafts, proposed, accepted, length, perPosition] = statistics.exec(after(at.text, 'statistics ')) ?? [];
  if (implementation === undefined) return;
  const stated: Stated = {
    roundCount: capture.count(drafts, '#gen drafts', at),
    proposedSum: capture.count(proposed, '#gen tokens', at),
    acceptedSum: capture.count(accepted, '#acc tokens', at),
    meanLengthWithBonus: ratioOf(length),
    perPosition: perPosition === undefined ? null : ratiosOf(perPosition),
  };
  capture.warn('statistics lines are cumulative since the server started and sum over all requests');
  capture.interval({ format: formats.statistics, stated, at, facts: { implementation: own(implementation), roundsWithAnyAccept: capture.count(accDrafts, '#acc drafts', at) } });
}

function lines(capture: CaptureBuilder): LineReader[] {
  const adaptive = 'the draft length is adaptive: per-position rates are of the rounds that drafted that far';
  return [
    new Timings(capture),
    { anchors: ['#calls(b,g,a)'], read: (line) => readStatistics(capture, line) },
    { anchors: ['spec accept: adaptive n'], read: () => capture.warn(adaptive) },
    new SpecDecodeCounters(capture, formats.prometheus, 'llamacpp:spec_decode_'),
  ];
}

/** `timings` with draft counts and without the draft kind that mlxcel and mlx-vlm add. */
function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['timings'],
    read(reply, at): boolean {
      const timings = objectAt(reply, 'timings');
      if (timings?.['draft_n'] === undefined || 'draft_kind' in timings || 'draft_rounds' in timings) return false;
      const flags = capture.logprobs.flags(reply);
      if (flags.length > 0) capture.warn(allZeroWarning);
      const cacheN = capture.count(timings['cache_n'], 'cache_n', at);
      const stated: Stated = {
        acceptedSum: capture.count(timings['draft_n_accepted'], 'draft_n_accepted', at),
        proposedSum: capture.count(timings['draft_n'], 'draft_n', at),
        promptTokens: capture.count(timings['prompt_n'], 'prompt_n', at),
        generatedTokens: capture.count(timings['predicted_n'], 'predicted_n', at),
      };
      capture.request({ format: formats.response, stated, at, flags, facts: cacheN === null ? {} : { cacheN, warm: cacheN > 0 } });
      return true;
    },
  };
}

export const llamaCpp: EngineLogs = { formats: Object.values(formats), lines, json };

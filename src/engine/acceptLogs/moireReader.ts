// Reads Moire's own capture log.
import type { z } from 'zod';
import type { Facts } from '../../shared/capture';
import { badInput } from '../problem';
import type { CaptureBuilder } from './builder';
import { Burst } from './burst';
import { tokenViolation, type Violation } from './countAlgebra';
import { sum } from '../../shared/sum';
import { countsOf } from './counts';
import { faultText } from './faultText';
import { isObject, parseJson } from './jsonText';
import { CaptureLogEnd, captureLogFormat, CaptureLogHeader, CaptureLogRequest, CaptureLogRound, captureLogVersion } from './moireLog';
import { formatsOf, type EngineLogs, type JsonObject, type LineReader, type LogLine } from './reader';
import { quoteOf } from './text';

const formats = formatsOf('moire', 'moire', {
  capture: ['capture log of Moire', 'A', 'accepted drafts', false, 'round'],
});

class Captured extends Burst {
  prompt: CaptureLogRequest | null = null;
  ending: (CaptureLogEnd['end'] & { readonly at: LogLine }) | null = null;
  readonly ms = { draft: 0, verify: 0, accept: 0, rewind: 0 };

  constructor(override readonly name: string) {
    super(formats.capture);
  }
}

/** Why the request is not whole, "" where it is. */
function earlyEnd({ ending, rounds }: Captured, isCut: boolean): string {
  if (ending === null) return `${isCut ? 'the last line is cut' : 'the log ends before the request does'}; ${rounds.length} rounds are usable`;
  if (ending.reason === 'cancelled') return 'the run was cancelled';
  return ending.reason === 'error' ? 'the run failed' : '';
}

/** Of the forwards that made the state of a prompt, so many are told. */
const mostPieces = 32;

function piecesOf({ prompt }: Captured): Facts {
  const pieces = prompt?.partition;
  if (pieces === undefined) return {};
  const shown = pieces.slice(0, mostPieces).map(({ how, tokens }) => `${how} ${tokens}`);
  return { promptPieces: pieces.length > mostPieces ? [...shown, `and ${pieces.length - mostPieces} more`] : shown };
}

function factsOf(captured: Captured): Facts {
  const { ending, ms: { draft, verify, accept, rewind } } = captured;
  return { ...piecesOf(captured), ...(ending === null ? {} : { endReason: ending.reason }), draftMs: draft, verifyMs: verify, acceptMs: accept, rewindMs: rewind };
}

const header = `"${captureLogFormat}"`;
const notJson = { ok: false, reason: '' } as const;

class MoireLines implements LineReader {
  readonly anchors = [header];
  private inside = false;
  private readonly requests = new Map<string, Captured>();
  private seen = 0;
  private cut: LogLine | null = null;

  constructor(private readonly capture: CaptureBuilder) {}

  /** Behind the header every line belongs to the log. */
  get wantsAll(): boolean {
    return this.inside;
  }

  read(line: LogLine): void {
    if (line.text.trim() === '') return;
    this.damaged();
    // Lines of other writers between those of the log are common, and a parser that fails takes far longer than one that succeeds.
    const parsed = line.text.trimStart().startsWith('{') ? parseJson(line.text) : notJson;
    if (!parsed.ok || !isObject(parsed.value)) {
      if (this.inside) this.cut = { number: line.number, text: quoteOf(line.text) };
      return;
    }
    if (parsed.value['format'] === captureLogFormat) this.header(parsed.value, line);
    else if (this.inside) this.entry(parsed.value, line);
  }

  private header(value: JsonObject, line: LogLine): void {
    const { version } = value;
    if (typeof version === 'number' && version > captureLogVersion) throw badInput(`This capture log was written by a newer version of Moire: it has version ${version}, this one reads up to ${captureLogVersion}`, `line ${line.number ?? 1}`, 'Update Moire');
    const parsed = CaptureLogHeader.safeParse(value);
    if (!parsed.success) throw badInput(`The header of this capture log is damaged: ${faultText(parsed.error, value)}`, `line ${line.number ?? 1}`, 'Capture again, or mend that place');
    if (this.inside) this.finish(-1);
    this.inside = true;
    this.capture.saw(formats.capture, line);
    this.capture.configuredWidth(parsed.data.width);
    const { switches, sampling, partition, format: _format, version: _version, ...rest } = parsed.data;
    const pairs = (record: Readonly<Record<string, unknown>>): string[] => Object.entries(record).map(([key, field]) => `${key}=${String(field)}`);
    for (const [key, field] of Object.entries({ ...rest, switches: pairs(switches), sampling: pairs(sampling), partition })) this.capture.fact(key, field);
  }

  private entry(value: JsonObject, line: LogLine): void {
    if ('end' in value) this.with(CaptureLogEnd, value, line, (end) => this.endLine(end, line));
    else if ('round' in value) this.with(CaptureLogRound, value, line, (round) => this.round(round, line));
    else this.with(CaptureLogRequest, value, line, (request) => this.prompt(request, line));
  }

  private with<T>(schema: z.ZodType<T>, value: JsonObject, line: LogLine, use: (entry: T) => void): void {
    const parsed = schema.safeParse(value);
    if (parsed.success) {
      use(parsed.data);
      return;
    }
    this.capture.find({ identity: 'lines are whole', sentence: `this line of the capture log is left out: ${faultText(parsed.error, value)}; mend it, or capture again`, ...(typeof value['round'] === 'number' ? { round: value['round'] } : {}) }, line);
    const { request } = value;
    if (typeof request === 'string' && this.requests.has(request)) this.of(request, line).reason ||= `line ${line.number ?? 0} is damaged`;
  }

  private of(request: string, line: LogLine): Captured {
    const old = this.requests.get(request);
    if (old !== undefined) return old;
    const captured = new Captured(request);
    captured.first = { number: line.number, text: quoteOf(line.text) };
    this.requests.set(request, captured);
    return captured;
  }

  private prompt(request: CaptureLogRequest, line: LogLine): void {
    this.capture.reserve(0, request.promptIds.length);
    const captured = this.of(request.request, line);
    if (captured.prompt !== null || captured.rounds.length > 0 || captured.ending !== null) {
      this.misplaced(captured, 'the prompt of this request stands before its rounds, once; this line is left out', line);
      return;
    }
    captured.prompt = request;
  }

  private endLine({ request, end }: CaptureLogEnd, line: LogLine): void {
    const captured = this.of(request, line);
    if (captured.ending !== null) this.misplaced(captured, 'this request has ended before; this line is left out', line);
    else captured.ending = { ...end, at: { number: line.number, text: quoteOf(line.text) } };
  }

  private misplaced(captured: Captured, sentence: string, line: LogLine): void {
    this.capture.find({ identity: 'lines stand in order', sentence }, line);
    captured.reason ||= `line ${line.number ?? 0} does not belong there`;
  }

  private round({ request, round: index, ms, ...round }: CaptureLogRound, line: LogLine): void {
    const captured = this.of(request, line);
    this.capture.reserve(1, round.drafts.length + round.targets.length + round.emitted.length);
    if (captured.ending !== null) this.misplaced(captured, `round ${index} stands behind the end of its request`, line);
    if (index !== captured.nextRound) {
      this.capture.find({ identity: 'rounds count up', sentence: `round ${index} stands where round ${captured.nextRound} was expected`, round: index }, line);
      captured.reason ||= `round ${captured.nextRound} is missing`;
    }
    const first = captured.prompt?.firstBonus;
    if (captured.rounds.length === 0 && first !== undefined && first !== round.bonus) this.capture.find({ identity: 'bonus chain', sentence: `round ${index} starts from bonus ${round.bonus}, but the first bonus is ${first}`, round: index }, line);
    captured.add(this.capture, { index, ...round, line: line.number }, line, this.seen++);
    for (const part of ['draft', 'verify', 'accept', 'rewind'] as const) captured.ms[part] += ms[part];
  }

  private damaged(): void {
    if (this.cut !== null) this.capture.find({ identity: 'lines are whole', sentence: 'this line is not whole JSON, but the log goes on' }, this.cut);
    this.cut = null;
  }

  /** The end line against the rounds. */
  private endViolations({ ending, rounds, accepted }: Captured): Violation[] {
    if (ending === null) return [];
    const counted = { rounds: rounds.length, accepted: sum(accepted), proposed: sum(rounds.map(({ drafts }) => drafts?.length ?? 0)), emitted: sum(rounds.map(({ emitted }) => emitted?.length ?? 0)) };
    const wrong = (['rounds', 'accepted', 'proposed', 'emitted'] as const).filter((name) => ending[name] !== counted[name]);
    const last = accepted.at(-1);
    return [
      ...wrong.map((name) => ({ identity: `${name} of the end line`, sentence: `the end line says ${ending[name]} ${name}, the rounds say ${counted[name]}` })),
      ...tokenViolation(ending.emitted + 1, rounds.length, counted.accepted, last === undefined ? null : last + 1),
    ];
  }

  private settle(request: string, captured: Captured, isCut: boolean): void {
    const { rounds, ending, prompt } = captured;
    for (const violation of this.endViolations(captured)) this.capture.find(violation, ending?.at ?? captured.first);
    const reason = captured.reason === '' ? earlyEnd(captured, isCut) : captured.reason;
    const generatedTokens = ending === null ? null : ending.emitted + 1;
    const stated = { accepted: captured.accepted, drafted: rounds.map(({ width }) => (width ?? 1) - 1), promptTokens: prompt?.promptIds.length ?? null, generatedTokens };
    const { keptSum } = countsOf(stated);
    const cutInLastRound = ending === null || rounds.length === 0 || keptSum === null ? null : Math.max(0, keptSum - ending.emitted);
    this.capture.request({
      format: formats.capture,
      request,
      ...(ending === null ? { kind: 'unfinished' as const } : {}),
      complete: reason === '',
      reason,
      interleaved: captured.interleaved,
      stated: { ...stated, cutInLastRound },
      rounds,
      firstBonus: prompt?.firstBonus ?? rounds[0]?.bonus ?? null,
      promptIds: prompt?.promptIds ?? null,
      emittedIds: rounds.flatMap(({ emitted }) => emitted ?? []),
      at: captured.first,
      roundsChecked: true,
      facts: factsOf(captured),
    });
  }

  private finish(last: number): void {
    const isCut = this.cut !== null && this.cut.number === last;
    if (!isCut) this.damaged();
    for (const [request, captured] of this.requests) this.settle(request, captured, isCut);
    this.requests.clear();
  }

  end(last: number): void {
    this.finish(last);
  }
}

export const moire: EngineLogs = { formats: Object.values(formats), lines: (capture) => [new MoireLines(capture)] };

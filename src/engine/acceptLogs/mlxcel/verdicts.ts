// What mlxcel says beside the bursts: exactness probes, declines, the start-up line.
import type { CaptureBuilder } from '../builder';
import type { LineReader, LogLine } from '../reader';
import { after, own, quoteOf } from '../text';
import { formats } from './formats';

const passed = 'exactness probe passed: ';
const failed = ' declined: ';
const dispatch = 'speculative dispatch declined for seq ';
const startUp = 'speculative=';
const narrower = 'MTP drafted at a narrower block than requested';

const blockSize = (capture: CaptureBuilder, text: string, at: LogLine): number | null => capture.count(/\bblock_size=(\d{1,20})/.exec(text)?.[1], 'block_size', at);

function readPassed(capture: CaptureBuilder, at: LogLine): void {
  const text = after(at.text, passed);
  capture.saw(formats.verdicts, at);
  capture.probe({ passed: true, blockSize: blockSize(capture, text, at), position: null, differingBytes: null, totalBytes: null, reason: 'passed on the prompt of the probe; other prompts may part', line: at.number ?? 0, quote: quoteOf(at.text) });
}

/** "MTP declined: <why>. Falling back ... block_size=16" */
function readFailed(capture: CaptureBuilder, at: LogLine): void {
  const text = after(at.text, failed);
  const [, position, differing, total] = /position (\d{1,15}) differs from the single-token chain in (\d{1,15}) of (\d{1,15}) logit bytes/.exec(text) ?? [];
  const notRun = text.startsWith('exactness probe did not run');
  if (position === undefined && !notRun) return;
  const count = (value: string | undefined, name: string): number | null => capture.count(value, name, at);
  capture.saw(formats.verdicts, at);
  capture.probe({
    passed: false,
    blockSize: blockSize(capture, text, at),
    position: count(position, 'position'),
    differingBytes: count(differing, 'differing bytes'),
    totalBytes: count(total, 'total bytes'),
    reason: own(text.split('. ')[0]?.slice(0, 500) ?? ''),
    line: at.number ?? 0,
    quote: quoteOf(at.text),
  });
}

/** What declined, by the words of the reason. Only the gate stands on a measurement. */
const reasons: readonly (readonly [words: RegExp, by: string])[] = [
  [/exactness (probe|gate)/, 'exactness gate'],
  [/multimodal|payload/, 'payload'],
  [/constraint|grammar|structured/, 'structured output'],
  [/prompt-cache|prefix/, 'cached prefix'],
  [/sampling|greedy|temperature/, 'sampling'],
  [/drafter/, 'drafter'],
];

function readDecline(capture: CaptureBuilder, at: LogLine): void {
  const [, request = null, reason = ''] = /^(\S{1,100}?): (.{0,500})/.exec(after(at.text, dispatch)) ?? [];
  const by = reasons.find(([words]) => words.test(reason))?.[1] ?? 'other';
  capture.saw(formats.verdicts, at);
  capture.decline({ request: request === null ? null : own(request), by, reason: own(reason.split('; falling back')[0] ?? ''), measured: by === 'exactness gate' && !reason.includes('did not run'), blockSize: blockSize(capture, reason, at), line: at.number ?? 0 });
}

export class Verdicts implements LineReader {
  readonly anchors = [passed, failed, dispatch, narrower, startUp];
  /** Block size of the start-up line. */
  width: number | null = null;

  constructor(private readonly capture: CaptureBuilder) {}

  read(line: LogLine): void {
    if (line.text.includes(dispatch)) readDecline(this.capture, line);
    else if (line.text.includes(passed)) readPassed(this.capture, line);
    else if (line.text.includes(failed)) readFailed(this.capture, line);
    else if (line.text.includes(narrower)) this.capture.warn('the drafter used a narrower block than was asked for');
    else this.readStartUp(line);
  }

  private readStartUp(at: LogLine): void {
    const [, kind, rest] = /^([\w-]{1,40}) \((.{0,2000})/.exec(after(at.text, startUp)) ?? [];
    if (kind === undefined || rest === undefined) return;
    const [, drafter] = /\bdrafter=([^,)]{1,500})/.exec(rest) ?? [];
    const [, from] = /\bblock_size_from=([^,)]{1,200})/.exec(rest) ?? [];
    this.width = blockSize(this.capture, rest, at);
    this.capture.fact('speculative', kind);
    this.capture.fact('configuredWidth', this.width);
    this.capture.configuredWidth(this.width);
    if (drafter !== undefined) this.capture.fact('drafter', drafter);
    if (from !== undefined) this.capture.fact('widthFrom', from);
  }
}

// What a list says of a report, from the beginning of its file: the verdict stands near the top, and kind and model a few kilobytes later (the order of the schema).
import type { Experiment } from '../../shared/experiment';
import { reportFormat, reportVersion } from '../../shared/report';
import { baseName, probeNames, servedName } from '../../shared/reportFacts';
import { isVerdict, type VerdictWord } from '../../shared/verdictWord';
import { scanHead, type Scalar, type Scanned } from './jsonHead';

export interface ReportHead {
  readonly word: VerdictWord;
  readonly sentence: string;
  readonly complete: boolean;
  /** "Bisect", "" where the beginning does not say. */
  readonly probe: string;
  /** What it was asked of: "target-4bit", "qwen3-4b at 127.0.0.1:8080". */
  readonly subject: string;
  /** Widths that were asked for, none where the probe has none. */
  readonly widths: readonly number[];
  /** "matmul=exact": switches that were asked for, so not the defaults. */
  readonly switches: readonly string[];
  /** False where the beginning of the file ends within what was asked. */
  readonly allAsked: boolean;
  /** Milliseconds since 1970, null where the beginning does not say. */
  readonly startedAt: number | null;
}

/** Why a file cannot be listed as a report: the list has words for each. */
export type Unlisted = 'empty' | 'not JSON' | 'no report' | 'newer' | 'no verdict' | 'cut off' | 'not a file' | 'cannot be read';

export type ListedHead = { readonly head: ReportHead } | { readonly unlisted: Unlisted };

const wanted = new Set(['format', 'version', 'complete', 'verdict.word', 'verdict.sentence', 'run.startedAt', 'kind', ...['model', 'a', 'b', 'server.url', 'server.model', 'width', 'widths', 'switches.*'].map((name) => `experiment.${name}`)]);

/** Of a name or a sentence, so that no file fills a list. */
const longest = { name: 100, sentence: 600 } as const;
const mostAsked = 8;

export function headOf(text: string): ListedHead {
  if (text.trim() === '') return { unlisted: 'empty' };
  const scanned = scanHead(text, wanted);
  const fault = faultOf(scanned);
  if (fault !== undefined) return { unlisted: fault };
  const { values } = scanned;
  const word = values.get('verdict.word');
  if (typeof word !== 'string' || !isVerdict(word)) return { unlisted: 'no verdict' };
  const startedAt = Date.parse(textOf(values.get('run.startedAt'), longest.name));
  return {
    head: {
      word,
      sentence: textOf(values.get('verdict.sentence'), longest.sentence),
      complete: values.get('complete') === true,
      probe: probeOf(values),
      subject: subjectOf(values),
      widths: widthsOf(scanned),
      switches: switchesOf(values),
      allAsked: scanned.closed.has('experiment'),
      startedAt: Number.isNaN(startedAt) ? null : startedAt,
    },
  };
}

function widthsOf({ values, numbers }: Scanned): number[] {
  const width = values.get('experiment.width');
  const asked = numbers.get('experiment.widths') ?? (typeof width === 'number' ? [width] : []);
  return [...new Set(asked)].slice(0, mostAsked);
}

function switchesOf(values: Scanned['values']): string[] {
  const start = 'experiment.switches.';
  return [...values].filter(([name]) => name.startsWith(start)).slice(0, mostAsked).map(([name, value]) => textOf(`${name.slice(start.length)}=${value}`, longest.name));
}

function faultOf({ values, object }: Scanned): Unlisted | undefined {
  if (!object) return 'not JSON';
  if (values.get('format') !== reportFormat) return 'no report';
  const version = values.get('version');
  if (typeof version !== 'number') return 'no report';
  return version > reportVersion ? 'newer' : undefined;
}

function probeOf(values: Scanned['values']): string {
  const kind = values.get('kind');
  return typeof kind === 'string' && isKind(kind) ? probeNames[kind] : '';
}

function subjectOf(values: Scanned['values']): string {
  const of = (name: string): string => textOf(values.get(`experiment.${name}`), 4096);
  const named = (path: string): string => textOf(baseName(path), longest.name);
  if (of('a') !== '' && of('b') !== '') return `${named(of('a'))} and ${named(of('b'))}`;
  if (of('server.url') === '') return named(of('model'));
  return URL.canParse(of('server.url')) ? textOf(servedName({ url: of('server.url'), model: of('server.model') }), longest.name) : '';
}

const isKind = (text: string): text is Experiment['kind'] => Object.hasOwn(probeNames, text);

/** One line without control characters, cut. */
function textOf(value: Scalar | undefined, most: number): string {
  if (typeof value !== 'string') return '';
  const line = value.slice(0, most + 1).replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

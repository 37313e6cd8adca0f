// A report as a Markdown record, fit to paste into an issue: question, host, method, prediction against result, tables, controls, and what was not covered.
import { accountOf, type Section, type Table } from './account';
import { serverLine } from './account/answers';
import { promisesExact } from './exactPromise';
import { experimentInWords, switchesInWords } from './experimentWords';
import { greatest } from './extremes';
import { formatFloat, formatMs, plural } from './format';
import { instructionsInWords } from './instructionSets';
import type { AnswersReport, Report } from './report';
import { titleOf } from './reportFacts';
import type { Noise } from './results/parts';

export interface RecordOptions {
  /** What was expected before the run, in the user's words; "" for what the switches promise. */
  readonly prediction?: string;
}

/** Text stays text: no pipe ends a cell, no line ends a row, nothing in it becomes markup, a link or an image. Underscores within a word are text as they are. */
export const escaped = (text: string): string =>
  text
    .replace(/[\\`*~|]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])_+|_+(?![A-Za-z0-9])/g, (run) => run.replace(/_/g, '\\_'))
    .replace(/\]\(/g, ']\\(')
    .replace(/&(?=#?\w+;)/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/[\r\n]+/g, ' ');

/** The same at the start of a line, where some characters begin a heading, a list or a quotation. */
export const paragraph = (text: string): string => escaped(text).replace(/^(\s*)(?:([#>+=-])|(\d+)([.)]))/, (_, space: string, mark: string | undefined, digits = '', dot = '') => `${space}${mark === undefined ? `${digits}\\${dot}` : `\\${mark}`}`);

function tableLines({ columns, rows, note }: Table): string[] {
  const row = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  const lines = [row(columns.map(({ title }) => title)), `| ${columns.map(({ right }) => (right === true ? '---:' : '---')).join(' | ')} |`, ...rows.map(row)];
  return note === '' ? lines : [...lines, '', paragraph(note)];
}

export function sectionLines({ heading, lines, tables, detail }: Section): string[] {
  const body = [...lines.flatMap((line) => ['', paragraph(line)]), ...tables.flatMap((one) => ['', ...tableLines(one)])];
  return detail ? ['', `<details><summary>${escaped(heading)}</summary>`, ...body, '', '</details>'] : ['', `## ${escaped(heading)}`, ...body];
}

function hostLines({ provenance, run }: Report): string[] {
  const { engine, cpu, model, threads, extension, servers } = provenance;
  const own: [string, string][] = [
    ['engine', `${engine.name} ${engine.version}, ABI ${engine.abi}`],
    ['git_commit', engine.git],
    ['compiler', `${engine.compiler}, ${engine.target}`],
    ['library_sha256', engine.libraryHash],
    ['cpu', `${cpu.name}, ${plural(cpu.cores, 'core')}`],
    ['instructions', instructionsInWords(provenance) || cpu.used.join(' ')],
    ['threads', run.threads === undefined ? String(threads) : `${run.threads} of at most ${threads}`],
  ];
  const facts: [string, string][] = [
    ...(servers ?? []).map((server, i): [string, string] => [servers?.length === 1 ? 'server' : `server_${'ab'[i] ?? i}`, serverLine(server)]),
    // Without an ABI no engine of this machine took part.
    ...(engine.abi === '' ? [] : own),
    ['moire', extension],
    ...(model === null ? [] : ([['model', model.path], ['fingerprint', model.fingerprint], ['weights', `${model.architecture}, ${model.layers.length} layers, hidden ${model.hidden}, ${model.dtype}, quantisation ${model.quantisation}`]] as [string, string][])),
    ['started', run.startedAt],
    ['took', formatMs(run.durationMs)],
  ];
  const width = greatest(facts.map(([name]) => name.length));
  return ['```', ...facts.map(([name, value]) => `${`${name}:`.padEnd(width + 2)}${value.replace(/`/g, "'").replace(/[\r\n]+/g, ' ')}`), '```'];
}

const answersPredictions: Readonly<Record<AnswersReport['kind'], string>> = {
  repeat: 'equal: one request has one answer',
  cache: 'equal where kernels do not depend on how a prompt is cut; drift where they do',
  concurrency: 'equal where kernels do not depend on the number of rows; drift where they do',
  servers: 'no promise: two engines may add in other orders; the same text as far as margins are wider than that',
  rescore: 'no promise: a prompt and single steps may run other kernels; equal where they do not depend on the number of rows',
};

const isAnswers = (report: Report): report is AnswersReport => 'answers' in report;

function predictionOf(report: Report): string {
  const { kind, provenance: { switchesA } } = report;
  if (kind === 'diff' || kind === 'ids') return 'none was made';
  if (isAnswers(report)) return answersPredictions[report.kind];
  if (promisesExact(switchesA)) return 'equal: the exact kernels promise the same bytes for one row and for many, and a difference falsifies that';
  return `no promise: under ${switchesInWords(switchesA)} the kernels may depend on the number of rows; equal below the row counts at which they switch, drift from there on`;
}

/** The noise of a run, where its kind measures one. */
function noiseOf(report: Report): Noise | null {
  switch (report.kind) {
    case 'bisect':
      return report.bisect.runs[0]?.noise ?? null;
    case 'replay':
      return report.replay.noise;
    case 'prefill':
      return report.prefill.noise;
    case 'parity':
      return report.parity.noise;
    default:
      return null;
  }
}

function answersControls({ answers: { noise } }: AnswersReport): string[] {
  if (noise === null) return ['- none beside the arms themselves'];
  const floor = noise.floor === 'NaN' ? 'no log probability is told' : Number(noise.floor) > 0 ? `it moves a log probability, or the distance of two candidates, by up to ${formatFloat(noise.floor)}` : 'it moves no log probability';
  return [`- the same request again: ${plural(noise.repeatDiffering, 'place differs', 'places differ')}`, `- another way to compute the same (${noise.orders}): ${floor}`];
}

function controlLines(report: Report): string[] {
  if (report.kind === 'switches') return report.switches.controls.map(({ name, live, evidence }) => `- ${name}: ${live === 'void' ? 'VOID' : 'live'} (${evidence})`);
  if (report.kind === 'rewind') return ['- other ids in the rejected rows: a byte that differs would be a trace of them', '- single steps and blocks of the kept rows: arms that never rewind'];
  if (isAnswers(report)) return answersControls(report);
  const noise = noiseOf(report);
  if (noise === null) return ['- none beside the arms themselves'];
  const live = Number(noise.floor) > 0;
  return [
    `- repeat of arm A: ${plural(noise.repeatDifferingBytes, 'byte differs', 'bytes differ')}${noise.repeatDifferingBytes === 0 ? ', so it is reproducible' : ', so nothing else can be judged'}`,
    `- another reduction order (${noise.orders}): ${live ? `live, it moves a logit by up to ${formatFloat(noise.floor)}, so the comparison can see a difference` : 'VOID, it moved no logit, so it does not show that a difference would be seen'}`,
  ];
}

/** Markdown, ending in a line break. */
export function recordOf(report: Report, { prediction = '' }: RecordOptions = {}): string {
  const { question, sections } = accountOf(report);
  const { verdict, coverage, experiment, provenance } = report;
  return [
    `# ${escaped(titleOf(experiment))}: ${verdict.word}`,
    '',
    paragraph(verdict.sentence),
    ...(report.complete ? [] : ['', `**Not complete.** ${escaped(report.incompleteReason)}`]),
    '',
    '## Question',
    '',
    paragraph(question),
    '',
    paragraph(experimentInWords(experiment)),
    '',
    '## Host',
    '',
    ...hostLines(report),
    '',
    '## Method',
    '',
    ...coverage.compared.map((line) => `- ${escaped(line)}`),
    ...(Object.keys(provenance.switchesA).length === 0 ? [] : [`- switches as resolved: ${escaped(switchesInWords(provenance.switchesA))}`]),
    ...(provenance.seeds === '' ? [] : [`- ids: ${escaped(provenance.seeds)}`]),
    '',
    '## Prediction and result',
    '',
    `- predicted: ${escaped(prediction === '' ? predictionOf(report) : prediction)}`,
    `- result: ${verdict.word}`,
    ...sections.flatMap(sectionLines),
    '',
    '## Controls',
    '',
    ...controlLines(report).map(escaped),
    '',
    '## Not covered',
    '',
    ...coverage.notCovered.map((line) => `- ${escaped(line)}`),
    '',
  ].join('\n');
}

// The account of a probe over servers.
import { formatCount, formatFloat, plural } from '../format';
import type { AnswersReport } from '../report';
import type { Answer, AnswerPair, AnswersResult } from '../results/answers';
import { engineWords } from '../serverEngines';
import type { ServerProfile, SpeculationCounters } from '../serverProfile';
import { column, section, table, type Account, type Section } from './account';

const questions: Readonly<Record<AnswersReport['kind'], string>> = {
  repeat: 'Does a server give the same answer to the same request, every time?',
  cache: 'Does an answer depend on what the prefix cache holds: off, cold, warm, warm again?',
  concurrency: 'Does an answer depend on the requests that run at the same time?',
  servers: 'Do two servers, or a server and a model of this machine, give the same greedy answers?',
  rescore: 'Has a text the same log probabilities when it is decoded and when it is scored as a prompt?',
};

const text = (value: string): string => JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);

function pairRow({ label, verdict, unit, common, length, logprobs, fork }: AnswerPair): string[] {
  return [
    label,
    verdict.word,
    `${formatCount(common)} of ${plural(length, unit === 'tokens' ? 'token' : 'character')}`,
    fork === null ? '-' : `${formatCount(fork.at)}: ${text(fork.a)} | ${text(fork.b)}`,
    fork === null ? '-' : fork.gap === 'NaN' ? 'not told' : formatFloat(fork.gap),
    logprobs.compared === 0 ? 'not told' : `${formatCount(logprobs.differing)} of ${formatCount(logprobs.compared)}`,
    logprobs.compared === 0 ? '-' : formatFloat(logprobs.largest),
    logprobs.first < 0 ? '-' : formatCount(logprobs.first),
  ];
}

function pairs({ pairs: all }: AnswersResult): Section {
  const columns = [column.text('pair'), column.text('verdict'), column.number('the same'), column.text('first that differs: A | B'), column.number('apart'), column.number('log probabilities that differ'), column.number('largest'), column.number('first at token')];
  return section('Answers side by side', [], [table(columns, all.map(pairRow), 60)]);
}

function noise({ noise: found }: AnswersResult): string {
  if (found === null) return '';
  const floor = found.floor === 'NaN' ? 'no log probability is told' : `a log probability, or the distance of two candidates, moves by up to ${formatFloat(found.floor)}`;
  return `Noise: the same request twice differs in ${plural(found.repeatDiffering, 'place')}; the floor, another way to compute it (${found.orders}): ${floor}.`;
}

const tokens = (value: number): string => (value < 0 ? 'not told' : formatCount(value));

function counts(speculation: SpeculationCounters | null): string {
  return speculation === null ? 'not told' : speculation.drafted === 0 ? 'none' : `${tokens(speculation.accepted)} of ${tokens(speculation.drafted)} drafts`;
}

function answerRow({ label, prompt, finish, promptTokens, cachedTokens, together, speculation, text: own }: Answer): string[] {
  return [String(prompt + 1), label, tokens(promptTokens), tokens(cachedTokens), tokens(together), counts(speculation), finish === '' ? '-' : finish, text(own)];
}

function answers({ answers: all }: AnswersResult): Section {
  const columns = [column.number('prompt'), column.text('answer'), column.number('prompt tokens'), column.number('of them cached'), column.number('together'), column.text('accepted'), column.text('ended by'), column.text('text')];
  return section('Every answer', [], [table(columns, all.map(answerRow), 200)], true);
}

export function serverLine({ url, engine, version, evidence, model, context }: ServerProfile): string {
  const size = context === 0 ? '' : `, context ${formatCount(context)}`;
  return `${url}: ${engineWords[engine]}${version === '' ? '' : ` ${version}`} (${evidence}); model ${model}${size}.`;
}

const states = { yes: 'yes', no: 'no', unknown: 'not known' } as const;

function capabilities(report: AnswersReport): Section {
  const all = report.provenance.servers ?? [];
  const rows = all.flatMap(({ capabilities: can }, i) => can.map(({ name, state, detail }) => [...(all.length > 1 ? ['AB'[i] ?? ''] : []), name, states[state], detail]));
  const columns = [...(all.length > 1 ? [column.text('server')] : []), column.text('what'), column.text('can'), column.text('how it showed')];
  return section('What it can', [], [table(columns, rows)], true);
}

const counterLine = ({ server, from, rounds, drafted, accepted }: AnswersResult['counters'][number]): string =>
  drafted === 0 ? `While this ran, ${server} counted no draft (${from}).` : `While this ran, ${server} counted ${tokens(rounds)} rounds of speculation, ${tokens(drafted)} drafts, ${tokens(accepted)} of them accepted (${from}, all its requests).`;

export function answersAccount(report: AnswersReport): Account {
  const { answers: result, kind } = report;
  return {
    question: questions[kind],
    sections: [
      section('Server', (report.provenance.servers ?? []).map(serverLine)),
      pairs(result),
      section('How to read them', [noise(result), ...result.notes, ...result.counters.map(counterLine)]),
      answers(result),
      capabilities(report),
      section('Prompts', result.prompts.map((prompt, i) => `Prompt ${i + 1}: ${JSON.stringify(prompt.length > 400 ? `${prompt.slice(0, 400)}…` : prompt)}`), [], true),
    ],
  };
}

// The account of two lists of token ids.
import { formatCount, plural } from '../format';
import { baseName } from '../reportFacts';
import type { ReportOf } from '../report';
import type { IdList, IdsResult } from '../results/ids';
import { column, section, table, type Account, type Section } from './account';

/** Places shown before the fork and from it on. */
const around = { before: 4, after: 8 } as const;

function listLine(name: string, file: string, { about, ids }: IdList): string {
  return `${name}: ${plural(ids.length, 'id')} of ${baseName(file)}${about === '' ? '' : `, ${about}`}.`;
}

function places({ a, b, fork, texts }: IdsResult): Section {
  if (fork === null) return section('Where they part', ['Nowhere.']);
  const known = new Map(texts?.ids.map((id, i) => [id, texts.texts[i] ?? '']));
  const one = (id: number | undefined): string => (id === undefined ? 'no id' : known.has(id) ? `${id} ${JSON.stringify(known.get(id))}` : String(id));
  const from = Math.max(0, fork.at - around.before);
  const to = Math.min(Math.max(a.ids.length, b.ids.length), fork.at + around.after);
  const rows = Array.from({ length: to - from }, (_, i) => from + i).map((at) => [formatCount(at), one(a.ids[at]), one(b.ids[at]), a.ids[at] === b.ids[at] ? '' : at === fork.at ? 'first difference' : 'differs']);
  return section('Where they part', [`At token ${formatCount(fork.at)}, counted from 0.`], [table([column.number('token'), column.text('A'), column.text('B'), column.text('')], rows)]);
}

export function idsAccount({ ids, experiment }: ReportOf<'ids'>): Account {
  const [a, b] = experiment.kind === 'ids' ? [experiment.a.file, experiment.b.file] : ['', ''];
  return { question: 'Are two lists of token ids the same, and if not, where do they part?', sections: [section('Lists', [listLine('A', a, ids.a), listLine('B', b, ids.b)]), places(ids)] };
}

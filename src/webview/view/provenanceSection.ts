// Where the report came from: enough to make it again.
import * as l10n from '@vscode/l10n';
import { formatCount, formatMs } from '../../shared/format';
import { instructionsInWords } from '../../shared/instructionSets';
import type { Report } from '../../shared/report';
import { engineWords } from '../../shared/serverEngines';
import { amount } from '../model/amount';
import { code, element, filled, filledMuted, foreign, muted, type Child } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { table, type Column } from './table';

type Fact = readonly [name: string, value: Child | undefined];

export const provenanceSection: SectionOptions<Report> = {
  name: 'provenance',
  title: l10n.t('Provenance'),
  open: true,
  foreign: 'note',
  summary: ({ provenance }) => [`${provenance.engine.name} ${provenance.engine.version}`.trim(), instructionsInWords(provenance)].filter((part) => part !== '').join(' · '),
  draw: (report) => [
    element('div', { class: 'two' }, ...servers(report), group(l10n.t('Model'), modelFacts(report)), group(l10n.t('Engine'), engineFacts(report)), group(l10n.t('Machine'), machineFacts(report)), group(l10n.t({ message: 'Run', comment: ['a run, not to run'] }), runFacts(report))),
    ...warnings(report),
    ...switches(report),
    ...tokens(report),
  ],
};

function group(title: string, facts: readonly Fact[]): HTMLElement | null {
  const known = facts.filter((fact): fact is [string, Child] => fact[1] !== undefined && fact[1] !== '');
  if (known.length === 0) return null;
  return element('div', {}, element('h3', {}, title), element('dl', { class: 'pairs' }, ...known.flatMap(([name, value]) => [element('dt', {}, name), element('dd', { attributes: { translate: 'no' } }, value)])));
}

const codeOr = (text: string): Child => (text === '' ? '' : code(text));

function sizeInWords({ layers, hidden, vocab, context }: NonNullable<Report['provenance']['model']>): string {
  const count = amount(layers.length, l10n.t('{0} layer'), l10n.t('{0} layers'));
  return l10n.t('{0}, hidden {1}, vocabulary {2}, context {3}', count, formatCount(hidden), formatCount(vocab), formatCount(context));
}

function modelFacts({ provenance: { model } }: Report): readonly Fact[] {
  if (!model) return [];
  return [
    [l10n.t('path'), code(model.path)],
    [l10n.t('fingerprint'), codeOr(model.fingerprint)],
    [l10n.t('architecture'), model.architecture],
    [l10n.t('weights'), [model.dtype, model.quantisation].filter((part) => part !== '').join(', ')],
    [l10n.t('size'), sizeInWords(model)],
  ];
}

function servers({ provenance: { servers: all = [] } }: Report): (HTMLElement | null)[] {
  return all.map(({ url, engine, version, evidence, model, context }, i) =>
    group(all.length === 1 ? l10n.t('Server') : l10n.t('Server {0}', 'AB'[i] ?? ''), [
      [l10n.t('address'), code(url)],
      [l10n.t('engine'), `${engineWords[engine]} ${version}`.trim()],
      [l10n.t('seen by'), evidence],
      [l10n.t('model'), code(model)],
      [l10n.t('context'), context === 0 ? '' : formatCount(context)],
    ]),
  );
}

/** Without an ABI no engine of this machine took part. */
function engineFacts({ provenance: { engine, kernelsA, kernelsB, extension } }: Report): readonly Fact[] {
  if (engine.abi === '') return [[l10n.t('extension'), extension]];
  const same = kernelsA.join('\n') === kernelsB.join('\n');
  return [
    [l10n.t('engine'), `${engine.name} ${engine.version}, ABI ${engine.abi}`],
    [l10n.t('commit'), codeOr(engine.git)],
    [l10n.t('library'), codeOr(engine.libraryHash)],
    [l10n.t('built'), [engine.compiler, engine.target].filter((part) => part !== '').join(', ')],
    [l10n.t('extension'), extension],
    [same ? l10n.t('kernels') : l10n.t('kernels A'), names(kernelsA)],
    [l10n.t('kernels B'), same ? '' : names(kernelsB)],
  ];
}

const names = (list: readonly string[]): Child => (list.length === 0 ? '' : element('span', { class: 'names' }, ...list.map(code)));

function machineFacts({ provenance }: Report): readonly Fact[] {
  const { cpu, threads } = provenance;
  if (cpu.name === '') return [];
  return [
    [l10n.t('processor'), [cpu.name, amount(cpu.cores, l10n.t('{0} core'), l10n.t('{0} cores'))].join(', ')],
    [l10n.t('features'), cpu.features.join(' ')],
    [l10n.t('used'), cpu.used.join(' ')],
    [l10n.t('instruction set'), instructionsInWords(provenance)],
    [l10n.t('threads'), formatCount(threads)],
  ];
}

function runFacts({ run, provenance: { seeds } }: Report): readonly Fact[] {
  const cost = Object.entries(run.cost).map(([phase, ms]) => `${phase} ${formatMs(ms)}`);
  return [[l10n.t('started'), run.startedAt], [l10n.t('took'), formatMs(run.durationMs)], [l10n.t('of that'), cost.join(', ')], [l10n.t('seeds'), seeds]]; // prettier-ignore
}

function warnings({ provenance: { model } }: Report): HTMLElement[] {
  return (model?.warnings ?? []).map((warning) => element('p', { class: 'notice', attributes: { translate: 'no' } }, warning));
}

interface Switch {
  readonly name: string;
  readonly a: string;
  readonly b: string;
}

function switches({ provenance: { switchesA, switchesB } }: Report): HTMLElement[] {
  const all = [...new Set([...Object.keys(switchesA), ...Object.keys(switchesB)])];
  if (all.length === 0) return [];
  const rows = all.map((name) => ({ name, a: String(switchesA[name] ?? ''), b: String(switchesB[name] ?? '') }));
  return [element('h3', {}, l10n.t('Switches')), table({ caption: l10n.t('Switches of each arm'), columns, rows, rowClass: ({ a, b }) => (a === b ? '' : 'differs') })];
}

const columns: readonly Column<Switch>[] = [
  { title: l10n.t('Switch'), heads: true, cell: ({ name, a, b }) => element('span', { class: 'tap-name' }, differsMark(a !== b), foreign(name)) },
  { title: 'A', cell: ({ a }) => (a === '' ? muted(l10n.t('none')) : code(a)) },
  { title: 'B', cell: ({ b }) => (b === '' ? muted(l10n.t('none')) : code(b)) },
];

/** Ids of every run, folded: enough to run it elsewhere. */
function tokens(report: Report): HTMLElement[] {
  if (report.kind !== 'bisect') return [];
  const lists = report.bisect.runs.map(({ label, promptIds, blockIds }) => element('div', {}, element('h3', { attributes: { translate: 'no' } }, label), idList(l10n.t('prompt {0}'), promptIds), idList(l10n.t('block {0}'), blockIds)));
  return lists.length === 0 ? [] : [element('details', { class: 'ids' }, element('summary', {}, ...filled(l10n.t('Token ids {0}'), muted(amount(lists.length, l10n.t('of {0} run'), l10n.t('of {0} runs'))))), ...lists)];
}

const idList = (text: string, ids: readonly number[]): HTMLElement => element('p', {}, ...filledMuted(text, code(document.createTextNode(`[${ids.join(', ')}]`))));

// Where the report came from: enough to make it again.
import { formatCount, formatMs, plural } from '../../shared/format';
import type { Report } from '../../shared/report';
import { engineWords } from '../../shared/serverEngines';
import { code, element, muted, type Child } from './dom';
import { differsMark } from './icons';
import type { SectionOptions } from './section';
import { table, type Column } from './table';

type Fact = readonly [name: string, value: Child | undefined];

export const provenanceSection: SectionOptions<Report> = {
  name: 'provenance',
  title: 'Provenance',
  open: true,
  summary: ({ provenance: { engine, isa } }) => [`${engine.name} ${engine.version}`.trim(), isa].filter((part) => part !== '').join(' · '),
  draw: (report) => [
    element('div', { class: 'two' }, ...servers(report), group('Model', modelFacts(report)), group('Engine', engineFacts(report)), group('Machine', machineFacts(report)), group('Run', runFacts(report))),
    ...warnings(report),
    ...switches(report),
    ...tokens(report),
  ],
};

function group(title: string, facts: readonly Fact[]): HTMLElement | null {
  const known = facts.filter((fact): fact is [string, Child] => fact[1] !== undefined && fact[1] !== '');
  if (known.length === 0) return null;
  return element('div', {}, element('h3', {}, title), element('dl', { class: 'pairs' }, ...known.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])));
}

const codeOr = (text: string): Child => (text === '' ? '' : code(text));

function modelFacts({ provenance: { model } }: Report): readonly Fact[] {
  if (!model) return [];
  return [
    ['path', code(model.path)],
    ['fingerprint', codeOr(model.fingerprint)],
    ['architecture', model.architecture],
    ['weights', [model.dtype, model.quantisation].filter((part) => part !== '').join(', ')],
    ['size', `${plural(model.layers.length, 'layer')}, hidden ${formatCount(model.hidden)}, vocabulary ${formatCount(model.vocab)}, context ${formatCount(model.context)}`],
  ];
}

function servers({ provenance: { servers: all = [] } }: Report): (HTMLElement | null)[] {
  return all.map(({ url, engine, version, evidence, model, context }, i) =>
    group(all.length === 1 ? 'Server' : `Server ${'AB'[i] ?? ''}`, [
      ['address', code(url)],
      ['engine', `${engineWords[engine]} ${version}`.trim()],
      ['seen by', evidence],
      ['model', code(model)],
      ['context', context === 0 ? '' : formatCount(context)],
    ]),
  );
}

/** Without an ABI no engine of this machine took part. */
function engineFacts({ provenance: { engine, kernelsA, kernelsB, extension } }: Report): readonly Fact[] {
  if (engine.abi === '') return [['extension', extension]];
  const same = kernelsA.join('\n') === kernelsB.join('\n');
  return [
    ['engine', `${engine.name} ${engine.version}, ABI ${engine.abi}`],
    ['commit', codeOr(engine.git)],
    ['library', codeOr(engine.libraryHash)],
    ['built', [engine.compiler, engine.target].filter((part) => part !== '').join(', ')],
    ['extension', extension],
    [same ? 'kernels' : 'kernels A', names(kernelsA)],
    ['kernels B', same ? '' : names(kernelsB)],
  ];
}

const names = (list: readonly string[]): Child => (list.length === 0 ? '' : element('span', { class: 'names' }, ...list.map(code)));

function machineFacts({ provenance: { cpu, threads, isa } }: Report): readonly Fact[] {
  if (cpu.name === '') return [];
  return [
    ['processor', `${cpu.name}, ${plural(cpu.cores, 'core')}`],
    ['features', cpu.features.join(' ')],
    ['used', cpu.used.join(' ')],
    ['instruction set', isa],
    ['threads', formatCount(threads)],
  ];
}

function runFacts({ run, provenance: { seeds } }: Report): readonly Fact[] {
  const cost = Object.entries(run.cost).map(([phase, ms]) => `${phase} ${formatMs(ms)}`);
  return [['started', run.startedAt], ['took', formatMs(run.durationMs)], ['of that', cost.join(', ')], ['seeds', seeds]]; // prettier-ignore
}

function warnings({ provenance: { model } }: Report): HTMLElement[] {
  return (model?.warnings ?? []).map((warning) => element('p', { class: 'notice' }, warning));
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
  return [element('h3', {}, 'Switches'), table({ caption: 'Switches of each arm', columns, rows, rowClass: ({ a, b }) => (a === b ? '' : 'differs') })];
}

const columns: readonly Column<Switch>[] = [
  { title: 'Switch', heads: true, cell: ({ name, a, b }) => element('span', { class: 'tap-name' }, differsMark(a !== b), element('span', {}, name)) },
  { title: 'A', cell: ({ a }) => (a === '' ? muted('none') : code(a)) },
  { title: 'B', cell: ({ b }) => (b === '' ? muted('none') : code(b)) },
];

/** Ids of every run, folded: enough to run it elsewhere. */
function tokens(report: Report): HTMLElement[] {
  if (report.kind !== 'bisect') return [];
  const lists = report.bisect.runs.map(({ label, promptIds, blockIds }) => element('div', {}, element('h3', {}, label), idList('prompt', promptIds), idList('block', blockIds)));
  return lists.length === 0 ? [] : [element('details', { class: 'ids' }, element('summary', {}, 'Token ids ', muted(`of ${plural(lists.length, 'run')}`)), ...lists)];
}

const idList = (name: string, ids: readonly number[]): HTMLElement => element('p', {}, muted(`${name} `), code(`[${ids.join(', ')}]`));

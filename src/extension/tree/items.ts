// How each node of the tree looks and is spoken: label, description, icon, what a click does.
import path from 'node:path';
import * as vscode from 'vscode';
import { formatBytes, formatCount } from '../../shared/format';
import type { PanelServer } from '../../shared/panelProtocol';
import { reportExtension } from '../../shared/report';
import { acceptLogViewType, panelViewType, reportViewType } from '../ids';
import { ageOf, type AgeStyle } from './age';
import type { FolderFacts } from './modelFacts';
import { timeOf, type CaptureNode, type GroupId, type GroupNode, type ModelNode, type Node, type NoteNode, type ReportNode, type ServerNode, type VerdictNode } from './nodes';
import type { ReportHead, Unlisted } from './reportHead';
import { verdictIcon } from './verdictIcons';

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
const between = ' · ';

type Look = Required<Pick<vscode.TreeItem, 'id' | 'label' | 'collapsibleState' | 'contextValue'>> & Pick<vscode.TreeItem, 'description' | 'iconPath' | 'tooltip' | 'command' | 'accessibilityInformation'>;

export function itemOf(node: Node): vscode.TreeItem {
  const look = lookOf(node);
  return Object.assign(new vscode.TreeItem(look.label), look);
}

function lookOf(node: Node): Look {
  switch (node.type) {
    case 'group':
      return groupItem(node);
    case 'verdict':
      return verdictItem(node);
    case 'report':
      return reportItem(node);
    case 'model':
      return modelItem(node);
    case 'capture':
      return captureItem(node);
    case 'server':
      return serverItem(node);
    case 'note':
      return noteItem(node);
  }
}

const open: Readonly<Record<GroupId, vscode.TreeItemCollapsibleState>> = { models: Expanded, reports: Expanded, captures: Collapsed, servers: Collapsed };

function groupItem({ group }: GroupNode): Look {
  const labels: Record<GroupId, string> = { models: vscode.l10n.t('Models'), reports: vscode.l10n.t('Reports'), captures: vscode.l10n.t('Captures'), servers: vscode.l10n.t('Servers') };
  return { id: group, label: labels[group], collapsibleState: open[group], contextValue: `group.${group}` };
}

/** The six words are the same in every language: they stand in reports, logs and exit codes. */
function verdictItem({ word, reports }: VerdictNode): Look {
  const count = formatCount(reports.length);
  return {
    id: `verdict ${word ?? ''}`,
    label: word ?? vscode.l10n.t('not readable'),
    description: count,
    iconPath: word === null ? new vscode.ThemeIcon('question') : verdictIcon(word),
    collapsibleState: Expanded,
    contextValue: 'verdict',
    accessibilityInformation: { label: reports.length === 1 ? vscode.l10n.t('{0}, 1 report', word ?? vscode.l10n.t('not readable')) : vscode.l10n.t('{0}, {1} reports', word ?? vscode.l10n.t('not readable'), count) },
  };
}

function reportItem(node: ReportNode): Look {
  const { file, listed } = node;
  const label = nameOf(node);
  const base = { id: `report ${file.path}`, collapsibleState: None, contextValue: 'report', command: openCommand(file.path, reportViewType) };
  if (!('head' in listed)) {
    const reason = unlistedText(listed.unlisted);
    return { ...base, label, description: reason, iconPath: new vscode.ThemeIcon('question'), tooltip: lines(reason, file.path), accessibilityInformation: { label: [label, reason].join(', ') } };
  }
  const { word, sentence, complete } = listed.head;
  const said = (style: AgeStyle): string[] => [...aboutOf(listed.head), ageText(timeOf(node), style)];
  return { ...base, label, description: said('narrow').join(between), iconPath: verdictIcon(word), tooltip: lines(`${word}: ${sentence}`, ...(complete ? [] : [vscode.l10n.t('The run did not come to its end.')]), file.path), accessibilityInformation: { label: [word, label, ...said('long')].join(', ') } };
}

/** What tells a run from another one of its probe: how it ended, on what, and what was asked for. */
export function aboutOf({ complete, subject, widths, switches, allAsked }: ReportHead): string[] {
  const asked = widths.length === 0 ? '' : widths.length === 1 ? vscode.l10n.t('width {0}', widths.join()) : vscode.l10n.t('widths {0}', widths.join(', '));
  return [complete ? '' : vscode.l10n.t('not complete'), subject, asked, ...switches, allAsked ? '' : '…'].filter((text) => text !== '');
}

/** Of the probe, else of the file. */
export function nameOf({ file, listed }: ReportNode): string {
  return 'head' in listed && listed.head.probe !== '' ? listed.head.probe : path.basename(file.path, reportExtension);
}

function unlistedText(why: Unlisted): string {
  const texts: Record<Unlisted, string> = {
    empty: vscode.l10n.t('empty'),
    'not JSON': vscode.l10n.t('not JSON'),
    'no report': vscode.l10n.t('no Moire report'),
    newer: vscode.l10n.t('of a newer version'),
    'no verdict': vscode.l10n.t('without a verdict'),
    'cut off': vscode.l10n.t('cut off'),
    'not a file': vscode.l10n.t('not a file'),
    'cannot be read': vscode.l10n.t('cannot be read'),
  };
  return texts[why];
}

function modelItem({ folder, place, facts }: ModelNode): Look {
  const { drafter } = facts;
  const label = path.basename(folder);
  const said = [...(place === 'sample' ? [vscode.l10n.t('sample')] : []), ...(drafter ? [vscode.l10n.t('drafter')] : []), ...factTexts(facts)];
  return {
    id: `model ${folder}`,
    label,
    description: said.join(between),
    iconPath: new vscode.ThemeIcon(drafter ? 'edit' : 'layers'),
    tooltip: lines(said.join(between), groupText(facts), sizeText(facts), folder),
    collapsibleState: None,
    contextValue: drafter ? 'drafter' : 'model',
    accessibilityInformation: { label: [...(drafter ? [] : [vscode.l10n.t('model')]), label, ...said].join(', ') },
    ...(!drafter && { command: { command: 'moire.tree.bisect', title: vscode.l10n.t('Bisect'), arguments: [{ type: 'model', folder }] } }),
  };
}

function factTexts({ architecture, quantisation, dtype, weightBytes }: FolderFacts): string[] {
  const weights = quantisation === null ? dtype : vscode.l10n.t('{0} bit', quantisation.bits);
  return [architecture, weights, formatBytes(weightBytes)].filter((text) => text !== '');
}

const groupText = ({ quantisation }: FolderFacts): string => (quantisation === null ? '' : vscode.l10n.t('{0} bit, groups of {1}', quantisation.bits, quantisation.group));

/** What the engine says of a model counts what a forward reads; the tree looks at files alone. */
const sizeText = ({ weightBytes }: FolderFacts): string => vscode.l10n.t('{0} is the size of all .safetensors files, also of what no forward reads', formatBytes(weightBytes));

function captureItem({ file }: CaptureNode): Look {
  const label = path.basename(file.path);
  const said = (style: AgeStyle): string[] => [formatBytes(file.bytes), ageText(file.at, style)];
  return {
    id: `capture ${file.path}`,
    label,
    description: said('narrow').join(between),
    iconPath: new vscode.ThemeIcon('list-ordered'),
    tooltip: file.path,
    collapsibleState: None,
    contextValue: 'capture',
    command: openCommand(file.path, acceptLogViewType),
    accessibilityInformation: { label: [vscode.l10n.t('capture'), label, ...said('long')].join(', ') },
  };
}

const serverIcons: Readonly<Record<PanelServer['state'], string>> = { none: 'server', starting: 'loading~spin', ready: 'pulse', away: 'sync~spin', failed: 'error' };

function serverItem({ url, status }: ServerNode): Look {
  const base = { id: `server ${url}`, collapsibleState: None, command: { command: `${panelViewType}.focus`, title: vscode.l10n.t('Open Panel') } };
  if (status === null) return { ...base, label: url, description: vscode.l10n.t('attached to before'), iconPath: new vscode.ThemeIcon('plug'), contextValue: 'server.known', command: { command: 'moire.tree.attach', title: vscode.l10n.t('Attach'), arguments: [{ type: 'server', url, status }] } };
  const { state, kind, model, problem, speculation } = status;
  const label = model === '' ? url : model;
  const said = [stateText(status), ...(url === '' || label === url ? [] : [url])];
  return {
    ...base,
    id: 'server now',
    label,
    description: said.join(between),
    iconPath: new vscode.ThemeIcon(serverIcons[state], state === 'failed' ? new vscode.ThemeColor('charts.red') : undefined),
    tooltip: lines(said.join(between), problem, speculation),
    contextValue: state === 'failed' ? 'server.failed' : `server.${kind}`,
    accessibilityInformation: { label: [label, ...said, problem].filter((text) => text !== '').join(', ') },
  };
}

function stateText({ state, kind, speculating }: PanelServer): string {
  if (state === 'starting') return vscode.l10n.t('starting');
  if (state === 'away') return vscode.l10n.t('its engine is started again');
  if (state === 'failed') return vscode.l10n.t('failed');
  if (kind === 'attached') return vscode.l10n.t('attached');
  return speculating === true ? vscode.l10n.t('served, speculation on') : vscode.l10n.t('served');
}

function noteItem({ group, note }: NoteNode): Look {
  const base = { id: `note ${group} ${note.kind}`, collapsibleState: None, contextValue: 'note' };
  switch (note.kind) {
    case 'empty':
      return { ...base, label: '', description: emptyText(group), accessibilityInformation: { label: emptyText(group) } };
    case 'failed':
      return { ...base, label: vscode.l10n.t('This list cannot be made'), description: note.reason, tooltip: note.reason, iconPath: new vscode.ThemeIcon('error'), command: { command: 'moire.showLog', title: vscode.l10n.t('Show Log') } };
    case 'more': {
      const count = formatCount(note.count);
      const label = note.atLeast ? vscode.l10n.t('At least {0} older ones are not listed', count) : vscode.l10n.t('{0} older ones are not listed', count);
      return { ...base, label, iconPath: new vscode.ThemeIcon('ellipsis'), ...(group === 'reports' && { command: { command: 'moire.openReport', title: vscode.l10n.t('Open Report') } }) };
    }
  }
}

function emptyText(group: GroupId): string {
  const texts: Record<GroupId, string> = {
    models: vscode.l10n.t('No folder with config.json and .safetensors files'),
    reports: vscode.l10n.t('None yet: bisect a model'),
    captures: vscode.l10n.t('None yet: capture a served run'),
    servers: vscode.l10n.t('None: serve a model, or attach to a server'),
  };
  return texts[group];
}

const openCommand = (file: string, viewType: string): vscode.Command => ({ command: 'vscode.openWith', title: vscode.l10n.t('Open'), arguments: [vscode.Uri.file(file), viewType] });

export const ageText = (at: number, style: AgeStyle = 'narrow'): string => ageOf(at, Date.now(), vscode.env.language, style);

/** As text: what a file says of itself is no markup. */
const lines = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

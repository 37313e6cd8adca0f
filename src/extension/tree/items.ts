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
import type { Unlisted } from './reportHead';
import { verdictIcon } from './verdictIcons';

const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
const { t } = vscode.l10n;
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
  const labels: Record<GroupId, string> = { models: t('Models'), reports: t('Reports'), captures: t('Captures'), servers: t('Servers') };
  return { id: group, label: labels[group], collapsibleState: open[group], contextValue: `group.${group}` };
}

/** The six words are the same in every language: they stand in reports, logs and exit codes. */
function verdictItem({ word, reports }: VerdictNode): Look {
  const count = formatCount(reports.length);
  return {
    id: `verdict ${word ?? ''}`,
    label: word ?? t('not readable'),
    description: count,
    iconPath: word === null ? new vscode.ThemeIcon('question') : verdictIcon(word),
    collapsibleState: Expanded,
    contextValue: 'verdict',
    accessibilityInformation: { label: reports.length === 1 ? t('{0}, 1 report', word ?? t('not readable')) : t('{0}, {1} reports', word ?? t('not readable'), count) },
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
  const { word, sentence, complete, subject } = listed.head;
  const said = (style: AgeStyle): string[] => [...(complete ? [] : [t('not complete')]), subject, ageText(timeOf(node), style)].filter((text) => text !== '');
  return { ...base, label, description: said('narrow').join(between), iconPath: verdictIcon(word), tooltip: lines(`${word}: ${sentence}`, ...(complete ? [] : [t('The run did not come to its end.')]), file.path), accessibilityInformation: { label: [word, label, ...said('long')].join(', ') } };
}

/** Of the probe, else of the file. */
export function nameOf({ file, listed }: ReportNode): string {
  return 'head' in listed && listed.head.probe !== '' ? listed.head.probe : path.basename(file.path, reportExtension);
}

function unlistedText(why: Unlisted): string {
  const texts: Record<Unlisted, string> = {
    empty: t('empty'),
    'not JSON': t('not JSON'),
    'no report': t('no Moire report'),
    newer: t('of a newer version'),
    'no verdict': t('without a verdict'),
    'cut off': t('cut off'),
    'not a file': t('not a file'),
    'cannot be read': t('cannot be read'),
  };
  return texts[why];
}

function modelItem({ folder, place, facts }: ModelNode): Look {
  const { drafter } = facts;
  const label = path.basename(folder);
  const said = [...(place === 'sample' ? [t('sample')] : []), ...(drafter ? [t('drafter')] : []), ...factTexts(facts)];
  return {
    id: `model ${folder}`,
    label,
    description: said.join(between),
    iconPath: new vscode.ThemeIcon(drafter ? 'edit' : 'layers'),
    tooltip: lines(said.join(between), groupText(facts), folder),
    collapsibleState: None,
    contextValue: drafter ? 'drafter' : 'model',
    accessibilityInformation: { label: [...(drafter ? [] : [t('model')]), label, ...said].join(', ') },
    ...(!drafter && { command: { command: 'moire.tree.bisect', title: t('Bisect'), arguments: [{ type: 'model', folder }] } }),
  };
}

function factTexts({ architecture, quantisation, dtype, weightBytes }: FolderFacts): string[] {
  const weights = quantisation === null ? dtype : t('{0} bit', quantisation.bits);
  return [architecture, weights, formatBytes(weightBytes)].filter((text) => text !== '');
}

const groupText = ({ quantisation }: FolderFacts): string => (quantisation === null ? '' : t('{0} bit, groups of {1}', quantisation.bits, quantisation.group));

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
    accessibilityInformation: { label: [t('capture'), label, ...said('long')].join(', ') },
  };
}

const serverIcons: Readonly<Record<PanelServer['state'], string>> = { none: 'server', starting: 'loading~spin', ready: 'pulse', away: 'sync~spin', failed: 'error' };

function serverItem({ url, status }: ServerNode): Look {
  const base = { id: `server ${url}`, collapsibleState: None, command: { command: `${panelViewType}.focus`, title: t('Open Panel') } };
  if (status === null) return { ...base, label: url, description: t('attached to before'), iconPath: new vscode.ThemeIcon('plug'), contextValue: 'server.known', command: { command: 'moire.tree.attach', title: t('Attach'), arguments: [{ type: 'server', url, status }] } };
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
  if (state === 'starting') return t('starting');
  if (state === 'away') return t('its engine is started again');
  if (state === 'failed') return t('failed');
  if (kind === 'attached') return t('attached');
  return speculating === true ? t('served, speculation on') : t('served');
}

function noteItem({ group, note }: NoteNode): Look {
  const base = { id: `note ${group} ${note.kind}`, collapsibleState: None, contextValue: 'note' };
  switch (note.kind) {
    case 'empty':
      return { ...base, label: '', description: emptyText(group), accessibilityInformation: { label: emptyText(group) } };
    case 'failed':
      return { ...base, label: t('This list cannot be made'), description: note.reason, tooltip: note.reason, iconPath: new vscode.ThemeIcon('error'), command: { command: 'moire.showLog', title: t('Show Log') } };
    case 'more': {
      const count = formatCount(note.count);
      const label = note.atLeast ? t('At least {0} older ones are not listed', count) : t('{0} older ones are not listed', count);
      return { ...base, label, iconPath: new vscode.ThemeIcon('ellipsis'), ...(group === 'reports' && { command: { command: 'moire.openReport', title: t('Open Report') } }) };
    }
  }
}

function emptyText(group: GroupId): string {
  const texts: Record<GroupId, string> = {
    models: t('No folder with config.json and .safetensors files'),
    reports: t('None yet: bisect a model'),
    captures: t('None yet: capture a served run'),
    servers: t('None: serve a model, or attach to a server'),
  };
  return texts[group];
}

const openCommand = (file: string, viewType: string): vscode.Command => ({ command: 'vscode.openWith', title: t('Open'), arguments: [vscode.Uri.file(file), viewType] });

export const ageText = (at: number, style: AgeStyle = 'narrow'): string => ageOf(at, Date.now(), vscode.env.language, style);

/** As text: what a file says of itself is no markup. */
const lines = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n');

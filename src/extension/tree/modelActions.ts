// What is done with a model of the tree, with the sample, and with a folder that the tree does not know yet.
import path from 'node:path';
import * as vscode from 'vscode';
import type { ModelFacts } from '../../shared/engineProtocol';
import { formatCount } from '../../shared/format';
import { escaped } from '../../shared/record';
import { acceptLogViewType } from '../ids';
import { faultOfFolder } from '../modelFolders';
import { probe, trusted } from '../probeCommand';
import { Problem } from '../problem';
import type { RunEnd } from '../runService';
import type { Services } from '../services';
import { modelOf } from './given';

/** "log": opens the rounds that ship; anything else bisects the model that ships, with the settings' values and no question. */
export async function openSample(services: Services, argument: unknown): Promise<RunEnd | undefined> {
  const samples = path.join(services.extension.path, 'samples');
  if (argument !== 'log') return probe(services, 'bisect', { model: path.join(samples, 'target-4bit') });
  await vscode.commands.executeCommand('vscode.openWith', vscode.Uri.file(path.join(samples, 'served', 'rounds.moire-capture.jsonl')), acceptLogViewType);
  return undefined;
}

/** Asks for a folder, keeps it among the models and goes on to its bisect. */
export async function addModel(services: Services): Promise<void> {
  const chosen = await vscode.window.showOpenDialog({ title: vscode.l10n.t('Model folder'), openLabel: vscode.l10n.t('Choose'), canSelectFiles: false, canSelectFolders: true });
  const folder = chosen?.[0]?.fsPath;
  if (folder === undefined) return;
  const fault = await faultOfFolder(folder);
  if (fault !== '') throw new Problem({ kind: 'input', title: fault, place: '', action: '' });
  await services.memory.rememberModel(folder);
  await bisectModel(services, { folder });
}

export async function bisectModel(services: Services, node: unknown): Promise<unknown> {
  return probe(services, 'bisect', { ask: { model: modelOf(node) } });
}

export async function serveModel(node: unknown): Promise<void> {
  await vscode.commands.executeCommand('moire.startServedRun', { ask: { model: modelOf(node) } });
}

/** What the engine says of a model, as a text to read. */
export async function inspectModel({ engines, pages, settings }: Services, node: unknown): Promise<void> {
  const folder = modelOf(node);
  if (!(await trusted())) return;
  const facts = await (await engines.current()).inspect({ library: settings().library, model: folder });
  await pages.show(`${path.basename(folder)}.md`, modelText(folder, facts));
}

/** As `moire inspect` has it, and in English like it: the text is for issues and notes. */
function modelText(folder: string, { architecture, layers, vocab, context, parameters, tokenizer, warnings, switches }: ModelFacts): string {
  const rows: readonly (readonly [string, string])[] = [
    ['folder', folder],
    ['architecture', architecture],
    ['layers', formatCount(layers)],
    ['parameters', formatCount(parameters)],
    ['vocabulary', formatCount(vocab)],
    ['context', formatCount(context)],
    ['tokenizer', tokenizer ? 'yes' : 'no'],
    ...warnings.map((warning) => ['note', warning] as const),
  ];
  const choices = switches.map(({ name, values, default: preset }) => `| ${escaped(name)} | ${escaped((values ?? []).join(', '))} | ${escaped(String(preset))} |`);
  return [`# ${escaped(path.basename(folder))}`, '', '| what | is |', '|---|---|', ...rows.map(([what, is]) => `| ${what} | ${escaped(is)} |`), '', '| switch | values | default |', '|---|---|---|', ...choices, ''].join('\n');
}

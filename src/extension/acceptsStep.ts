// Steps that ask for an accept sequence: a list of kept rows, or a log.
import * as vscode from 'vscode';
import { limits, type Accepts } from '../shared/experiment';
import { baseName } from '../shared/reportFacts';
import { pickStep, textStep, type Move, type Place, type Step } from './steps';
import { listStep, numberStep } from './valueSteps';

interface Sequence {
  accepts: Accepts;
  width: number;
  tokens: number;
}

interface AcceptsItem extends vscode.QuickPickItem {
  readonly log: boolean;
}

/** `settled`: where the sequence comes from is known. */
export function acceptsSteps(experiment: Sequence, settled: boolean): Step[] {
  const source: Step[] = settled ? [] : [(place) => sourceStep(place, experiment), (place) => detailStep(place, experiment)];
  return [...source, (place) => widthStep(place, experiment), (place) => tokensStep(place, experiment)];
}

function sourceStep(place: Place, experiment: Sequence): Promise<Move> {
  return pickStep<AcceptsItem>(place, {
    placeholder: vscode.l10n.t('Where the accept sequence comes from'),
    items: () => [
      { label: vscode.l10n.t('List of kept rows'), detail: vscode.l10n.t('Accepted drafts plus one for each round, cycled'), log: false },
      { label: vscode.l10n.t('Accept log…'), detail: experiment.accepts.type === 'log' ? experiment.accepts.file : vscode.l10n.t('The log of a served run; its format is found by itself'), log: true },
    ],
    active: ({ log }) => log === (experiment.accepts.type === 'log'),
    accept: async ({ log }) => {
      if (!log) {
        if (experiment.accepts.type === 'log') experiment.accepts = { type: 'kept', kept: [1, 2, 3] };
        return 'next';
      }
      const file = await browse();
      if (file === undefined) return 'stay';
      experiment.accepts = { type: 'log', file, request: null };
      return 'next';
    },
  });
}

async function browse(): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({ title: vscode.l10n.t('Accept log'), openLabel: vscode.l10n.t('Choose'), canSelectFiles: true, canSelectFolders: false });
  return chosen?.[0]?.fsPath;
}

function detailStep(place: Place, experiment: Sequence): Promise<Move> {
  const { accepts } = experiment;
  if (accepts.type === 'kept') {
    return listStep(place, { prompt: vscode.l10n.t('Kept rows of each round, separated by commas; the list is cycled'), min: 1, max: limits.width, most: limits.rounds, value: accepts.kept, write: (kept) => (experiment.accepts = { type: 'kept', kept }) });
  }
  return textStep(place, {
    prompt: vscode.l10n.t('Burst of {0}: its number or request id; empty for the longest', baseName(accepts.file)),
    value: accepts.request ?? '',
    check: (text) => (text.length > 256 ? vscode.l10n.t('A request id has at most 256 characters.') : ''),
    accept: (text) => (experiment.accepts = { ...accepts, request: text.trim() === '' ? null : text.trim() }),
  });
}

function widthStep(place: Place, experiment: Sequence): Promise<Move> {
  const prompt = experiment.accepts.type === 'log' ? vscode.l10n.t('Rows of a block, where the log does not say') : vscode.l10n.t('Rows of a block');
  return numberStep(place, { prompt, min: 2, max: limits.width, value: experiment.width, write: (width) => (experiment.width = width) });
}

/** A log is walked to its end. */
function tokensStep(place: Place, experiment: Sequence): Promise<Move> {
  if (experiment.accepts.type === 'log') return Promise.resolve('skip');
  return numberStep(place, { prompt: vscode.l10n.t('Tokens to walk over'), min: 1, max: limits.tokens, value: experiment.tokens, write: (tokens) => (experiment.tokens = tokens) });
}

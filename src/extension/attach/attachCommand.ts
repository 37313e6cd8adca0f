// Moire: Attach to Server. Shows what the server can, and runs one of the probes that need only text and log probabilities.
import * as vscode from 'vscode';
import { z } from 'zod';
import { Experiment, isServed, servedKinds, type ServedExperiment, type ServedKind } from '../../shared/experiment';
import { probeNames } from '../../shared/reportFacts';
import { servedPresets } from '../../shared/servedPresets';
import { ServerUrl } from '../../shared/serverAddress';
import { can, type CapabilityName } from '../../shared/serverProfile';
import { argumentOf, notRunnable, refused } from '../commandArgument';
import { filledIn, trusted } from '../probeCommand';
import type { RunEnd } from '../runService';
import { selections } from '../selection';
import type { Services } from '../services';
import { pickStep, runSteps, type Move, type Place } from '../steps';
import { numberStep } from '../valueSteps';
import { askForArm } from './armStep';
import { panelViewType } from '../ids';
import { connectionTo } from '../serving/attach';
import { askForServer, askingOf, type AttachedTo } from './askServer';
import { serverText } from './serverText';

const Filled = z.object({ url: ServerUrl.optional() });

/** With an experiment as argument nothing is asked; `{ ask: { url } }` fills in the address. */
export async function attachToServer(services: Services, argument: unknown): Promise<RunEnd | AttachedTo | undefined> {
  if (!(await trusted())) return undefined;
  const filled = filledIn(argument);
  if (filled === undefined) return services.runs.run(experimentFrom(argument));
  const server = await askForServer(askingOf(services), undefined, argumentOf(Filled, filled).url);
  if (server === undefined) return undefined;
  const experiment = await askForProbe(services, server);
  return experiment === undefined ? server : services.runs.run(experiment);
}

/** An experiment over servers as a key binding or a task gives it. Throws a Problem that names the field. */
export function experimentFrom(argument: unknown): ServedExperiment {
  const experiment = argumentOf(Experiment, argument, notRunnable);
  if (isServed(experiment)) return experiment;
  throw refused(notRunnable, `the kind is one of ${servedKinds.join(', ')}`, 'kind');
}

const questions: Readonly<Record<ServedKind, string>> = {
  repeat: vscode.l10n.t('The same request again and again'),
  cache: vscode.l10n.t('Cache off, cold, warm, warm again'),
  concurrency: vscode.l10n.t('Each prompt alone, then several at once'),
  servers: vscode.l10n.t('Against another server, or a model of this machine'),
  rescore: vscode.l10n.t('Log probabilities when decoded, and when scored as a prompt'),
};

/** What a probe cannot do without. */
const needs: Readonly<Partial<Record<ServedKind, CapabilityName>>> = { rescore: 'logprobs' };

async function completeFrom(services: Services, attached: AttachedTo): Promise<void> {
  services.served.serving.attach(connectionTo(attached));
  await vscode.commands.executeCommand(`${panelViewType}.focus`);
}

async function askForProbe(services: Services, attached: AttachedTo): Promise<ServedExperiment | undefined> {
  const { profile } = attached;
  let kind: ServedKind | null = null;
  let experiment: ServedExperiment | undefined;
  let tokens = 0;
  const server = { url: profile.url, model: profile.model };
  const able = servedKinds.filter((one) => needs[one] === undefined || can(profile, needs[one]));
  const steps = [
    (place: Place): Promise<Move> =>
      pickStep(place, {
        placeholder: vscode.l10n.t('{0} at {1}: what to do with it', profile.model, profile.url),
        items: () => [
          { label: vscode.l10n.t('$(comment-discussion) Complete from it'), detail: vscode.l10n.t('In the Moire panel, in the editor, and for other extensions'), one: 'complete' as const },
          ...able.map((one) => ({ label: probeNames[one], detail: questions[one], one })),
          { label: vscode.l10n.t('$(info) What it is and can'), detail: vscode.l10n.t('Engine, models and capabilities, each with how it showed'), one: 'profile' as const },
        ],
        active: ({ one }) => one === (kind ?? 'complete'),
        accept: async ({ one }) => {
          if (one === 'profile') {
            await services.pages.show(`${new URL(profile.url).host}.md`, serverText(profile));
            return 'cancel';
          }
          if (one === 'complete') {
            await completeFrom(services, attached);
            return 'cancel';
          }
          kind = one;
          experiment = withEndpoint(servedPresets[one](server), can(profile, 'completions'));
          tokens = experiment.tokens;
          return 'next';
        },
      }),
    (place: Place): Promise<Move> => (experiment?.kind === 'servers' ? askForArm(place, services, experiment) : Promise.resolve('skip')),
    (place: Place): Promise<Move> => promptStep(place, (prompts) => experiment !== undefined && (experiment.prompts = prompts ?? servedPresets[experiment.kind](server).prompts)),
    (place: Place): Promise<Move> => numberStep(place, { prompt: vscode.l10n.t('Tokens of each answer'), min: 1, max: 4096, value: tokens, write: (value) => experiment !== undefined && (experiment.tokens = value) }),
  ];
  return (await runSteps(vscode.l10n.t('Attach to Server'), steps)) ? experiment : undefined;
}

/** A server without completions is asked as a chat. */
function withEndpoint(experiment: ServedExperiment, completions: boolean): ServedExperiment {
  return completions || experiment.kind === 'rescore' ? experiment : { ...experiment, endpoint: 'chat' };
}

/** `write`: null for the built-in prompts. */
function promptStep(place: Place, write: (prompts: string[] | null) => unknown): Promise<Move> {
  interface Item extends vscode.QuickPickItem {
    readonly text: string | null;
    readonly typed?: true;
  }
  return pickStep<Item>(place, {
    placeholder: vscode.l10n.t('Prompts'),
    items: () => [{ label: vscode.l10n.t('Built-in prompts'), detail: vscode.l10n.t('Beginnings of code, up to eight'), text: null }, ...selections().map(({ label, detail, text }) => ({ label, detail, text })), { label: vscode.l10n.t('Prompt text'), detail: vscode.l10n.t('One line to type; for more, select text in an editor first'), text: '', typed: true }],
    accept: async ({ text, typed }) => {
      const given = typed === true ? await vscode.window.showInputBox({ title: place.title, prompt: vscode.l10n.t('Prompt text'), ignoreFocusOut: true }) : text;
      if (given === undefined || given === '') return 'stay';
      write(given === null ? null : [given]);
      return 'next';
    },
  });
}

// Asks for a server: its address, a token where it wants one, a model where it has several. Gives what it is and can.
import * as vscode from 'vscode';
import { tokenPlace, type AttachRequest } from '../../shared/engineProtocol';
import { addressFault } from '../../shared/serverAddress';
import type { ServerProfile } from '../../shared/serverProfile';
import { asProblem, type Problem } from '../problem';
import type { Services } from '../services';
import { pickStep, runSteps, textStep, type Move, type Place } from '../steps';
import type { TokenStore } from './tokenStore';

export interface AttachedTo {
  readonly url: string;
  /** "" for none. Kept in the secret storage. */
  readonly token: string;
  readonly model: string;
  readonly profile: ServerProfile;
}

export interface AskServer {
  /** Asks the engine; rejects with a Problem. */
  readonly attach: (request: AttachRequest, signal: AbortSignal) => Promise<ServerProfile>;
  readonly tokens: TokenStore;
  /** Addresses that were used before, latest first. */
  readonly recent: readonly string[];
  readonly remember: (url: string) => Promise<void>;
}

export function askingOf({ engines, memory, tokens }: Services): AskServer {
  return { attach: async (request, signal) => (await engines.current()).attach(request, signal), tokens, recent: memory.recentServers(), remember: (url) => memory.rememberServer(url) };
}

interface Found {
  url: string;
  token: string;
  profile: ServerProfile | undefined;
}

/** Undefined when the user gives up. Also for other parts of the extension that talk to a server. */
export async function askForServer(asking: AskServer, title = vscode.l10n.t('Attach to Server'), url = ''): Promise<AttachedTo | undefined> {
  const found: Found = { url: url === '' ? (asking.recent[0] ?? 'http://127.0.0.1:8080') : url, token: '', profile: undefined };
  const steps = [(place: Place) => addressStep(place, found, asking.recent), (place: Place) => attachStep(place, found, asking), (place: Place) => modelStep(place, found, asking)];
  const { profile, token } = (await runSteps(title, steps)) ? found : { profile: undefined, token: '' };
  if (profile === undefined) return undefined;
  await asking.remember(profile.url);
  return { url: profile.url, token, model: profile.model, profile };
}

function addressStep(place: Place, found: Found, recent: readonly string[]): Promise<Move> {
  return textStep(place, {
    prompt: recent.length > 1 ? vscode.l10n.t('Address of an OpenAI-compatible server (also used: {0})', recent.slice(1, 4).join(', ')) : vscode.l10n.t('Address of an OpenAI-compatible server'),
    value: found.url,
    placeholder: 'http://127.0.0.1:8080',
    check: (text) => {
      const fault = addressFault(text.trim());
      return fault === '' ? '' : vscode.l10n.t('It cannot be used: {0}.', fault);
    },
    accept: (text) => (found.url = text.trim()),
  });
}

/** Attaches, and asks for a token only where the server wants one. A failure is told, and the address is asked for again. */
async function attachStep(place: Place, found: Found, { attach, tokens }: AskServer): Promise<Move> {
  found.token = await tokens.of(found.url);
  for (;;) {
    try {
      found.profile = await whileAttaching(found.url, (signal) => attach({ url: found.url, model: '', token: found.token }, signal));
      await tokens.keep(found.url, found.token);
      return 'skip';
    } catch (error) {
      const problem = asProblem(error);
      if (problem.data.place !== tokenPlace) {
        tellUnlessCancelled(problem);
        return 'back';
      }
      const token = await askForToken(place, problem.data.title);
      if (token === undefined) return 'back';
      found.token = token;
    }
  }
}

/** A server that takes its time over the first requests can be given up. */
const whileAttaching = <T>(url: string, work: (signal: AbortSignal) => Promise<T>): Thenable<T> =>
  vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('Moire: attaching to {0}', url), cancellable: true }, (_, token) => {
    const given = new AbortController();
    token.onCancellationRequested(() => given.abort());
    return work(given.signal);
  });

function tellUnlessCancelled({ data, sentence }: Problem): void {
  if (data.kind !== 'cancelled') void vscode.window.showWarningMessage(sentence);
}

function askForToken({ title }: Place, why: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title, prompt: vscode.l10n.t('{0}. It is kept in the secret storage, for this server alone.', why), placeHolder: vscode.l10n.t('Token'), password: true, ignoreFocusOut: true, validateInput: (text) => (text.trim() === '' ? vscode.l10n.t('Give the token.') : '') }).then((text) => text?.trim());
}

/** A server of one model is taken as it is. */
function modelStep(place: Place, found: Found, { attach }: AskServer): Promise<Move> {
  const { profile } = found;
  if (profile === undefined || profile.models.length < 2) return Promise.resolve('skip');
  return pickStep(place, {
    placeholder: vscode.l10n.t('Model of the server'),
    items: () => profile.models.map((label) => ({ label })),
    active: ({ label }) => label === profile.model,
    accept: async ({ label }) => {
      if (label === profile.model) return 'next';
      try {
        found.profile = await whileAttaching(found.url, (signal) => attach({ url: found.url, model: label, token: found.token }, signal));
        return 'next';
      } catch (error) {
        tellUnlessCancelled(asProblem(error));
        return 'stay';
      }
    },
  });
}

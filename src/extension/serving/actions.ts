// What a click on the status bar offers.
import { homedir } from 'node:os';
import path from 'node:path';
import * as vscode from 'vscode';
import { captureLogExtension } from '../../shared/capture';
import { fileTime } from '../fileTime';
import { panelViewType } from '../ids';
import { tell } from '../messages';
import type { Services } from '../services';
import { localFolder } from '../workspaceFolder';
import type { ServeAsked } from './serving';

interface Action extends vscode.QuickPickItem {
  readonly run: () => unknown;
}

export async function serveActions(services: Services): Promise<void> {
  const chosen = await vscode.window.showQuickPick(actionsFor(services), { title: 'Served run', placeHolder: services.served.serving.status.problem || 'What to do' });
  await chosen?.run();
}

/** The log grows while requests are served; it can be opened at any time. */
async function startCapturing(last: ServeAsked): Promise<void> {
  const name = `${path.basename(last.model)}-${fileTime(new Date())}${captureLogExtension}`;
  const chosen = await vscode.window.showSaveDialog({ title: 'Capture every request', defaultUri: vscode.Uri.file(path.join(localFolder() ?? homedir(), name)), filters: { 'Accept logs': ['jsonl'] } });
  if (chosen !== undefined) await vscode.commands.executeCommand('moire.startServedRun', { ...last, capture: chosen.fsPath });
}

function actionsFor({ served: { serving, inline, token }, log }: Services): Action[] {
  const { state, kind, model, url } = serving.status;
  const command = (id: string, argument?: unknown) => () => vscode.commands.executeCommand(id, argument);
  const language = vscode.window.activeTextEditor?.document.languageId;
  const on = state === 'ready' || state === 'away';
  const { last } = serving;
  const ghost: Action[] = language === undefined ? [] : [{ label: `$(sparkle) Switch ghost text ${inline.isOn(language) ? 'off' : 'on'} for ${language}`, run: command('moire.toggleInline') }];
  const running: Action[] = [
    { label: '$(comment-discussion) Show completions', run: command(`${panelViewType}.focus`) },
    { label: '$(question) Why (no) speculation', run: command('moire.whyNoSpeculation') },
    { label: '$(copy) Copy address', description: url, run: () => vscode.env.clipboard.writeText(`${url}/v1`) },
    ...(kind === 'attached'
      ? []
      : [
          {
            label: '$(key) Copy token',
            run: async () => {
              await vscode.env.clipboard.writeText(await token());
              tell(log, 'The bearer token of served runs is on the clipboard.');
            },
          },
        ]),
    { label: kind === 'attached' ? '$(debug-disconnect) Leave this server' : '$(debug-stop) Stop', description: model, run: command('moire.stopServedRun') },
  ];
  const again: Action[] =
    last === null
      ? []
      : [
          { label: '$(debug-restart) Start again', description: last.model, run: command('moire.startServedRun', { ...last, capture: '' }) },
          { label: '$(record) Start again and capture every request…', description: last.model, run: () => startCapturing(last) },
        ];
  return [...ghost, ...(on ? running : []), ...again, { label: `$(play) Start ${on || last !== null ? 'another' : 'a'} model…`, run: command('moire.startServedRun') }, { label: '$(plug) Attach to a server…', run: command('moire.attach') }];
}

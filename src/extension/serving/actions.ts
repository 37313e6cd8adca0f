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
  const chosen = await vscode.window.showQuickPick(actionsFor(services), { title: vscode.l10n.t('Served run'), placeHolder: services.served.serving.status.problem || vscode.l10n.t('What to do') });
  await chosen?.run();
}

/** The log grows while requests are served; it can be opened at any time. */
async function startCapturing(last: ServeAsked): Promise<void> {
  const name = `${path.basename(last.model)}-${fileTime(new Date())}${captureLogExtension}`;
  const chosen = await vscode.window.showSaveDialog({ title: vscode.l10n.t('Capture every request'), defaultUri: vscode.Uri.file(path.join(localFolder() ?? homedir(), name)), filters: { [vscode.l10n.t('Accept logs')]: ['jsonl'] } });
  if (chosen !== undefined) await vscode.commands.executeCommand('moire.startServedRun', { ...last, capture: chosen.fsPath });
}

function actionsFor({ served: { serving, inline, token }, log }: Services): Action[] {
  const { state, kind, model, url } = serving.status;
  const command = (id: string, argument?: unknown) => () => vscode.commands.executeCommand(id, argument);
  const language = vscode.window.activeTextEditor?.document.languageId;
  const on = state === 'ready' || state === 'away';
  const { last } = serving;
  const ghost: Action[] = language === undefined ? [] : [{ label: inline.isOn(language) ? vscode.l10n.t('$(sparkle) Switch ghost text off for {0}', language) : vscode.l10n.t('$(sparkle) Switch ghost text on for {0}', language), run: command('moire.toggleInline') }];
  const running: Action[] = [
    { label: vscode.l10n.t('$(comment-discussion) Show completions'), run: command(`${panelViewType}.focus`) },
    { label: vscode.l10n.t('$(question) Why (no) speculation'), run: command('moire.whyNoSpeculation') },
    { label: vscode.l10n.t('$(copy) Copy address'), description: url, run: () => vscode.env.clipboard.writeText(`${url}/v1`) },
    ...(kind === 'attached'
      ? []
      : [
          {
            label: vscode.l10n.t('$(key) Copy token'),
            run: async () => {
              await vscode.env.clipboard.writeText(await token());
              tell(log, vscode.l10n.t('The bearer token of served runs is on the clipboard.'));
            },
          },
        ]),
    { label: kind === 'attached' ? vscode.l10n.t('$(debug-disconnect) Leave this server') : vscode.l10n.t('$(debug-stop) Stop'), description: model, run: command('moire.stopServedRun') },
  ];
  const again: Action[] =
    last === null
      ? []
      : [
          { label: vscode.l10n.t('$(debug-restart) Start again'), description: last.model, run: command('moire.startServedRun', { ...last, capture: '' }) },
          { label: vscode.l10n.t('$(record) Start again and capture every request…'), description: last.model, run: () => startCapturing(last) },
        ];
  return [...ghost, ...(on ? running : []), ...again, { label: on || last !== null ? vscode.l10n.t('$(play) Start another model…') : vscode.l10n.t('$(play) Start a model…'), run: command('moire.startServedRun') }, { label: vscode.l10n.t('$(plug) Attach to a server…'), run: command('moire.attach') }];
}

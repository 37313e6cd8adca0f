// Hears when a file becomes another one, wherever it lies.
import * as vscode from 'vscode';

/** A watcher takes a while until it watches, and says nothing when it does. */
const watchingMs = 2000;

export interface FileWatch {
  /** As if a change had been heard. */
  readonly look: () => void;
  readonly dispose: () => void;
}

/** `look` runs `settleMs` after a first word of a change, and once more for what is said after that. There may be no change. */
export function watchFile(uri: vscode.Uri, settleMs: number, look: () => void): FileWatch {
  const folder = vscode.Uri.joinPath(uri, '..');
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, escapeGlob(fileName(uri))));
  let timer: NodeJS.Timeout | undefined;
  const heard = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      look();
    }, settleMs);
  };
  const late = setTimeout(heard, watchingMs);
  for (const event of [watcher.onDidChange, watcher.onDidCreate, watcher.onDidDelete]) event(heard);
  return {
    look: heard,
    dispose() {
      watcher.dispose();
      clearTimeout(timer);
      clearTimeout(late);
    },
  };
}

export function fileName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

function escapeGlob(name: string): string {
  return name.replace(/[[\]{}*?]/g, '[$&]');
}

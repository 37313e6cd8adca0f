// Texts that a command shows to be read: documents of a scheme of their own, so that closing one asks for no file to save it in.
import * as vscode from 'vscode';

const scheme = 'moire-text';

export class TextPages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private made = 0;
  private readonly open: vscode.Disposable;

  constructor() {
    this.open = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.texts.delete(uri.toString())),
    );
  }

  /** The address of a text, in the form in which an editor opens it. No two are the same: an editor may keep what it had under an old one. */
  add(name: string, text: string): vscode.Uri {
    this.made += 1;
    const uri = vscode.Uri.from({ scheme, path: `/${name}`, query: String(this.made) });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  /** @param name of the tab; one that ends in .md is shown as Markdown */
  async show(name: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.add(name, text), { preview: false });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? vscode.l10n.t('This text is no longer there. Run the command again that showed it.');
  }

  dispose(): void {
    this.open.dispose();
    this.texts.clear();
  }
}

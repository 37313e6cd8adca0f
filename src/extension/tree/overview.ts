// The tree view "Moire": models, reports by verdict, captures and servers. Nothing is looked for before it is first shown, and again only what has changed.
import * as vscode from 'vscode';
import { captureLogExtension } from '../../shared/capture';
import { reportExtension } from '../../shared/report';
import { asProblem } from '../problem';
import { itemOf } from './items';
import { Lists, type Listed, type ListParts } from './lists';
import { byVerdict, groupIds, type GroupId, type Node, type NoteNode } from './nodes';

/** Files of a run change again and again; so long it is waited for the next. */
const settleMs = 500;

export interface OverviewParts extends ListParts {
  readonly log: vscode.LogOutputChannel;
}

export class Overview implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  readonly lists: Lists;
  private readonly stale = new Set<GroupId>();
  private watchers: vscode.Disposable[] | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly its: OverviewParts) {
    this.lists = new Lists(its);
  }

  /** Nothing, and so the welcome, where there is nothing but the samples. */
  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) return this.groups();
    if (node.type === 'verdict') return [...node.reports];
    return node.type === 'group' ? this.entries(node.group) : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return itemOf(node);
  }

  /** Looks for everything again. */
  refresh(): void {
    this.lists.forgetAll();
    this.changed.fire(undefined);
  }

  /** Hears of a change; the lists are made again when several have been heard. */
  touched(...groups: readonly GroupId[]): void {
    for (const group of groups) this.stale.add(group);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      for (const group of this.stale) this.lists.forget(group);
      this.stale.clear();
      this.changed.fire(undefined);
    }, settleMs);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const watcher of this.watchers ?? []) watcher.dispose();
    this.changed.dispose();
  }

  private async groups(): Promise<Node[]> {
    if (this.watchers === undefined) this.begin();
    // A list that cannot be made is told in its group.
    const empty = await this.lists.isEmpty().catch(() => false);
    return empty ? [] : groupIds.map((group): Node => ({ type: 'group', group }));
  }

  private begin(): void {
    this.watchers = this.watch();
  }

  private async entries(group: GroupId): Promise<Node[]> {
    try {
      if (group === 'reports') return withNotes(group, await this.lists.reports(), byVerdict);
      const listed: Listed<Node> = await this.lists[group]();
      return withNotes(group, listed, (shown) => shown);
    } catch (error) {
      const { sentence } = asProblem(error);
      this.its.log.error(`tree view, ${group}: ${sentence}`);
      return [{ type: 'note', group, note: { kind: 'failed', reason: sentence } }];
    }
  }

  private watch(): vscode.Disposable[] {
    const { captures, serving } = this.its;
    const inFolder = (folder: string, ending: string): vscode.RelativePattern => new vscode.RelativePattern(vscode.Uri.file(folder), `*${ending}`);
    return [
      ...[`**/*${reportExtension}`, ...this.lists.reportFolders().map((folder) => inFolder(folder, reportExtension))].map((glob) => this.heard(glob, 'reports', true)),
      // A capture that grows is still the same capture.
      ...[`**/*${captureLogExtension}`, inFolder(captures, captureLogExtension)].map((glob) => this.heard(glob, 'captures', false)),
      this.heard('**/config.json', 'models', false),
      serving.onDidChange(() => this.touched('servers', 'captures')),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.touched(...groupIds)),
      vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration('moire.reports.directory') && this.touched('reports')),
    ];
  }

  private heard(glob: vscode.GlobPattern, group: GroupId, changes: boolean): vscode.Disposable {
    const watcher = vscode.workspace.createFileSystemWatcher(glob, false, !changes, false);
    const touch = (): void => this.touched(group);
    for (const event of [watcher.onDidCreate, watcher.onDidChange, watcher.onDidDelete]) event(touch);
    return watcher;
  }
}

function withNotes<T>(group: GroupId, { shown, more, atLeast }: Listed<T>, nodes: (shown: readonly T[]) => readonly Node[]): Node[] {
  const note = (what: NoteNode['note']): NoteNode => ({ type: 'note', group, note: what });
  if (shown.length === 0) return [note({ kind: 'empty' })];
  return [...nodes(shown), ...(more > 0 ? [note({ kind: 'more', count: more, atLeast })] : [])];
}

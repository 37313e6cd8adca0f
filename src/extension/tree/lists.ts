// The four lists of the tree view, each made when it is first looked at and again after a change.
import { captureLogExtension } from '../../shared/capture';
import { reportExtension } from '../../shared/report';
import { originOf } from '../../shared/serverAddress';
import type { Memory } from '../memory';
import { knownDrafters, onlyModels, sampleModels, workspaceModels } from '../modelFolders';
import { reportsDirectory } from '../reportStore';
import type { Serving } from '../serving/serving';
import type { Settings } from '../settings';
import { localFolder } from '../workspaceFolder';
import { Heads } from './headFile';
import { factsOf } from './modelFacts';
import { withoutCopies, type CaptureNode, type GroupId, type ModelNode, type ModelPlace, type ReportNode, type ServerNode } from './nodes';
import { eachOf, fileAt, filesEnding } from './search';

export const mostShown = 200;

export interface ListParts {
  readonly extensionPath: string;
  readonly storage: string;
  /** Where capture logs of the panel's runs are kept. */
  readonly captures: string;
  readonly settings: () => Settings;
  readonly memory: Memory;
  readonly serving: Serving;
}

export interface Listed<T> {
  readonly shown: readonly T[];
  /** How many there are beside those. */
  readonly more: number;
  /** There may be still more. */
  readonly atLeast: boolean;
}

interface Nodes {
  readonly models: ModelNode;
  readonly reports: ReportNode;
  readonly captures: CaptureNode;
  readonly servers: ServerNode;
}

type Kept = { [G in GroupId]?: Promise<Listed<Nodes[G]>> };

export class Lists {
  private readonly heads = new Heads();
  private kept: Kept = {};

  constructor(private readonly its: ListParts) {}

  forget(group: GroupId): void {
    Reflect.deleteProperty(this.kept, group);
  }

  forgetAll(): void {
    this.kept = {};
  }

  models = (): Promise<Listed<ModelNode>> => (this.kept.models ??= this.findModels());
  reports = (): Promise<Listed<ReportNode>> => (this.kept.reports ??= this.findReports());
  captures = (): Promise<Listed<CaptureNode>> => (this.kept.captures ??= this.findCaptures());
  servers = (): Promise<Listed<ServerNode>> => (this.kept.servers ??= Promise.resolve(all(this.knownServers())));

  /** Whether there is nothing but what ships with the extension. */
  async isEmpty(): Promise<boolean> {
    const [models, reports, captures, servers] = await Promise.all([this.models(), this.reports(), this.captures(), this.servers()]);
    return models.shown.every(({ place }) => place === 'sample') && [reports, captures, servers].every(({ shown }) => shown.length === 0);
  }

  /** Folders beside the workspace in which reports are kept. */
  reportFolders(): string[] {
    const { storage, settings } = this.its;
    const chosen = reportsDirectory({ setting: settings().reportsDirectory, workspace: localFolder(), storage });
    return [chosen, reportsDirectory({ setting: '', workspace: undefined, storage })];
  }

  private async findModels(): Promise<Listed<ModelNode>> {
    const { extensionPath, memory } = this.its;
    const [open, recent, samples, drafters] = await Promise.all([workspaceModels(), onlyModels(memory.recentModels()), sampleModels(extensionPath), knownDrafters(extensionPath)]);
    const places = new Map<string, ModelPlace>();
    const note = (place: ModelPlace, folders: readonly string[]): void => folders.forEach((folder) => places.has(folder) || places.set(folder, place));
    const ships = (folder: string): boolean => folder.startsWith(extensionPath);
    note('sample', [...samples, ...drafters.filter(ships)]);
    note('workspace', [...open, ...drafters.filter((folder) => !ships(folder))]);
    note('recent', recent);
    const order: readonly ModelPlace[] = ['workspace', 'recent', 'sample'];
    const folders = order.flatMap((place) => [...places].filter(([, one]) => one === place));
    const models = await eachOf(folders, async ([folder, place]): Promise<ModelNode> => ({ type: 'model', folder, place, facts: await factsOf(folder) }));
    return cut(withoutCopies(models), false);
  }

  private async findReports(): Promise<Listed<ReportNode>> {
    const found = await filesEnding(reportExtension, this.reportFolders());
    const { shown, ...rest } = cut(found.files, found.cut);
    this.heads.keepOnly(new Set(shown.map(({ path }) => path)));
    return { ...rest, shown: await eachOf(shown, async (file): Promise<ReportNode> => ({ type: 'report', file, listed: await this.heads.of(file) })) };
  }

  /** Also the log that a served run writes, and logs of other engines that were inspected, wherever they lie. */
  private async findCaptures(): Promise<Listed<CaptureNode>> {
    const { captures, memory, serving } = this.its;
    const [found, ...named] = await Promise.all([filesEnding(captureLogExtension, [captures]), ...[serving.last?.capture ?? '', ...memory.recentLogs()].map(fileAt)]);
    const files = new Map([...named.filter((file) => file !== undefined), ...found.files].map((file) => [file.path, file]));
    return cut([...files.values()].sort((a, b) => b.at - a.at).map((file): CaptureNode => ({ type: 'capture', file })), found.cut);
  }

  private knownServers(): ServerNode[] {
    const { memory, serving } = this.its;
    const { status } = serving;
    const now: ServerNode[] = status.state === 'none' ? [] : [{ type: 'server', url: status.url, status }];
    const others = memory.recentServers().filter((url) => status.url === '' || originOf(url) !== originOf(status.url));
    return [...now, ...others.map((url): ServerNode => ({ type: 'server', url, status: null }))];
  }
}

const all = <T>(shown: readonly T[]): Listed<T> => ({ shown, more: 0, atLeast: false });
const cut = <T>(found: readonly T[], atLeast: boolean): Listed<T> => ({ shown: found.slice(0, mostShown), more: Math.max(0, found.length - mostShown), atLeast });

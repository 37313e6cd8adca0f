// What stands in the tree view "Moire".
import path from 'node:path';
import type { PanelServer } from '../../shared/panelProtocol';
import { moreGrave, verdictWords, type VerdictWord } from '../../shared/verdictWord';
import type { FoundFile } from './headFile';
import type { FolderFacts } from './modelFacts';
import type { ListedHead } from './reportHead';

export const groupIds = ['models', 'reports', 'captures', 'servers'] as const;
export type GroupId = (typeof groupIds)[number];

export type ModelPlace = 'workspace' | 'recent' | 'sample';

export interface ReportNode {
  readonly type: 'report';
  readonly file: FoundFile;
  readonly listed: ListedHead;
}

export interface ModelNode {
  readonly type: 'model';
  readonly folder: string;
  readonly place: ModelPlace;
  readonly facts: FolderFacts;
}

export interface CaptureNode {
  readonly type: 'capture';
  readonly file: FoundFile;
}

/** `status` null: an address that was attached to before. */
export interface ServerNode {
  readonly type: 'server';
  readonly url: string;
  readonly status: PanelServer | null;
}

/** Reports of one verdict, newest first; null for files that cannot be listed. */
export interface VerdictNode {
  readonly type: 'verdict';
  readonly word: VerdictWord | null;
  readonly reports: readonly ReportNode[];
}

/** Instead of entries, or after them. */
export interface NoteNode {
  readonly type: 'note';
  readonly group: GroupId;
  readonly note: { readonly kind: 'empty' } | { readonly kind: 'failed'; readonly reason: string } | { readonly kind: 'more'; readonly count: number; readonly atLeast: boolean };
}

export interface GroupNode {
  readonly type: 'group';
  readonly group: GroupId;
}

export type Node = GroupNode | VerdictNode | ReportNode | ModelNode | CaptureNode | ServerNode | NoteNode;

/** The gravest verdict first, and last what cannot be listed. */
export function byVerdict(reports: readonly ReportNode[]): VerdictNode[] {
  const order: (VerdictWord | null)[] = [...[...verdictWords].sort(moreGrave), null];
  return order.flatMap((word) => {
    const those = reports.filter((report) => wordOf(report) === word).sort((a, b) => timeOf(b) - timeOf(a));
    return those.length === 0 ? [] : [{ type: 'verdict', word, reports: those } as const];
  });
}

export const wordOf = ({ listed }: ReportNode): VerdictWord | null => ('head' in listed ? listed.head.word : null);

/** When the run started, else when the file was written; in milliseconds since 1970. */
export const timeOf = ({ listed, file }: ReportNode): number => ('head' in listed ? (listed.head.startedAt ?? file.at) : file.at);

/** Without what ships with the extension and lies in the workspace or elsewhere as well, under the same name and with the same facts: one model would stand there twice. */
export function withoutCopies(models: readonly ModelNode[]): ModelNode[] {
  const keyOf = ({ folder, facts }: ModelNode): string => JSON.stringify([path.basename(folder), facts]);
  const own = new Set(models.filter(({ place }) => place !== 'sample').map(keyOf));
  return models.filter((model) => model.place !== 'sample' || !own.has(keyOf(model)));
}

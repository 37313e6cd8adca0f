// What was served last in this workspace.
import type * as vscode from 'vscode';
import { z } from 'zod';
import { Switches } from '../../shared/experiment';

const key = 'serve.last';
const Stored = z.object({ model: z.string().min(1), drafter: z.string(), switches: Switches });
export type ServeMemory = z.infer<typeof Stored>;

export function serveMemory(state: Pick<vscode.Memento, 'get' | 'update'>): { read(): ServeMemory | undefined; write(asked: ServeMemory): Thenable<void> } {
  return { read: () => Stored.safeParse(state.get(key)).data, write: (asked) => state.update(key, asked) };
}

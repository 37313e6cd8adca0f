// What pages of the extension send: nothing of it is believed before it was checked.
import * as vscode from 'vscode';
import type { z } from 'zod';

const clipboardLimit = 8_000_000;

/** Hands on what `schema` takes; of what it does not the log hears. `page`: what it is called there. */
export function listenTo<M>(webview: vscode.Webview, schema: z.ZodType<M>, page: string, log: vscode.LogOutputChannel, take: (message: M) => void): vscode.Disposable {
  return webview.onDidReceiveMessage((data: unknown) => {
    const message = schema.safeParse(data);
    if (message.success) take(message.data);
    else log.error(`${page}: a message that is none: ${message.error.message.slice(0, 500)}`);
  });
}

export const copyText = (text: string): Thenable<void> => vscode.env.clipboard.writeText(text.slice(0, clipboardLimit));

// The exactness gate as a probe, asked of what is served: the same model, kernels and width.
import * as vscode from 'vscode';
import type { Serving } from './serving';

export async function askGate({ last, connection }: Serving): Promise<void> {
  const width = connection?.width ?? 0;
  const ask = last === null ? {} : { model: last.model, switches: last.switches, ...(width > 1 ? { widths: [width] } : {}) };
  await vscode.commands.executeCommand('moire.gate', { ask });
}

// Moire: Doctor. Says what is there and what to do about what is missing, also when the engine cannot start.
import os from 'node:os';
import * as vscode from 'vscode';
import type { DoctorCheck, DoctorReport } from '../shared/engineProtocol';
import { asProblem } from './problem';

export interface DoctorFindings {
  readonly checks: readonly DoctorCheck[];
  readonly text: string;
}

/** `ask` starts the engine and lets it examine itself; it rejects with a Problem. */
export async function examine(extensionVersion: string, ask: () => Promise<DoctorReport>): Promise<DoctorFindings> {
  const own = ownChecks(extensionVersion);
  const engine = await engineChecks(ask);
  const checks = [...own, ...engine.checks];
  // In a fence, so that it can be pasted into an issue as it is.
  return { checks, text: ['# Moire: Doctor', '', '```text', ...own.map(line), engine.text.trimEnd(), '```', ''].join('\n') };
}

function ownChecks(extensionVersion: string): DoctorCheck[] {
  const { isTrusted } = vscode.workspace;
  const editor = `${vscode.env.appName} ${vscode.version}, extension host on Node ${process.versions.node}`;
  const system = `${os.platform()} ${os.release()} ${os.arch()}${vscode.env.remoteName === undefined ? '' : `, remote ${vscode.env.remoteName}`}`;
  return [
    { name: 'Extension', ok: true, detail: extensionVersion, action: '' },
    { name: 'Editor', ok: true, detail: editor, action: '' },
    { name: 'System', ok: true, detail: system, action: '' },
    { name: 'Workspace', ok: isTrusted, detail: isTrusted ? 'trusted' : 'not trusted', action: isTrusted ? '' : 'Trust this workspace to run engines in it.' },
  ];
}

async function engineChecks(ask: () => Promise<DoctorReport>): Promise<DoctorFindings> {
  if (!vscode.workspace.isTrusted) return { checks: [], text: 'Not started, since the workspace is not trusted.' };
  try {
    return await ask();
  } catch (error) {
    const { title, place, action } = asProblem(error).data;
    const check: DoctorCheck = { name: 'Engine', ok: false, detail: place === '' ? title : `${title} (${place})`, action };
    return { checks: [check], text: line(check) };
  }
}

function line({ name, ok, detail, action }: DoctorCheck): string {
  return `${ok ? 'ok  ' : 'FAIL'}  ${name}: ${detail}${ok || action === '' ? '' : `\n      ${action}`}`;
}

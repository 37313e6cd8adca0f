// Browser tests: *.test.ts in this folder, run by vitest (project `ui`, one file after another; `npm test -- ui`), driving a real VS Code with playwright-core.
//
//   let vscode: Launched;
//   beforeAll(async () => { vscode = await launchWorkbench({ theme: 'dark' }); });
//   afterAll(() => vscode.close());
//   it('...', async () => { await vscode.workbench.command('Moire: Doctor'); ... });
//
// Each launch has a server, a workspace, settings and an extensions folder of its own; close() ends the server with all that it started and fails when an extension host died.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { launchBrowser } from '../../scripts/lib/browser.mjs';
import { installVsix, linkExtension } from '../../tools/vscode-server/extensions.mjs';
import { type RunningServer, startServer } from '../../tools/vscode-server/server.mjs';
import { themes } from '../../tools/vscode-server/settings.mjs';
import { Workbench } from './workbench';

const root = path.join(import.meta.dirname, '../..');

export interface LaunchOptions {
  readonly theme?: keyof typeof themes;
  /** The working tree as it was built, or a .vsix. Default: what MOIRE_TEST_EXTENSION names, else the working tree. */
  readonly extension?: string;
  /** Folder whose copy is opened, relative to the root. Default: samples. */
  readonly workspace?: string;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Opens the workspace in Restricted Mode. */
  readonly untrusted?: boolean;
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  readonly viewport?: { readonly width: number; readonly height: number };
}

export interface Launched {
  readonly workbench: Workbench;
  readonly server: RunningServer;
  /** The opened copy. */
  readonly workspace: string;
  close(): Promise<void>;
}

function install(extension: string, extensions: string): void {
  if (extension.endsWith('.vsix')) installVsix(path.resolve(root, extension), extensions);
  else linkExtension(root, extensions);
}

/** Opens VS Code with the extension on a fresh copy of the workspace. */
export async function launchWorkbench(options: LaunchOptions = {}): Promise<Launched> {
  const { theme = 'dark', extension = process.env['MOIRE_TEST_EXTENSION'] ?? 'linked', workspace: source = 'samples' } = options;
  const scratch = mkdtempSync(path.join(tmpdir(), 'moire-ui-'));
  const extensions = path.join(scratch, 'extensions');
  const workspace = path.join(scratch, path.basename(source));
  mkdirSync(extensions);
  install(extension, extensions);
  cpSync(path.join(root, source), workspace, { recursive: true });
  const trust = options.untrusted === true;
  const settings = { 'workbench.colorTheme': themes[theme], ...(trust && { 'security.workspace.trust.startupPrompt': 'never' }), ...options.settings };
  const server = await startServer({ folder: scratch, extensions, settings, trust, env: { ...options.env } });
  const browser = await launchBrowser();
  const close = async (): Promise<void> => {
    await browser.close();
    await server.stop();
    const deaths = server.hostDeaths();
    rmSync(scratch, { recursive: true, force: true });
    if (deaths.length > 0) throw new Error(`an extension host died: ${deaths.join('; ')}`);
  };
  try {
    const context = await browser.newContext({ viewport: options.viewport ?? { width: 1280, height: 800 }, colorScheme: theme === 'light' ? 'light' : 'dark' });
    const workbench = new Workbench(await context.newPage());
    await workbench.open(server.url(workspace));
    return { workbench, server, workspace, close };
  } catch (error) {
    await close().catch(() => undefined);
    throw error;
  }
}

// Report files that cannot be shown, and a workspace that is not trusted.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportFormat, reportVersion } from '../../src/shared/report';
import { sampleReport } from '../view/reports';
import { launchWorkbench, type Launched } from './harness';

function place(vscode: Launched, name: string, text: string): void {
  mkdirSync(path.join(vscode.workspace, '.moire'), { recursive: true });
  writeFileSync(path.join(vscode.workspace, '.moire', name), text);
}

async function open({ workbench }: Launched, name: string): Promise<void> {
  await workbench.command('Moire: Open Report', { asks: true });
  await workbench.answer(`${name}.moire.json`);
  await workbench.tab(name).waitFor();
}

describe('a report that cannot be shown', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench();
  });
  afterAll(() => vscode.close());

  async function screen(name: string, text: string): Promise<Frame> {
    place(vscode, `${name}.moire.json`, text);
    await open(vscode, name);
    return vscode.workbench.webview(`.screen.problem:has-text("${name}.moire.json")`);
  }

  it('says so when it is not JSON, and opens as text', async () => {
    const frame = await screen('broken', 'not { json');
    expect(await frame.locator('[role=alert]').innerText()).toMatch(/not JSON/);
    await frame.locator('vscode-button, button', { hasText: 'Open as text' }).click();
    await vscode.workbench.page.locator('.view-line', { hasText: 'not { json' }).waitFor();
  });

  it('says so when it is of a newer version, with what to do', async () => {
    const frame = await screen('newer', JSON.stringify({ format: reportFormat, version: reportVersion + 1 }));
    expect(await frame.locator('[role=alert]').innerText()).toMatch(/newer version[\s\S]*version 2[\s\S]*version 1[\s\S]*Update/);
    await vscode.workbench.shot('report-newer');
  });

  it('breaks no content security policy', () => {
    expect(vscode.workbench.violations).toEqual([]);
  });
});

describe('a workspace that is not trusted', () => {
  let vscode: Launched;
  beforeAll(async () => {
    vscode = await launchWorkbench({ untrusted: true });
  });
  afterAll(() => vscode.close());

  it('opens reports', async () => {
    place(vscode, 'found.moire.json', JSON.stringify(sampleReport()));
    await open(vscode, 'found');
    await vscode.workbench.webview('.map-cells');
  });

  it('runs nothing, and says why', async () => {
    await vscode.workbench.command('Moire: Bisect Block vs Chain');
    const toast = await vscode.workbench.toast(/needs a trusted workspace/);
    await toast.locator('.monaco-button', { hasText: 'Manage Workspace Trust' }).waitFor();
    await vscode.workbench.shot('untrusted');
  });
});

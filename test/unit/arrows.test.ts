// Every import arrow of ARCHITECTURE.md, shown to bite: a snippet that breaks it is linted as if it stood in the file named.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { afterAll, describe, expect, it } from 'vitest';
import { arrowRules } from '../../scripts/lint/arrows.mjs';

// The rule resolves imports to files, so the snippets stand in a small tree of the same shape.
const root = mkdtempSync(path.join(tmpdir(), 'moire-arrows-'));
const targets = ['disk/writeWhole', 'shared/report', 'shared/verdict', 'engine/types', 'extension/commands', 'extension/inHost', 'webview/main', 'webview/model/grids', 'server/main', 'cli/main'];
for (const target of targets) {
  const file = path.join(root, 'src', `${target}.ts`);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, 'export {};');
}
afterAll(() => rmSync(root, { recursive: true }));

const eslint = new ESLint({
  cwd: root,
  overrideConfigFile: true,
  overrideConfig: [
    { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, settings: { 'boundaries/root-path': root } },
    ...arrowRules,
  ] as NonNullable<ESLint.Options['overrideConfig']>,
});

async function rulesBrokenBy(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: path.join(root, filePath) });
  return (result?.messages ?? []).map((message) => message.ruleId ?? message.message);
}

const dependency = 'boundaries/dependencies';
const restricted = 'no-restricted-imports';

const forbidden: readonly (readonly [from: string, code: string, rule: string])[] = [
  ['src/webview/x.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`, dependency],
  ['src/webview/x.ts', `import { x } from '../extension/commands'; x();`, dependency],
  ['src/webview/x.ts', `import fs from 'node:fs'; fs.statSync('.');`, restricted],
  ['src/webview/x.ts', `import { provideVSCodeDesignSystem } from '@vscode/webview-ui-toolkit'; provideVSCodeDesignSystem();`, restricted],
  ['src/extension/x.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`, dependency],
  ['src/extension/x.ts', `import { x } from '../webview/main'; x();`, dependency],
  ['src/engine/x.ts', `import { x } from '../extension/commands'; x();`, dependency],
  ['src/webview/x.ts', `import { x } from '../disk/writeWhole'; x();`, dependency],
  ['src/shared/x.ts', `import { x } from '../disk/writeWhole'; x();`, dependency],
  ['src/disk/x.ts', `import { x } from '../engine/types'; x();`, dependency],
  ['src/engine/x.ts', `import { x } from '../cli/main'; x();`, dependency],
  ['src/engine/probes/x.ts', `import { x } from '../../webview/main'; x();`, dependency],
  ['src/server/x.ts', `import { x } from '../cli/main'; x();`, dependency],
  ['src/server/x.ts', `import { x } from '../extension/commands'; x();`, dependency],
  ['src/cli/x.ts', `import { x } from '../extension/inHost'; x();`, dependency],
  ['src/cli/x.ts', `import { x } from '../webview/main'; x();`, dependency],
  ['src/engine/x.ts', `import { x } from '../webview/model/grids'; x();`, dependency],
  ['src/extension/x.ts', `import { x } from '../webview/model/grids'; x();`, dependency],
  ['src/shared/x.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`, dependency],
  ['src/shared/x.ts', `export const x = (list: number[]): number => Math.max(0, ...list);`, 'no-restricted-syntax'],
  ['src/cli/x.ts', `export const x = (all: number[], list: number[]): number => all.push(...list);`, 'no-restricted-syntax'],
  ['src/shared/x.ts', `import path from 'node:path'; path.join('a');`, restricted],
  ['src/shared/x.ts', `import { Command } from 'commander'; new Command();`, restricted],
  ['src/engine/probes/x.ts', `import koffi from 'koffi'; koffi.load('x');`, restricted],
  ['src/extension/x.ts', `import koffi from 'koffi'; koffi.load('x');`, restricted],
  ['src/cli/x.ts', `import koffi from 'koffi'; koffi.load('x');`, restricted],
  ['src/engine/x.ts', `import * as vscode from 'vscode'; vscode.env;`, restricted],
  ['src/engine/native/x.ts', `import * as vscode from 'vscode'; vscode.env;`, restricted],
  ['src/cli/x.ts', `import * as vscode from 'vscode'; vscode.env;`, restricted],
  ['src/webview/x.ts', `import * as vscode from 'vscode'; vscode.env;`, restricted],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; void vscode.window.showErrorMessage('It failed');`, 'no-restricted-syntax'],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; export const x = (n: string) => vscode.window.showWarningMessage(\`No \${n}\`);`, 'no-restricted-syntax'],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; void vscode.window.showQuickPick(['a'], { title: 'Choose one' });`, 'no-restricted-syntax'],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; export const x = (n: string) => vscode.l10n.t(\`No \${n}\`);`, 'no-restricted-syntax'],
  ['src/engine/native/x.ts', `import koffi from 'koffi'; export const x = koffi.view(1n, 2);`, 'no-restricted-syntax'],
  ['src/engine/native/x.ts', `import { view } from 'koffi'; view(1n, 2);`, 'no-restricted-syntax'],
  ['src/engine/native/x.ts', `import koffi from 'koffi'; const { view } = koffi; view(1n, 2);`, 'no-restricted-syntax'],
  ['src/shared/x.ts', `export default 1;`, 'no-restricted-syntax'],
];

const allowed: readonly (readonly [from: string, code: string])[] = [
  ['src/webview/x.ts', `import type { Report } from '../shared/report'; export type X = Report;`],
  ['src/webview/controls.ts', `import { provideVSCodeDesignSystem } from '@vscode/webview-ui-toolkit'; provideVSCodeDesignSystem();`],
  ['src/extension/x.ts', `import type { Report } from '../shared/report'; export type X = Report;`],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; vscode.env;`],
  ['src/extension/x.ts', `import * as vscode from 'vscode'; void vscode.window.showErrorMessage(vscode.l10n.t('It failed at {0}', 7));`],
  ['src/extension/inHost.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`],
  ['src/engine/x.ts', `import type { Report } from '../shared/report'; export type X = Report;`],
  ['src/engine/native/x.ts', `import koffi from 'koffi'; koffi.load('x');`],
  ['src/server/x.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`],
  ['src/cli/x.ts', `import type { Engine } from '../engine/types'; export type X = Engine;`],
  ['src/cli/x.ts', `import { x } from '../webview/model/grids'; x();`],
  ['src/shared/x.ts', `import { z } from 'zod'; import { Verdict } from './verdict'; export const X = z.array(Verdict);`],
];

describe('import arrows', () => {
  it.each(forbidden)('%s may not: %s', async (from, code, rule) => {
    expect(await rulesBrokenBy(from, code)).toEqual([rule]);
  });

  it.each(allowed)('%s may: %s', async (from, code) => {
    expect(await rulesBrokenBy(from, code)).toEqual([]);
  });
});

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { commandIds } from '../../src/extension/ids';
import * as vscode from 'vscode';
import { extension } from './support';

interface SettingSchema {
  readonly type: string;
  readonly scope: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: { readonly minimum: number; readonly maximum: number };
}

interface Manifest {
  readonly extensionKind: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly supported: unknown; readonly description: string; readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: { readonly commands: readonly { readonly command: string; readonly title: string }[]; readonly configuration: { readonly properties: Readonly<Record<string, SettingSchema>> } };
}

const manifest = (): Manifest => extension().packageJSON as Manifest;

/** Names of native parts of ours that are mapped into this process. */
function mappedNativeParts(): string[] {
  const maps = readFileSync('/proc/self/maps', 'utf8');
  return ['koffi.node', 'libmoire.so'].filter((name) => maps.includes(name));
}

/** Time to read, compile and run a bundle once more; the one that is loaded stays in use. */
function millisecondsToLoad(file: string): number {
  const load = createRequire(__filename);
  const inUse = load.cache[file];
  Reflect.deleteProperty(load.cache, file);
  const start = performance.now();
  load(file);
  const took = performance.now() - start;
  load.cache[file] = inUse;
  return took;
}

// First in the order of the files: the other suites use what is shown here to be absent.
describe('activation', () => {
  it('takes less than 50 ms and loads no engine, no native code and none of the libraries', async () => {
    // A text in a language of logs activates it too, and one may have been opened before.
    const { activationMs } = await extension().activate();
    const loadMs = millisecondsToLoad(path.join(extension().extensionPath, 'dist', 'extension.js'));
    assert.ok(activationMs + loadMs < 50, `loading took ${loadMs.toFixed(1)} ms, activate ${activationMs.toFixed(1)} ms`);
    const loaded = Object.keys(require.cache).filter((file) => /(?:services|inHost)\.js$|koffi/.test(file) && file.startsWith(extension().extensionPath));
    assert.deepEqual(loaded, []);
    if (existsSync('/proc/self/maps')) assert.deepEqual(mappedNativeParts(), []);
  });

  it('registers the commands that the manifest contributes, and no other', async () => {
    const registered = (await vscode.commands.getCommands(true)).filter((id) => id.startsWith('moire.') && !/\.(?:focus|resetViewLocation|open|removeView|toggleVisibility)$/.test(id));
    assert.deepEqual(registered.sort(), [...commandIds].sort());
    assert.deepEqual(manifest().contributes.commands.map(({ command }) => command).sort(), [...commandIds].sort());
  });

  it('has titles for people', () => {
    for (const { title } of manifest().contributes.commands) assert.match(title, /^[A-Z][A-Za-z ]+$/);
  });
});

describe('the manifest', () => {
  it('has few settings, each typed and limited', () => {
    const settings = Object.entries(manifest().contributes.configuration.properties);
    assert.ok(settings.length <= 16);
    for (const [name, schema] of settings) {
      const { type, enum: choices, minimum, maximum, maxLength, items } = schema;
      const limited = { string: choices !== undefined || maxLength !== undefined, integer: minimum !== undefined && maximum !== undefined, array: items !== undefined, boolean: true }[type];
      assert.equal(limited, true, `${name} has no limits`);
    }
  });

  it('runs where the files are and never lets a workspace choose native code', () => {
    const { extensionKind, capabilities, contributes } = manifest();
    assert.deepEqual(extensionKind, ['workspace']);
    assert.equal(capabilities.untrustedWorkspaces.supported, 'limited');
    assert.match(capabilities.untrustedWorkspaces.description, /trust/);
    assert.ok(capabilities.untrustedWorkspaces.restrictedConfigurations.includes('moire.engine.library'));
    assert.equal(contributes.configuration.properties['moire.engine.library']?.scope, 'machine');
  });
});

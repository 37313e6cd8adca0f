// What is bundled from what, for esbuild.mjs and for the list of third-party licences.
import path from 'node:path';
import { root } from './paths.mjs';

/** @param {{ production: boolean, out?: string }} options out: folder that gets dist/ */
export function productBundles({ production, out = root }) {
  const common = {
    absWorkingDir: root,
    bundle: true,
    minify: production,
    sourcemap: production ? false : 'linked',
    logLevel: 'warning',
    define: { 'process.env.NODE_ENV': '"production"' },
  };
  // VS Code 1.104 runs Node 22; the CLI runs under whatever Node its user has, from 20 on.
  const node = { ...common, platform: 'node', target: 'node20', format: 'cjs', external: ['vscode', 'koffi', 'mocha'] };
  const page = { ...common, platform: 'browser', target: 'chrome130', format: 'iife' };
  const dist = (name) => path.join(out, 'dist', name);
  return {
    // Activation loads the first of these alone; `import()` has to stay a require, which VS Code's own modules need.
    extension: { ...node, entryPoints: ['src/extension/main.ts'], outfile: dist('extension.js'), external: [...node.external, './services.js'], supported: { 'dynamic-import': false } },
    services: { ...node, entryPoints: ['src/extension/services.ts'], outfile: dist('services.js'), external: [...node.external, './inHost.js'], supported: { 'dynamic-import': false } },
    inHost: { ...node, entryPoints: ['src/extension/inHost.ts'], outfile: dist('inHost.js') },
    logReader: { ...node, entryPoints: ['src/engine/acceptLogs/process.ts'], outfile: dist('logReader.js') },
    engineProcess: { ...node, entryPoints: ['src/engine/process.ts'], outfile: dist('engineProcess.js') },
    serverProcess: { ...node, entryPoints: ['src/server/process.ts'], outfile: dist('serverProcess.js') },
    cli: { ...node, entryPoints: ['src/cli/main.ts'], outfile: dist('cli.js'), banner: { js: '#!/usr/bin/env node' } },
    report: { ...page, entryPoints: ['src/webview/main.ts'], outfile: dist('webview/report.js') },
    compare: { ...page, entryPoints: ['src/webview/compare/main.ts'], outfile: dist('webview/compare.js') },
    panel: { ...page, entryPoints: ['src/webview/panel/main.ts'], outfile: dist('webview/panel.js') },
    acceptLog: { ...page, entryPoints: ['src/webview/acceptLog/main.ts'], outfile: dist('webview/acceptLog.js') },
    ...(!production && { hostTests: { ...node, entryPoints: ['test/host/index.ts', 'test/host/**/*.test.ts'], outdir: 'dist-test/host', outbase: 'test/host' } }),
  };
}

/** The bench of the views. It opens pages as their tests do, and so stands as deep as these: what they import from the scripts stays where it is. */
export function viewsBenchBundle() {
  return { absWorkingDir: root, bundle: true, logLevel: 'warning', platform: 'node', target: 'node20', format: 'esm', packages: 'external', external: ['../../scripts/*'], sourcemap: 'linked', entryPoints: ['bench/viewsMain.ts'], outfile: path.join(root, 'dist-bench/views/main.mjs') };
}

/** The bench and its two children; never part of the product. */
export function benchBundle() {
  const entryPoints = ['bench/main.ts', 'bench/moireChild.ts', 'bench/llamaChild.ts', 'bench/servedMain.ts'];
  return { absWorkingDir: root, bundle: true, logLevel: 'warning', platform: 'node', target: 'node20', format: 'cjs', external: ['koffi'], sourcemap: 'linked', entryPoints, outdir: path.join(root, 'dist-bench') };
}

// The suites that need a VS Code: in-host, browser, and the packaged extension.
import process from 'node:process';
import { packageVsix } from '../lib/vsix.mjs';
import { runDesktopSuite, runHostSuite } from './host.mjs';
import { runVitest } from './node.mjs';

const needs = ['product', 'server', 'browser'];

const host = process.env.VSCODE_BIN
  ? { name: 'host', title: `in-host tests in ${process.env.VSCODE_BIN}`, needs: ['product'], run: runDesktopSuite }
  : { name: 'host', title: 'in-host tests in a VS Code server', needs, run: () => runHostSuite() };

export const editorSuites = [
  host,
  { name: 'ui', title: 'browser tests', needs, run: () => runVitest('test/ui', { project: 'ui', reporter: 'verbose', args: ['--no-file-parallelism'] }) },
  { name: 'vsix', title: 'package, install, in-host tests from the installed package', needs, run: async () => runHostSuite(await packageVsix()) },
];

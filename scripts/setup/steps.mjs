// The steps of the set-up. A step is done when its stamp holds the hash of its inputs and its result is there.
import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { installServer, server, serverInstalled } from '../../tools/vscode-server/install.mjs';
import { productBundles } from '../lib/bundles.mjs';
import { builtLibrary, inRoot, libraryName, stateFolder } from '../lib/paths.mjs';
import { npm, runLogged } from '../lib/run.mjs';
import { hashOf } from '../lib/stamp.mjs';
import { demandNpm, demandRust } from './toolchain.mjs';

/** Counts the packages of a lock file that this platform may download, for the progress. */
const lockedPackages = () => Object.keys(JSON.parse(readFileSync(inRoot('package-lock.json'), 'utf8')).packages).length - 1;

export const packageStep = {
  name: 'packages',
  title: 'npm packages',
  key: () => hashOf(['package-lock.json', '.npmrc']),
  present: () => existsSync(inRoot('node_modules/.package-lock.json')),
  async run(progress) {
    demandNpm();
    const total = lockedPackages();
    let fetched = 0;
    const onLine = (line) => {
      if (/^npm http (fetch|cache) .*\.tgz/.test(line)) progress(`${Math.min(++fetched, total)} of at most ${total}`);
    };
    await runLogged('npm-ci', npm('ci', '--ignore-scripts', '--loglevel=http'), { onLine });
  },
};

const nativeInputs = ['native/Cargo.toml', 'native/Cargo.lock', 'native/build.rs', 'native/src', 'native/crates', 'native/include'];

const native = {
  name: 'native',
  title: 'native engine',
  key: () => hashOf(nativeInputs),
  present: () => existsSync(builtLibrary),
  async run(progress) {
    demandRust();
    const onLine = (line) => {
      if (/^\s+Download(ing|ed) /.test(line)) progress('downloading crates');
      const built = /Building \[[=> ]*\] (\d+)\/(\d+)/.exec(line);
      if (built) progress(`${built[1]} of ${built[2]} crates`);
      return built === null;
    };
    const env = { CARGO_TERM_PROGRESS_WHEN: 'always', CARGO_TERM_PROGRESS_WIDTH: '80' };
    await runLogged('cargo-build', ['cargo', 'build', '--release', '--locked'], { cwd: inRoot('native'), env, onLine });
  },
};

const outfiles = Object.values(productBundles({ production: true })).map(({ outfile }) => outfile);
const results = [...outfiles, inRoot('dist-test/host/index.js'), inRoot('dist/native', libraryName)];

export const bundleStep = {
  name: 'bundles',
  title: 'bundles',
  key: () => hashOf(['src', 'test/host', 'esbuild.mjs', 'scripts/lib/bundles.mjs', 'tsconfig.base.json', 'package-lock.json', ...nativeInputs]),
  present: () => results.every((file) => existsSync(file)),
  run: () => runLogged('bundles', [process.execPath, 'esbuild.mjs']),
};

const cli = productBundles({ production: false, out: stateFolder }).cli;

/** The command line tool beside the product, so that it can be newer than a library that takes minutes. */
export const cliStep = {
  name: 'cli',
  title: 'command line tool',
  file: cli.outfile,
  key: () => hashOf(['src', 'package.json', 'scripts/lib/bundles.mjs', 'tsconfig.base.json', 'package-lock.json']),
  present: () => existsSync(cli.outfile),
  async run() {
    // Not above: the packages may have to be installed first.
    const { build } = await import('esbuild');
    await build(cli);
  },
};

export const serverStep = {
  name: 'vscode-server',
  title: 'VS Code server',
  key: () => hashOf(server.inputs),
  present: serverInstalled,
  run: installServer,
};

/** llama.cpp as its maintainers of the npm package built it, for the bench alone. Its lock file says which, and nothing of it runs while it is installed. */
export const llamaStep = {
  name: 'bench-llama',
  title: 'llama.cpp for the bench (npm package @node-llama-cpp/linux-x64, 29 MB)',
  key: () => hashOf(['bench/package-lock.json']),
  present: () => existsSync(inRoot('bench/node_modules/.package-lock.json')),
  run: () => runLogged('npm-ci-bench', npm('ci', '--prefix', 'bench', '--ignore-scripts')),
};

export const productSteps = [packageStep, native, bundleStep];

// Starts a VS Code server on loopback and ends it with everything that it started.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { server } from './install.mjs';
import { quietSettings } from './settings.mjs';

const startMs = 60_000;
const stopMs = 5_000;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns {Promise<number>} a free port on loopback */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject).listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/** @param {string} folder of user data @param {Record<string, unknown>} settings */
function writeSettings(folder, settings) {
  mkdirSync(path.join(folder, 'User'), { recursive: true });
  writeFileSync(path.join(folder, 'User', 'settings.json'), JSON.stringify({ ...quietSettings, ...settings }, null, 2));
}

/** @param {import('node:child_process').ChildProcess} child @param {NodeJS.Signals} signal */
function signalGroup(child, signal) {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // The group is gone already.
  }
}

/**
 * @typedef {object} ServerOptions
 * @property {string} folder for user data, log and the rest; made when missing
 * @property {string} [extensions] folder of installed extensions
 * @property {Record<string, unknown>} [settings]
 * @property {Record<string, string>} [env] for the extension host
 * @property {boolean} [driver] whether the page may name an extension under development and its tests
 * @property {boolean} [trust] whether folders have to be trusted; without, all are
 * @property {boolean} [token] whether a page needs a connection token; without one, only for tests
 */

/** A running server. */
export class RunningServer {
  /** @param {import('node:child_process').ChildProcess} child @param {number} port @param {string} log @param {string} token */
  constructor(child, port, log, token) {
    this.child = child;
    this.authority = `127.0.0.1:${port}`;
    this.log = log;
    this.token = token;
    /** @type {string | number | null} */
    this.exit = null;
    this.ended = new Promise((resolve) => {
      child.on('exit', (code, signal) => {
        this.exit = signal ?? code;
        resolve(this.exit);
      });
    });
    // A runner that ends without stop() must not leave a server behind.
    process.on('exit', () => this.exit === null && signalGroup(child, 'SIGKILL'));
  }

  /**
   * Address of a workbench.
   * @param {string} folder to open @param {readonly (readonly [string, string])[]} [payload] what VS Code's own web tests pass in the address
   */
  url(folder, payload = []) {
    const query = new URLSearchParams({ folder, ...(payload.length > 0 && { payload: JSON.stringify(payload) }), ...(this.token && { tkn: this.token }) });
    return `http://${this.authority}/?${query}`;
  }

  /** @param {string} file */
  uri(file) {
    return `vscode-remote://${this.authority}${encodeURI(file)}`;
  }

  async ready() {
    const end = Date.now() + startMs;
    while (Date.now() < end) {
      if (this.exit !== null) throw new Error(`The VS Code server ended (${this.exit}):\n${readFileSync(this.log, 'utf8').slice(-2000)}`);
      const answer = await fetch(`http://${this.authority}/version`).catch(() => null);
      if (answer?.ok) return;
      await pause(50);
    }
    await this.stop();
    throw new Error(`The VS Code server did not answer within ${startMs / 1000} s; its log is ${this.log}.`);
  }

  /** Extension hosts that ended by a signal or a non-zero code, as the log tells it. @returns {string[]} */
  hostDeaths() {
    if (!existsSync(this.log)) return [];
    return readFileSync(this.log, 'utf8')
      .split('\n')
      .filter((line) => /Extension Host Process exited with code: (?!0, signal: null)/.test(line));
  }

  async stop() {
    if (this.exit !== null) return;
    signalGroup(this.child, 'SIGTERM');
    await Promise.race([this.ended, pause(stopMs)]);
    signalGroup(this.child, 'SIGKILL');
    await this.ended;
  }
}

/** @param {ServerOptions} options @returns {Promise<RunningServer>} */
export async function startServer({ folder, extensions = path.join(folder, 'extensions'), settings = {}, env = {}, driver = false, trust = false, token = false }) {
  const userData = path.join(folder, 'user-data');
  const serverData = path.join(folder, 'server-data');
  writeSettings(userData, settings);
  mkdirSync(extensions, { recursive: true });
  const port = await freePort();
  const secret = token ? randomBytes(16).toString('hex') : '';
  const args = [
    ...['--host', '127.0.0.1', '--port', String(port), '--accept-server-license-terms', '--telemetry-level', 'off'],
    ...(trust ? [] : ['--disable-workspace-trust']),
    ...['--user-data-dir', userData, '--server-data-dir', serverData, '--extensions-dir', extensions],
    ...(token ? ['--connection-token', secret] : ['--without-connection-token']),
    ...(driver ? ['--enable-smoke-test-driver'] : []),
  ];
  const log = path.join(folder, 'server.log');
  const child = spawn(server.node, [server.main, ...args], {
    // A group of its own, so that its end takes the extension hosts along.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, VSCODE_AGENT_FOLDER: serverData, ...env },
  });
  const output = createWriteStream(log);
  child.stdout.pipe(output, { end: false });
  child.stderr.pipe(output, { end: false });
  const running = new RunningServer(child, port, log, secret);
  await running.ready();
  return running;
}

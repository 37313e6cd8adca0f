// Who has a port that is taken, as far as this user may know, and which is free.
import { readdir, readFile, readlink } from 'node:fs/promises';
import { createServer } from 'node:net';

const askMs = 500;
const tried = 50;

/** In words that follow "is taken by". */
export async function ownerOf(host: string, port: number): Promise<string> {
  const [served, process] = await Promise.all([servedAt(host, port), processAt(port)]);
  const who = process === '' ? 'another process' : process;
  return served === '' ? who : `${who}, ${served}`;
}

/** What answers there, where it tells its name to anybody. */
async function servedAt(host: string, port: number): Promise<string> {
  try {
    const response = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/health`, { signal: AbortSignal.timeout(askMs), redirect: 'manual' });
    const text = (await response.text()).slice(0, 4096);
    if (text.includes('"cachedPrefixes"')) return 'a served run of Moire';
    const name = (response.headers.get('server') ?? '').replace(/[^\x20-\x7e]/g, '').slice(0, 60);
    return name === '' ? 'which speaks HTTP' : `which calls itself ${name}`;
  } catch {
    return '';
  }
}

/** On Linux: the process of this user that listens there, "" where it is not to be found. */
async function processAt(port: number): Promise<string> {
  const inode = await listeningInode(port);
  if (inode === '') return '';
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const links = await Promise.all(descriptors.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => '')));
    if (links.includes(`socket:[${inode}]`)) return `the process ${pid} (${(await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')).trim()})`;
  }
  return '';
}

/** Lines of /proc/net/tcp: number, local address:port in hex, remote, state (0A: listens), ..., inode as the tenth. */
async function listeningInode(port: number): Promise<string> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')));
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const line = tables.flatMap((table) => table.split('\n')).map((row) => row.trim().split(/\s+/)).find(([, local = '', , state]) => local.endsWith(`:${hex}`) && state === '0A');
  return line?.[9] ?? '';
}

/** The next port above that can be opened, 0 where none was found. */
export async function freePortAfter(host: string, port: number): Promise<number> {
  for (let next = port + 1; next <= Math.min(65_535, port + tried); next += 1) if (await canOpen(host, next)) return next;
  return 0;
}

function canOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

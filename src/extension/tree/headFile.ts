// Heads of report files, each read once as long as its file stays what it is.
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { headOf, type ListedHead } from './reportHead';

/** Bytes of a first look; a second goes further where the first did not come to the kind, or to the end of what was asked. */
const looks = [8 * 1024, 256 * 1024] as const;
/** The end of a whole report is a bracket and a line break. */
const tailBytes = 16;

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Time of modification, in milliseconds since 1970. */
  readonly at: number;
}

interface Kept {
  readonly stamp: string;
  readonly head: Promise<ListedHead>;
}

export class Heads {
  private kept = new Map<string, Kept>();

  of({ path, bytes, at }: FoundFile): Promise<ListedHead> {
    const stamp = `${at} ${bytes}`;
    const known = this.kept.get(path);
    if (known?.stamp === stamp) return known.head;
    const head = readHead(path);
    this.kept.set(path, { stamp, head });
    return head;
  }

  /** Forgets all others. */
  keepOnly(paths: ReadonlySet<string>): void {
    this.kept = new Map([...this.kept].filter(([path]) => paths.has(path)));
  }
}

/** Never rejects: a file that cannot be read is an entry that says so. */
export const readHead = (path: string): Promise<ListedHead> => withFile(path, headIn).catch((): ListedHead => ({ unlisted: 'cannot be read' }));

/** The text of the first `bytes` bytes of a file. Rejects with the error of the file system. */
export const beginningOf = (path: string, bytes: number): Promise<string> => withFile(path, (file) => textAt(file, 0, bytes));

/** Without waiting: a named pipe would hold a thread until somebody writes into it. */
async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

async function headIn(file: FileHandle): Promise<ListedHead> {
  const found = await file.stat();
  if (!found.isFile()) return { unlisted: 'not a file' };
  let listed: ListedHead = { unlisted: 'empty' };
  for (const look of looks) {
    listed = headOf(await textAt(file, 0, look));
    if (found.size <= look || ('head' in listed && listed.head.probe !== '' && listed.head.allAsked)) break;
  }
  if (!('head' in listed)) return listed;
  const tail = await textAt(file, Math.max(0, found.size - tailBytes), tailBytes);
  return tail.trimEnd().endsWith('}') ? listed : { unlisted: 'cut off' };
}

async function textAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return new TextDecoder().decode(buffer.subarray(0, bytesRead));
}

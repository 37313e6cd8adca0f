// A picture beside the one that is kept. MOIRE_PICTURES=keep writes those that differ, to be looked at before they are committed.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

const root = path.join(import.meta.dirname, '../..');
const kept = path.join(root, 'test/fixtures/pictures');
/** Of pictures that differ: what was drawn, and where it differs. Not under version control. */
const drawn = path.join(root, '.moire/pictures');

/** Edges of letters and curves are drawn a little otherwise by another build of the browser. */
const colourTolerance = 0.2;
const shareTolerance = 0.002;

/** "" where the picture is as it was, else what is wrong and where to look. */
export function differenceFrom(name: string, png: Buffer): string {
  const file = path.join(kept, `${name}.png`);
  const said = existsSync(file) ? compare(readFileSync(file), png, name) : `there is no picture ${file}`;
  if (said === '' || process.env['MOIRE_PICTURES'] !== 'keep') return said;
  mkdirSync(kept, { recursive: true });
  writeFileSync(file, png);
  return '';
}

function compare(before: Buffer, now: Buffer, name: string): string {
  const [a, b] = [PNG.sync.read(before), PNG.sync.read(now)];
  mkdirSync(drawn, { recursive: true });
  const at = path.join(drawn, `${name}.png`);
  if (a.width !== b.width || a.height !== b.height) {
    writeFileSync(at, now);
    return `${name} is ${b.width} x ${b.height} and was ${a.width} x ${a.height}; see ${at}`;
  }
  const difference = new PNG({ width: a.width, height: a.height });
  const pixels = pixelmatch(a.data, b.data, difference.data, a.width, a.height, { threshold: colourTolerance });
  if (pixels <= shareTolerance * a.width * a.height) return '';
  writeFileSync(at, now);
  writeFileSync(path.join(drawn, `${name}.difference.png`), PNG.sync.write(difference));
  return `${name}: ${pixels} pixels differ; see ${at} and ${name}.difference.png`;
}

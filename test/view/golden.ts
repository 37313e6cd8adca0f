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

/** Which browser drew the pictures that are kept: its major version. */
const drawnBy = path.join(kept, 'browser.txt');

const colourTolerance = 0.2;
/** Another browser draws the edges of all letters a little otherwise; what is missing or elsewhere is more than that. */
const shareTolerance = { same: 0.002, other: 0.03 } as const;

/** "" where the picture is as it was, else what is wrong and where to look. `browser`: its version. */
export function differenceFrom(name: string, png: Buffer, browser: string): string {
  const file = path.join(kept, `${name}.png`);
  const major = browser.split('.')[0] ?? '';
  const same = existsSync(drawnBy) && readFileSync(drawnBy, 'utf8').trim() === major;
  const said = existsSync(file) ? compare(readFileSync(file), png, name, shareTolerance[same ? 'same' : 'other']) : `there is no picture ${file}`;
  if (said === '' || process.env['MOIRE_PICTURES'] !== 'keep') return said;
  mkdirSync(kept, { recursive: true });
  writeFileSync(file, png);
  writeFileSync(drawnBy, `${major}\n`);
  return '';
}

function compare(before: Buffer, now: Buffer, name: string, tolerance: number): string {
  const [a, b] = [PNG.sync.read(before), PNG.sync.read(now)];
  mkdirSync(drawn, { recursive: true });
  const at = path.join(drawn, `${name}.png`);
  if (a.width !== b.width || a.height !== b.height) {
    writeFileSync(at, now);
    return `${name} is ${b.width} x ${b.height} and was ${a.width} x ${a.height}; see ${at}`;
  }
  const difference = new PNG({ width: a.width, height: a.height });
  const pixels = pixelmatch(a.data, b.data, difference.data, a.width, a.height, { threshold: colourTolerance });
  if (pixels <= tolerance * a.width * a.height) return '';
  writeFileSync(at, now);
  writeFileSync(path.join(drawn, `${name}.difference.png`), PNG.sync.write(difference));
  return `${name}: ${pixels} pixels differ; see ${at} and ${name}.difference.png`;
}

import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { progressLine } from '../../../src/cli/terminal';

/** A terminal of so many columns that keeps what is written to it. */
function terminal(columns: number | undefined): { stream: NodeJS.WriteStream; written: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _, done): void {
      text += chunk.toString();
      done();
    },
  });
  const tty = { isTTY: true, columns, rows: 24, cursorTo: () => true, clearLine: () => true, moveCursor: () => true };
  return { stream: Object.assign(stream, tty) as unknown as NodeJS.WriteStream, written: () => text };
}

describe('the progress line', () => {
  it('shows stage and share at a terminal', () => {
    const { stream, written } = terminal(80);
    const line = progressLine(stream);
    line.show({ text: 'width 4 · draw 1', done: 1, total: 4 });
    line.stop();
    expect(written()).toContain('starting');
  });

  // Clearing a text on a terminal of 0 columns never ends.
  it.each([0, undefined])('is silent at a terminal of %s columns', (columns) => {
    const { stream, written } = terminal(columns);
    const line = progressLine(stream);
    line.show({ text: 'width 4', done: 1, total: 4 });
    line.stop();
    expect(written()).toBe('');
  });
});

// What the scripts tell the user: one updating line a step on a terminal, plain lines elsewhere.
import process from 'node:process';

/** A sentence for the user: what is wrong and what to do. Shown without a stack. */
export class Problem extends Error {}

export const seconds = (from, to = Date.now()) => `${((to - from) / 1000).toFixed(1)} s`;

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const plainEveryMs = 15_000;
const drawEveryMs = 100;

class TerminalStep {
  constructor(stream, title) {
    Object.assign(this, { stream, title, text: '', start: Date.now(), frame: 0 });
    this.timer = setInterval(() => this.draw(), drawEveryMs);
    this.timer.unref();
    this.draw();
  }

  draw() {
    this.frame = (this.frame + 1) % frames.length;
    const line = `${frames[this.frame]} ${this.title} … ${this.text}${this.text ? ' · ' : ''}${seconds(this.start)}`;
    this.stream.write(`\r\x1b[2K${line.slice(0, (this.stream.columns || 80) - 1)}`);
  }

  progress(text) {
    this.text = text;
  }

  end(mark, note) {
    clearInterval(this.timer);
    this.stream.write(`\r\x1b[2K${mark} ${this.title}${note ? `: ${note}` : ''} (${seconds(this.start)})\n`);
  }
}

class PlainStep {
  constructor(stream, title) {
    Object.assign(this, { stream, title, start: Date.now(), said: Date.now() });
    stream.write(`${title} ...\n`);
  }

  progress(text) {
    if (Date.now() - this.said < plainEveryMs) return;
    this.said = Date.now();
    this.stream.write(`  ${this.title}: ${text} (${seconds(this.start)})\n`);
  }

  end(mark, note) {
    this.stream.write(`${mark} ${this.title}${note ? `: ${note}` : ''} (${seconds(this.start)})\n`);
  }
}

/** @param {NodeJS.WriteStream} stream */
export function createUi(stream = process.stdout) {
  const Step = stream.isTTY ? TerminalStep : PlainStep;
  return {
    stream,
    line: (text = '') => stream.write(`${text}\n`),
    /** Runs `work(progress)` under a title and says how long it took. */
    async step(title, work) {
      const step = new Step(stream, title);
      try {
        const note = await work((text) => step.progress(text));
        step.end('✓', typeof note === 'string' ? note : '');
      } catch (error) {
        step.end('✗', 'failed');
        throw error;
      }
    },
  };
}

/** Runs a script's main function; a Problem is one sentence and exit 1, anything else keeps its stack. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? 0;
  } catch (error) {
    process.exitCode = 1;
    process.stderr.write(`\n${error instanceof Problem ? error.message : error.stack}\n`);
  }
}

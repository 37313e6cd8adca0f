// oMLX: one line a generation. Its ratio is accepted / generated.
import type { CaptureBuilder } from './builder';
import { ratioWarning, statedByRatio } from './dflashMlx';
import { formatsOf, type EngineLogs, type LineReader } from './reader';
import { after, fieldsOf, ratioOf } from './text';

const formats = formatsOf('omlx', 'omlx', {
  generation: ['generation line', 'D', 'ratio = accepted / generated', false, 'request'],
});

const anchor = 'DFlash generation complete: ';

function lines(capture: CaptureBuilder): LineReader[] {
  return [
    {
      anchors: [anchor],
      read(line): void {
        const text = after(line.text, anchor);
        const fields = fieldsOf(text);
        const ratio = ratioOf(fields.get('acceptance'));
        const [, tokens] = /^(\S{1,24}) tokens/.exec(text) ?? [];
        const generated = capture.count(tokens, 'tokens', line);
        const stated = { ...statedByRatio(generated, ratio), roundCount: capture.count(fields.get('cycles'), 'cycles', line) };
        capture.warn(ratioWarning);
        capture.request({ format: formats.generation, stated, at: line, facts: { ratioOverGenerated: ratio?.value ?? null } });
      },
    },
  ];
}

export const omlx: EngineLogs = { formats: Object.values(formats), lines };

// xinfer: one line a sequence.
import type { CaptureBuilder } from './builder';
import { formatsOf, type EngineLogs, type LineReader } from './reader';
import { after, fieldsOf, ratioOf } from './text';

const formats = formatsOf('xinfer', 'xinfer', {
  speculation: ['per sequence line', 'D', 'totals; avg_tok/step with bonus', false, 'request'],
});

const anchor = ' Speculation: steps=';

function lines(capture: CaptureBuilder): LineReader[] {
  return [
    {
      anchors: [anchor],
      read(line): void {
        const fields = fieldsOf(`steps=${after(line.text, anchor)}`);
        const count = (name: string): number | null => capture.count(fields.get(name), name, line);
        const [, request = null] = /\[(Seq \d{1,12})\]/.exec(line.text.slice(0, 1000)) ?? [];
        const stated = { roundCount: count('steps'), proposedSum: count('proposed'), acceptedSum: count('accepted'), acceptanceRate: ratioOf(fields.get('rate')), meanLengthWithBonus: ratioOf(fields.get('avg_tok/step')) };
        capture.request({ format: formats.speculation, request, stated, at: line, facts: { grammarBound: count('grammar_bound'), targetBound: count('target_bound') } });
      },
    },
  ];
}

export const xinfer: EngineLogs = { formats: Object.values(formats), lines };

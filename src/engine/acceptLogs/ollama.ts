// Ollama's MLX runner: one line a request. depth_over_time is the chosen draft depth, not acceptance.
import type { CaptureBuilder } from './builder';
import { formatsOf, type EngineLogs, type LineReader } from './reader';
import { after, fieldsOf, ratioOf } from './text';

const formats = formatsOf('ollama', 'ollama', {
  runner: ['runner log', 'D', 'totals', false, 'request'],
});

const anchor = 'msg="speculative decode stats"';

/** "2.5/4 3.0/4" -> [[2.5, 4], [3, 4]]: mean and largest depth of equal slices of the run. */
function depths(text: string | undefined): number[][] {
  return [...(text ?? '').matchAll(/([\d.]{1,12})\/(\d{1,9})/g)].map(([, mean, most]) => [Number(mean), Number(most)]);
}

function lines(capture: CaptureBuilder): LineReader[] {
  return [
    {
      anchors: [anchor],
      read(line): void {
        const fields = fieldsOf(after(line.text, anchor));
        const count = (name: string): number | null => capture.count(fields.get(name), name, line);
        const accepted = ratioOf(fields.get('avg_accepted'));
        const stated = {
          roundCount: count('iterations'),
          proposedSum: count('drafted'),
          acceptedSum: count('accepted'),
          acceptanceRate: ratioOf(fields.get('acceptance')),
          meanLengthWithBonus: accepted === null ? null : { value: accepted.value + 1, tolerance: accepted.tolerance },
        };
        capture.warn('the rounds include those of draft depth 0, and the depth is adaptive');
        capture.request({ format: formats.runner, stated, at: line, facts: { depthOverTime: depths(fields.get('depth_over_time')), maxDraft: count('max_draft') } });
      },
    },
  ];
}

export const ollama: EngineLogs = { formats: Object.values(formats), lines };

// What a replay compared, and what it did not.
import { formatList, plural } from '../../../shared/format';
import type { Report } from '../../../shared/report';
import type { ReplayResult } from '../../../shared/results/replay';
import type { ModelInfo } from '../../types';

export function coverageOf({ rounds, rewinds, width, runs, prompt, reference, log }: ReplayResult, info: ModelInfo): Report['coverage'] {
  const blocks = runs.filter(({ form }) => form === 'block');
  const fills = blocks.map(({ fill }) => fill);
  const whose = { greedy: "the model's own greedy continuation", ids: 'the given transcript', log: 'the transcript of the log' }[reference.source];
  return {
    compared: [
      `the logits of ${plural(reference.ids.length + 1, 'row')} (the prefill's last and every kept row), bytes, greedy choice and margin, against the classic chain; the chain twice for repeatability`,
      `${plural(rounds, 'round')} of width ${width} with ${plural(rewinds, 'rewind')} over ${whose}, after a prompt of ${plural(prompt.ids.length, 'token')} (${prompt.source})`,
      ...(blocks.length === 0 ? [] : [`rejected rows filled with ${formatList(fills.map((fill) => `${fill} ids`))}`]),
      ...(runs.every(({ state }) => state.length > 0) ? [`the whole state at the end of every arm: ${plural(info.layers.length, 'layer')}`] : []),
    ],
    notCovered: [
      'other prompts, transcripts and accept sequences',
      `widths other than ${width}`,
      ...(log === null ? ['what a real drafter proposes: the accept list was given'] : log.notes.map((note) => `the run of the log. ${note}`)),
      ...(['wrong', 'random', 'logged', 'correct'] as const).filter((fill) => blocks.length > 0 && !fills.includes(fill)).map((fill) => `rejected rows with ${fill} ids`),
      ...(blocks.length === 0 ? ['whole blocks, rejected rows and rewinds: no arm ran them'] : ['the state after each single rewind: the rewind audit compares it']),
      'more than one row in a batch',
      'sampling above temperature 0',
    ],
  };
}

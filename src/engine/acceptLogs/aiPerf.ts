// AIPerf: its neutral acceptance record, with a sparse histogram.
import type { CaptureBuilder } from './builder';
import { listAt, objectAt, textAt } from './jsonText';
import { formatsOf, type EngineLogs, type JsonObject, type JsonReader, type LogLine } from './reader';
import { perRequestFigures } from './vllm';

const formats = formatsOf('aiperf', 'aiperf', {
  vector: ['SpecDecodeAcceptanceRecord', 'B', 'accepted drafts; mean length with bonus', false, 'round'],
  histogram: ['SpecDecodeAcceptanceRecord without steps', 'C', 'histogram of accepted drafts', false, 'request'],
  totals: ['SpecDecodeAcceptanceRecord, totals', 'D', 'totals', false, 'request'],
});

/** `{"0": 3, "2": 1}` as a dense list. */
function dense(capture: CaptureBuilder, sparse: JsonObject, at: LogLine): number[] | null {
  const histogram: (number | undefined)[] = [];
  for (const [key, value] of Object.entries(sparse)) {
    const accepted = capture.count(key, 'a key of acceptance_histogram', at, 1023);
    const rounds = capture.count(value, `acceptance_histogram[${key}]`, at);
    if (accepted === null || rounds === null) return null;
    histogram[accepted] = rounds;
  }
  return Array.from(histogram, (rounds) => rounds ?? 0);
}

function json(capture: CaptureBuilder): JsonReader {
  return {
    keys: ['num_spec_steps'],
    read(record, at): boolean {
      const engine = textAt(record, 'engine');
      if (engine === null) return false;
      const sparse = objectAt(record, 'acceptance_histogram');
      const figures = perRequestFigures(capture, record, at);
      const histogram = sparse === null ? figures.histogram : dense(capture, sparse, at);
      const stated = { ...figures, histogram: histogram ?? null, generatedTokens: capture.count(record['completion_tokens'], 'completion_tokens', at) };
      const format = listAt(record, 'per_step_accepted') !== null ? formats.vector : histogram ? formats.histogram : formats.totals;
      capture.request({ format, stated, at, facts: { servedBy: engine } });
      return true;
    },
  };
}

export const aiPerf: EngineLogs = { formats: Object.values(formats), json };

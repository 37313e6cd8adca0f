// tabbyAPI: the metrics line of a request.
import type { CaptureBuilder } from './builder';
import { formatsOf, type EngineLogs, type LineReader } from './reader';
import { after, ratioOf } from './text';

const formats = formatsOf('tabbyapi', 'tabbyapi', {
  metrics: ['metrics line', 'D', 'totals', false, 'request'],
});

const draft = /Draft: (\S{1,24}) \/ (\S{1,24}) tokens accepted \(([\d.]{1,20}%)\)/;

function lines(capture: CaptureBuilder): LineReader[] {
  return [
    {
      anchors: [' tokens accepted ('],
      read(line): void {
        const start = Math.max(0, line.text.indexOf('Metrics (ID: '));
        const text = line.text.slice(start, start + 4096);
        const [, accepted, drafted, rate] = draft.exec(text) ?? [];
        if (rate === undefined) return;
        const [, request = null, generated] = /^Metrics \(ID: ([^)]{1,100})\): (\d{1,15}) tokens generated/.exec(text) ?? [];
        const [, cached, fresh] = /(?<!\d)(\d{1,15}) cached tokens and (\d{1,15}) new tokens/.exec(text) ?? [];
        const [, context] = /Context: (\d{1,15}) tokens/.exec(after(text, 'Generate')) ?? [];
        const stated = {
          acceptedSum: capture.count(accepted, 'accepted', line),
          proposedSum: capture.count(drafted, 'drafted', line),
          acceptanceRate: ratioOf(rate),
          generatedTokens: capture.count(generated, 'tokens generated', line),
          promptTokens: capture.count(context, 'context', line),
        };
        const cachedTokens = capture.count(cached, 'cached tokens', line);
        capture.request({ format: formats.metrics, request, stated, at: line, facts: { cached: cachedTokens, fresh: capture.count(fresh, 'new tokens', line), warm: cachedTokens === null ? null : cachedTokens > 0 } });
      },
    },
  ];
}

export const tabbyApi: EngineLogs = { formats: Object.values(formats), lines };

// mlx-lm: GenerationResponse.from_draft, one line or JSON object a token as an adapter prints it.
import type { CaptureBuilder } from './builder';
import { FlagRuns } from './flagRuns';
import { formatsOf, type EngineLogs, type JsonReader, type LineReader } from './reader';

const formats = formatsOf('mlx-lm', 'mlxlm', {
  fromDraft: ['GenerationResponse.from_draft', 'B', 'runs of True closed by one False', false, 'round'],
});

function lines(capture: CaptureBuilder): LineReader[] {
  const runs = new FlagRuns(capture, formats.fromDraft);
  return [
    {
      anchors: ['from_draft='],
      read(line): void {
        const [, flag] = /\bfrom_draft=(True|False)\b/.exec(line.text.slice(0, 1000)) ?? [];
        const [, token] = /\btoken=(\S{1,24})/.exec(line.text.slice(0, 1000)) ?? [];
        if (flag !== undefined) runs.add(flag === 'True', capture.count(token, 'token', line, 0xffff_ffff), line);
      },
      end: () => runs.end(),
    },
  ];
}

function json(capture: CaptureBuilder): JsonReader {
  const runs = new FlagRuns(capture, formats.fromDraft);
  return {
    keys: ['from_draft'],
    read(object, at): boolean {
      const flag = object['from_draft'];
      if (typeof flag !== 'boolean') return false;
      runs.add(flag, capture.count(object['token'], 'token', at, 0xffff_ffff), at);
      return true;
    },
    end: () => runs.end(),
  };
}

export const mlxLm: EngineLogs = { formats: Object.values(formats), lines, json };

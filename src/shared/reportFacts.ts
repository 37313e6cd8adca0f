// What can be said of a report or an experiment without knowing its kind.
import type { Experiment } from './experiment';
import type { Report } from './report';
import { isServed } from './servedKinds';

/** What a probe is called at the head of a sentence. */
export const probeNames: Readonly<Record<Experiment['kind'], string>> = {
  bisect: 'Bisect',
  diff: 'Comparison',
  ids: 'Comparison of token ids',
  replay: 'Replay',
  rewind: 'Rewind audit',
  prefill: 'Prefill comparison',
  gate: 'Exactness gate',
  parity: 'Parity',
  widths: 'Width sweep',
  switches: 'Switch matrix',
  repeat: 'Repeat check',
  cache: 'Cache check',
  concurrency: 'Concurrency check',
  servers: 'Server parity',
  rescore: 'Rescore',
};

/** Last part of a path of any platform. */
export const baseName = (path: string): string => path.replace(/[\\/]+$/, '').split(/[\\/]/).at(-1) ?? path;

/** "Bisect of qwen3.5-4b", "Comparison of a.safetensors and b.safetensors" */
export function titleOf(experiment: Experiment): string {
  return `${probeNames[experiment.kind]} of ${subjectOf(experiment)}`;
}

function subjectOf(experiment: Experiment): string {
  if (experiment.kind === 'diff') return `${baseName(experiment.a)} and ${baseName(experiment.b)}`;
  if (experiment.kind === 'ids') return `${baseName(experiment.a.file)} and ${baseName(experiment.b.file)}`;
  return isServed(experiment) ? servedName(experiment.server) : baseName(experiment.model);
}

/** "qwen3-4b at 127.0.0.1:8080" */
export function servedName({ url, model }: { readonly url: string; readonly model: string }): string {
  const { host } = new URL(url);
  return model === '' ? host : `${baseName(model)} at ${host}`;
}

/** Whether nothing was compared, so that there is nothing to keep. */
export function isEmpty(report: Report): boolean {
  switch (report.kind) {
    case 'bisect':
      return report.bisect.runs.length === 0;
    case 'diff':
      return report.diff.entries.length === 0;
    case 'ids':
      return report.ids.a.ids.length + report.ids.b.ids.length === 0;
    case 'replay':
      return report.replay.runs.length === 0;
    case 'rewind':
      return report.rewind.audits.round.length === 0;
    case 'prefill':
      return report.prefill.runs.length === 0;
    case 'gate':
      return report.gate.widths.length === 0;
    case 'parity':
      return report.parity.runs.length === 0;
    case 'widths':
      return report.widths.widths.length === 0;
    case 'switches':
      return report.switches.combinations.length === 0;
    case 'repeat':
    case 'cache':
    case 'concurrency':
    case 'servers':
    case 'rescore':
      return report.answers.pairs.length === 0;
  }
}

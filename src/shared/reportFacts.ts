// What can be said of a report or an experiment without knowing its kind.
import type { Experiment } from './experiment';
import type { Report } from './report';

/** What a probe is called at the head of a sentence. */
export const probeNames: Readonly<Record<Experiment['kind'], string>> = {
  bisect: 'Bisect',
  diff: 'Comparison',
  replay: 'Replay',
  rewind: 'Rewind audit',
  prefill: 'Prefill comparison',
  gate: 'Exactness gate',
  parity: 'Parity',
  widths: 'Width sweep',
  switches: 'Switch matrix',
};

/** Last part of a path of any platform. */
export const baseName = (path: string): string => path.replace(/[\\/]+$/, '').split(/[\\/]/).at(-1) ?? path;

/** "Bisect of qwen3.5-4b", "Comparison of a.safetensors and b.safetensors" */
export function titleOf(experiment: Experiment): string {
  const of = experiment.kind === 'diff' ? `${baseName(experiment.a)} and ${baseName(experiment.b)}` : baseName(experiment.model);
  return `${probeNames[experiment.kind]} of ${of}`;
}

/** Whether nothing was compared, so that there is nothing to keep. */
export function isEmpty(report: Report): boolean {
  switch (report.kind) {
    case 'bisect':
      return report.bisect.runs.length === 0;
    case 'diff':
      return report.diff.entries.length === 0;
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
  }
}

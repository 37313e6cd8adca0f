// What an experiment does, in one line.
import type { Accepts, BisectExperiment, Experiment, Prompt, ServedExperiment } from './experiment';
import { plural } from './format';
import { baseName, probeNames, servedName } from './reportFacts';
import { isServed } from './servedKinds';

const line = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

function inputInWords({ input }: BisectExperiment): string {
  switch (input.type) {
    case 'text':
      return `prompt of ${plural(input.text.length, 'character')}`;
    case 'ids':
      return `prompt of ${plural(input.ids.length, 'id')}`;
    case 'draws':
      return `${plural(input.draws, 'synthetic draw')} over a prompt of ${plural(input.promptLength, 'id')}`;
  }
}

export const switchesInWords = (switches: Readonly<Record<string, string | number>>): string =>
  Object.entries(switches)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ') || 'default switches';

function promptInWords(prompt: Prompt): string {
  switch (prompt.type) {
    case 'text':
      return `prompt of ${plural(prompt.text.length, 'character')}`;
    case 'ids':
      return `prompt of ${plural(prompt.ids.length, 'id')}`;
    case 'draw':
      return `synthetic prompt of ${plural(prompt.length, 'id')}`;
    case 'default':
      return 'built-in prompt';
  }
}

function acceptsInWords(accepts: Accepts): string {
  if (accepts.type === 'log') return `accept log ${baseName(accepts.file)}${accepts.request === null ? '' : `, burst ${accepts.request}`}`;
  const shown = accepts.kept.slice(0, 12).join(', ');
  return `kept rows ${shown}${accepts.kept.length > 12 ? ', ...' : ''}, cycled`;
}

/** A log says its own widths and its prompt, where it says any. */
function sequenceInWords(name: string, { width, accepts, prompt }: { width: number; accepts: Accepts; prompt: Prompt }): string {
  const ofLog = accepts.type === 'log';
  const after = ofLog && prompt.type === 'default' ? 'prompt of the log if it has one' : promptInWords(prompt);
  return line([`${name} at ${ofLog ? `the log's widths, ${width} where it says none` : `width ${width}`}`, acceptsInWords(accepts), after]);
}

const widthsInWords = (widths: readonly number[]): string => `width ${widths.join(', ')}`;
const batchInWords = (batch: number): string => (batch === 1 ? '' : `batch of ${batch}`);

function servedInWords(experiment: ServedExperiment): string {
  const { prompts, tokens, server } = experiment;
  const asked = [`${plural(prompts.length, 'prompt')} x ${plural(tokens, 'token')}`, 'endpoint' in experiment && experiment.endpoint === 'chat' ? 'as chat' : ''];
  const of = servedName(server);
  switch (experiment.kind) {
    case 'repeat':
      return line([`The same request ${plural(experiment.times, 'time')} at ${of}`, ...asked, experiment.temperature === 0 ? 'greedy' : `temperature ${experiment.temperature}, seed ${experiment.seed}`]);
    case 'cache':
      return line([`Cache off, cold, warm and warm again at ${of}`, ...asked]);
    case 'concurrency':
      return line([`Alone (A) and ${experiment.together} together (B) at ${of}`, ...asked]);
    case 'rescore':
      return line([`Decoded (A) and scored as a prompt (B) at ${of}`, ...asked]);
    case 'servers': {
      const { other } = experiment;
      return line([`${of} (A) against ${other.type === 'server' ? servedName(other) : `${baseName(other.folder)} in the built-in engine`} (B)`, ...asked, other.type === 'server' ? '' : switchesInWords(other.switches)]);
    }
  }
}

export function experimentInWords(experiment: Experiment): string {
  if (isServed(experiment)) return servedInWords(experiment);
  switch (experiment.kind) {
    case 'diff':
      return `Two tensor files, tensor by tensor: ${baseName(experiment.a)} (A) against ${baseName(experiment.b)} (B)`;
    case 'ids':
      return line([`Two lists of token ids: ${baseName(experiment.a.file)} (A) against ${baseName(experiment.b.file)} (B)`, experiment.model === null ? '' : `texts of ${baseName(experiment.model)}`]);
    case 'bisect':
      return line([`Block (B) against chain (A), ${widthsInWords(experiment.widths)}`, inputInWords(experiment), experiment.walk > 0 ? `walk of ${plural(experiment.walk, 'token')}` : '', switchesInWords(experiment.switches)]);
    case 'replay':
      return line([sequenceInWords('Replay', experiment), `rejected rows: ${experiment.fills.join(', ')}`, switchesInWords(experiment.switches)]);
    case 'rewind':
      return line([sequenceInWords('Rewind audit', experiment), batchInWords(experiment.batch), switchesInWords(experiment.switches)]);
    case 'prefill':
      return line(["Classic prefill (A) against the burst's (B)", promptInWords(experiment.prompt), experiment.partitions.some((size) => size > 0) ? `pieces of ${experiment.partitions.map((size) => (size === 0 ? 'all' : String(size))).join(', ')}` : '', switchesInWords(experiment.switches)]);
    case 'gate':
      return line([`Exactness gate, ${widthsInWords(experiment.widths)}`, `${plural(experiment.draws, 'draw')} over ${plural(experiment.promptLength, 'id')}`, experiment.walk > 0 ? `walk of ${plural(experiment.walk, 'token')}` : '', experiment.batch > 1 ? `${experiment.batch} batch rows` : '', switchesInWords(experiment.switches), experiment.override ? 'OVERRIDE' : '']);
    case 'parity':
      return line([`Classic (A) against burst (B), ${widthsInWords(experiment.widths)}`, `drafter ${baseName(experiment.drafter)}`, `${plural(experiment.prompts.length, 'prompt')} x ${plural(experiment.tokens, 'token')}`, batchInWords(experiment.batch), switchesInWords(experiment.switches), experiment.gate === 'override' ? 'GATE OVERRIDDEN' : '']);
    case 'widths':
      return line([`Sweep of ${widthsInWords(experiment.widths)}`, `drafter ${baseName(experiment.drafter)}`, `${plural(experiment.prompts.length, 'prompt')} x ${plural(experiment.tokens, 'token')}`, plural(experiment.repeats, 'repeat'), switchesInWords(experiment.switches)]);
    case 'switches':
      return line([`${probeNames[experiment.base.kind]} under every combination`, ...experiment.matrix.map(({ name, values }) => `${name}: ${values.join(', ')}`)]);
  }
}

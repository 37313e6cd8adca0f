// Which switches of a matrix did anything: a control that changes no byte and no counter controls nothing.
import type { SwitchesExperiment } from '../../../shared/experiment';
import type { Combination, SwitchControl } from '../../../shared/results/switches';

type Choice = Readonly<Record<string, string | number>>;

/** Every combination, the last switch turning fastest. */
export function combinationsOf(matrix: SwitchesExperiment['matrix']): Choice[] {
  return matrix.reduce<Choice[]>((all, { name, values }) => all.flatMap((one) => [...new Set(values)].map((value) => ({ ...one, [name]: value }))), [{}]);
}

const nameOf = (choice: Choice): string => Object.entries(choice).map(([name, value]) => `${name}=${value}`).join(', ');

/** Pairs of combinations that differ in this switch alone. */
function pairsOf(name: string, all: readonly Combination[]): [Combination, Combination][] {
  const rest = ({ switches }: Combination): string => nameOf(Object.fromEntries(Object.entries(switches).filter(([other]) => other !== name)));
  return all.flatMap((a, i) => all.slice(i + 1).flatMap((b): [Combination, Combination][] => (rest(a) === rest(b) && a.switches[name] !== b.switches[name] ? [[a, b]] : [])));
}

export function controlsOf(matrix: SwitchesExperiment['matrix'], all: readonly Combination[]): SwitchControl[] {
  return matrix.map(({ name, values }) => {
    const pairs = pairsOf(name, all);
    const bytes = pairs.find(([a, b]) => a.bytes !== b.bytes);
    const counters = pairs.find(([a, b]) => a.counters !== b.counters);
    const decides = pairs.some(([a, b]) => a.verdict.word !== b.verdict.word);
    const texts = [...new Set(values)].map(String);
    const between = ([a, b]: [Combination, Combination]): string => `${name} ${a.switches[name] ?? ''} against ${b.switches[name] ?? ''}`;
    if (bytes !== undefined) return { name, values: texts, live: 'bytes', evidence: `${between(bytes)} changes bytes of a prefill, single steps or a verify block`, decides };
    if (counters !== undefined) return { name, values: texts, live: 'counters', evidence: `${between(counters)} runs other kernels, threads or instructions; no byte changes`, decides };
    const reason = pairs.length === 0 ? (texts.length === 1 ? 'it has one value here' : 'not reached: no two combinations that differ in it alone were run') : 'no byte and no counter of a prefill, single steps and a verify block changes with it';
    return { name, values: texts, live: 'void', evidence: reason, decides };
  });
}

// A width sweep as a table, a repeat a line.
import type { Sweep } from '../sweep';
import { csvOf, type Field } from './csv';

function* rowsOf({ arms }: Sweep): Iterable<readonly Field[]> {
  yield ['arm', 'repeat', 'against classic', 'tokens per second', 'accepted share', 'verdict', 'gate', 'kernels not of every width'];
  for (const { label, against, tokensPerSecond, acceptance, word, decision, kernels } of arms) {
    const facts: Field[] = [acceptance, word, decision, kernels.join(' ')];
    if (against.length === 0) yield [label, null, null, null, ...facts];
    for (const [i, ratio] of against.entries()) yield [label, i + 1, ratio, tokensPerSecond[i] ?? null, ...facts];
  }
}

export const sweepCsv = (sweep: Sweep): string => csvOf(rowsOf(sweep));

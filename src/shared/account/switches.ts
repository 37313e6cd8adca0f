// The account of a switch matrix.
import type { ReportOf } from '../report';
import type { Combination } from '../results/switches';
import { column, section, table, type Account } from './account';

/** Equal bytes get equal letters, in the order in which they come. */
export function bytesLetters(combinations: readonly Pick<Combination, 'bytes'>[]): (bytes: string) => string {
  const places = new Map<string, number>();
  for (const { bytes } of combinations) if (!places.has(bytes)) places.set(bytes, places.size);
  return (bytes) => {
    const place = places.get(bytes) ?? 0;
    return String.fromCharCode(65 + (place % 26)) + (places.size > 26 ? String(Math.floor(place / 26)) : '');
  };
}

export function switchesAccount({ switches }: ReportOf<'switches'>): Account {
  const { combinations, controls, probe } = switches;
  const names = controls.map(({ name }) => name);
  const letter = bytesLetters(combinations);
  const rows = combinations.map((one) => [...names.map((name) => String(one.switches[name] ?? '')), one.verdict.word, letter(one.bytes), one.complete ? '' : 'not complete']);
  const live = { bytes: 'live: bytes', counters: 'live: counters', void: 'void' } as const;
  return {
    question: `Which of these switches changes the outcome of the ${probe} probe, and which change anything at all?`,
    sections: [
      section('Combinations', ['Combinations with the same letter gave the same bytes in every tap of a prefill, single steps and a verify block.'], [table([...names.map(column.text), column.text('verdict'), column.text('bytes'), column.text('')], rows, 64)]),
      section('Controls', [], [table([column.text('switch'), column.text('values'), column.text('control'), column.text('decides'), column.text('evidence')], controls.map((one) => [one.name, one.values.join(', '), live[one.live], one.decides ? 'yes' : 'no', one.evidence]))]),
      section('Verdicts', combinations.map(({ switches: chosen, verdict }) => `${Object.entries(chosen).map(([name, value]) => `${name}=${value}`).join(' ')}: ${verdict.word}. ${verdict.sentence}`), [], true),
    ],
  };
}

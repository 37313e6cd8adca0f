// What two reports of a kind say differently, in the words and tables of their accounts: for kinds that have no map.
import { accountOf, type Section, type Table } from '../../../shared/account';
import type { Report } from '../../../shared/report';

export interface Saying {
  readonly section: string;
  /** The row and column of a table, or "" for a line of text. */
  readonly place: string;
  /** "": it says nothing there. */
  readonly a: string;
  readonly b: string;
}

type Cells = ReadonlyMap<string, string>;

/** What names a row: its first cell, and the second as well where the first is a number alone, as of a layer. */
function headOf({ columns: [first, second] }: Table, row: readonly string[]): { readonly words: string; readonly cells: number } {
  const [one = '', other = ''] = row;
  if (first?.right !== true) return { words: one, cells: 1 };
  return second !== undefined && second.right !== true ? { words: `${first.title} ${one}, ${other}`, cells: 2 } : { words: `${first.title} ${one}`, cells: 1 };
}

/** Every cell of a section's tables by its row and column; a row that comes again is another one. */
function cellsOf({ tables }: Section): Cells {
  const cells = new Map<string, string>();
  const times = new Map<string, number>();
  for (const table of tables) {
    for (const row of table.rows) {
      const { words, cells: heads } = headOf(table, row);
      for (const [i, text] of row.entries()) {
        if (i < heads && row.length > heads) continue;
        const place = `${words} · ${table.columns[i]?.title ?? ''}`;
        let time = times.get(place) ?? 1;
        const own = (): string => (time === 1 ? place : `${place} (${time})`);
        while (cells.has(own())) time += 1;
        times.set(place, time);
        cells.set(own(), text);
      }
    }
  }
  return cells;
}

function saidDifferently(a: Section | undefined, b: Section | undefined): Saying[] {
  const section = a?.heading ?? b?.heading ?? '';
  const [linesA, linesB] = [a?.lines ?? [], b?.lines ?? []];
  const lines = Array.from({ length: Math.max(linesA.length, linesB.length) }, (_, i): Saying => ({ section, place: '', a: linesA[i] ?? '', b: linesB[i] ?? '' }));
  const [cellsA, cellsB]: readonly [Cells, Cells] = [a === undefined ? new Map<string, string>() : cellsOf(a), b === undefined ? new Map<string, string>() : cellsOf(b)];
  const cells = [...new Set([...cellsA.keys(), ...cellsB.keys()])].map((place): Saying => ({ section, place, a: cellsA.get(place) ?? '', b: cellsB.get(place) ?? '' }));
  return [...lines, ...cells].filter((one) => one.a !== one.b);
}

export function sayingsOf(a: Report, b: Report): readonly Saying[] {
  const [sectionsA, sectionsB] = [accountOf(a).sections, accountOf(b).sections];
  const headings = [...new Set([...sectionsA, ...sectionsB].map(({ heading }) => heading))];
  const of = (sections: readonly Section[], heading: string): Section | undefined => sections.find((one) => one.heading === heading);
  return headings.flatMap((heading) => saidDifferently(of(sectionsA, heading), of(sectionsB, heading)));
}

// A report in words and tables, once for the terminal, the view and the Markdown record.
export interface Column {
  readonly title: string;
  readonly right?: boolean;
}

export interface Table {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** What was left out of the rows, "" for nothing. */
  readonly note: string;
}

export interface Section {
  readonly heading: string;
  /** Sentences, one a paragraph. */
  readonly lines: readonly string[];
  readonly tables: readonly Table[];
  /** Of second rank: closed in the view, left out in the terminal. */
  readonly detail: boolean;
}

export interface Account {
  /** What was asked, one sentence. */
  readonly question: string;
  readonly sections: readonly Section[];
}

const text = (title: string): Column => ({ title });
const number = (title: string): Column => ({ title, right: true });
export const column = { text, number } as const;

export function table(columns: readonly Column[], rows: readonly (readonly string[])[], most = Infinity): Table {
  const left = rows.length - most;
  return { columns, rows: rows.slice(0, most), note: left > 0 ? `${left} more rows are in the report.` : '' };
}

export function section(heading: string, lines: readonly string[], tables: readonly Table[] = [], detail = false): Section {
  return { heading, lines: lines.filter((line) => line !== ''), tables: tables.filter(({ rows }) => rows.length > 0), detail };
}

/** Sections that have something to say. */
export const sections = (all: readonly Section[]): Section[] => all.filter(({ lines, tables }) => lines.length + tables.length > 0);

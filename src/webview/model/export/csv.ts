// Tables as text for other programs: RFC 4180, and no text of a report becomes a formula of a spreadsheet.

/** Numbers stay numbers; what is not known is an empty field. */
export type Field = string | number | null;

/** A spreadsheet takes such a text for a formula; an apostrophe before it says that it is a text. */
const asText = (text: string): string => (/^\s*[=+\-@]|^[\t\r]/.test(text) ? `'${text}` : text);

export function csvField(field: Field): string {
  if (field === null) return '';
  const text = typeof field === 'number' ? String(field) : asText(field);
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Each line ends in CR LF, the last as well. */
export const csvOf = (rows: Iterable<readonly Field[]>): string => {
  let text = '';
  for (const row of rows) text += `${row.map(csvField).join(',')}\r\n`;
  return text;
};

/** A field of a table that is pasted: nothing in it may end a field or a row. */
export const pasted = (field: Field): string => (field === null ? '' : typeof field === 'number' ? String(field) : asText(field.replace(/[\t\r\n]+/g, ' ')));

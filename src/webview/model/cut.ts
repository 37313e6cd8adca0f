// Texts of a report may have any length, a page has not: what is beyond its room ends in "…", and "Open as text" has all of it.

/** Characters that a page has room for. */
export const room = { name: 160, token: 200, heading: 400, sentence: 2000, text: 4000 } as const;

/** At most so many characters, the last of them "…" where there were more. No character is cut in two. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const kept = text.slice(0, Math.max(1, most - 1));
  return `${kept.replace(/[\ud800-\udbff]$/, '')}…`;
}

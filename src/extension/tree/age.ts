// How long ago something was, in the words of the user's language.
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `narrow` to be looked at in a list, `long` to be heard. */
export type AgeStyle = 'narrow' | 'long';

/** Both in milliseconds since 1970. What lies in the future, as by another clock, is now. */
export function ageOf(at: number, now: number, locale: string, style: AgeStyle): string {
  const seconds = Math.max(0, (now - at) / 1000);
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style });
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['second', seconds + 1];
  return words.format(-Math.floor(seconds / size), unit);
}

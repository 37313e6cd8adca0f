// Text that would do harm if it became markup or turned the direction of writing.
export const hostile = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>\u202E';

/** Every text of a report made hostile, everything else left as it is. A kind is one of a few words that the reader has checked. */
export function poisoned<T>(value: T): T {
  if (typeof value === 'string') return hostile as T;
  if (Array.isArray(value)) return value.map(poisoned) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]: [string, unknown]) => [key, key === 'kind' ? item : poisoned(item)])) as T;
}

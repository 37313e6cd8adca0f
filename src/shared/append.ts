/** Appends a list that may be of any length: to.push(...more) takes only as many as a call takes arguments, about a hundred thousand. */
export function append<T>(to: T[], more: Iterable<T>): void {
  for (const one of more) to.push(one);
}

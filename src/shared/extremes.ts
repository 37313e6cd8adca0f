// The ends of a list that may be of any length: Math.max(...list) takes only as many as a call takes arguments, about a hundred thousand.

/** -Infinity of none; NaN where there is one. */
export const greatest = (values: Iterable<number>): number => {
  let most = -Infinity;
  for (const value of values) most = Math.max(most, value);
  return most;
};

/** Infinity of none; NaN where there is one. */
export const least = (values: Iterable<number>): number => {
  let found = Infinity;
  for (const value of values) found = Math.min(found, value);
  return found;
};

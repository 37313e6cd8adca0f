// A count with its word, in the language of the page.
import { formatCount } from '../../shared/format';

/** @param one the words for one, with {0} where the number stands @param many those for any other count */
export const amount = (count: number, one: string, many: string): string => (count === 1 ? one : many).replace('{0}', formatCount(count));

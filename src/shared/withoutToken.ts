/** Shorter ones could stand in any text by chance, and would be cut out of answers. */
const shortest = 8;

/** A text of a server that may repeat the bearer token it was sent, as some do in their errors: it would end up in a message, a log or a report. */
export const withoutToken = (text: string, token: string): string => (token.length < shortest ? text : text.replaceAll(token, '(token)'));

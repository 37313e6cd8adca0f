// Which words of the command line tool load the native library. The others are to answer without waiting for its build.
const engineVerbs = new Set(['bisect', 'prefill', 'gate', 'parity', 'replay', 'rewind', 'widths', 'switches', 'serve', 'diff', 'inspect', 'doctor']);

/** Verbs over files and servers, with the option that names a model of this machine. */
const optional = { ids: /^(?:-m|--model(?:=|$))/, attach: /^--local(?:=|$)/ };

/**
 * Of `moire ...words`; help and what is no verb need nothing.
 * @param {readonly string[]} words
 */
export function needsEngine([verb = '', ...words]) {
  if (words.includes('--help') || words.includes('-h')) return false;
  return engineVerbs.has(verb) || (Object.hasOwn(optional, verb) && words.some((word) => optional[verb].test(word)));
}

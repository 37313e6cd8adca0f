// A node in the midst of a sentence, wherever a language puts it.

/** The parts of `sentence` with the node in place of {0}. */
export function around(sentence: string, node: Node): (Node | string)[] {
  const at = sentence.indexOf('{0}');
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + 3)];
  return [before, node, after].filter((part) => part !== '');
}

// A node in the midst of a sentence, wherever a language puts it.

/** The parts of `sentence` with the node in place of {0}. `plain` makes nodes of what stands around it. */
export function around(sentence: string, node: Node, plain: (text: string) => Node | string = (text) => text): (Node | string)[] {
  const at = sentence.indexOf('{0}');
  const [before, after] = [sentence.slice(0, at), sentence.slice(at + 3)];
  return [...(before === '' ? [] : [plain(before)]), node, ...(after === '' ? [] : [plain(after)])];
}

// Events of the document that a part of the page hears while it is on the page.

type Heard<Name extends keyof DocumentEventMap> = (event: DocumentEventMap[Name]) => void;

/**
 * `node` may leave the page and come back, as that of a page whose file cannot be read for a while: in between it hears nothing. One that nobody holds any more is let go.
 * `capture`: before anybody else hears.
 */
export function whileThere<Name extends keyof DocumentEventMap>(node: HTMLElement, name: Name, heard: Heard<Name>, capture = false): void {
  // What hears holds the node, so it is kept by the node alone.
  const [there, held] = [new WeakRef(node), new WeakMap([[node, heard]])];
  const hear: Heard<Name> = (event) => {
    const part = there.deref();
    if (part === undefined) document.removeEventListener(name, hear, capture);
    else if (part.isConnected) held.get(part)?.(event);
  };
  document.addEventListener(name, hear, capture);
}

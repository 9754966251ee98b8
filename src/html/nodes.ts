/** The nodes of a tree in document order, without recursion and without lists. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

/** `root` itself and all that is below it. The tree must not change meanwhile. */
export function* nodesOf(root: DomElement): Generator<DomNode, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    yield node;
    let next: DomNode | null = node.firstChild;
    while (next === null && node !== null && node !== root) {
      next = node.nextSibling;
      if (next === null) node = node.parentNode;
    }
    node = next;
  }
}

/** The elements among them. */
export function* elementsOf(root: DomElement): Generator<DomElement, void, undefined> {
  for (const node of nodesOf(root)) {
    if (isElement(node)) yield node;
  }
}

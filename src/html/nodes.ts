/** The nodes of a tree in document order, without recursion and without lists. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

/** `root` itself and all that is below it. The tree must not change meanwhile. */
export function* nodesOf(root: DomElement): Generator<DomNode, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    yield node;
    node = nodeAfter(node, root);
  }
}

/** The elements among them. */
export function* elementsOf(root: DomElement): Generator<DomElement, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    if (isElement(node)) yield node;
    node = nodeAfter(node, root);
  }
}

function nodeAfter(node: DomNode, root: DomElement): DomNode | null {
  if (node.firstChild !== null) return node.firstChild;
  let last: DomNode | null = node;
  while (last !== null && last !== root) {
    if (last.nextSibling !== null) return last.nextSibling;
    last = last.parentNode;
  }
  return null;
}

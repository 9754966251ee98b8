/** The nodes of a tree in document order, without recursion and without lists. */
import { type DomElement, type DomNode, isElement } from './dom.ts';

/** `root` itself and all that is below it. The tree must not change meanwhile. */
export function* nodesOf(root: DomElement): Generator<DomNode, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    yield node;
    node = nextNode(node, root);
  }
}

/** The elements among them. */
export function* elementsOf(root: DomElement): Generator<DomElement, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    if (isElement(node)) yield node;
    node = nextNode(node, root);
  }
}

/**
 * The node after `node` in document order, within `root`. With `skipChildren` the subtree of
 * `node` is left out: ask before removing `node`.
 */
export function nextNode(node: DomNode, root: DomNode, skipChildren = false): DomNode | null {
  if (!skipChildren) {
    const child = node.firstChild;
    if (child !== null) return child;
  }
  let current: DomNode | null = node;
  while (current !== null && current !== root) {
    const sibling: DomNode | null = current.nextSibling;
    if (sibling !== null) return sibling;
    current = current.parentNode;
  }
  return null;
}

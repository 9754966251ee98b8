/** Steps through a tree in document order: no recursion, no lists of nodes. */
import type { DomNode } from '../html/dom.ts';

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

/** Buttons that stand alone: they do something, and say nothing. */
import { type DomNode, isElement } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import type { Transformer } from './transformer.ts';

/** Removes every `button`: those with words of the text are none any more. */
export const removeButtons: Transformer = {
  name: 'removeButtons',
  apply({ root }) {
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      const button = isElement(node) && node.localName === 'button';
      const next: DomNode | null = nextNode(node, root, button);
      if (button) node.parentNode?.removeChild(node);
      node = next;
    }
  },
};

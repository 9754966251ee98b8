/** Buttons that stand alone: they do something, and say nothing. */
import { type DomElement, type DomNode, isElement, isText } from '../html/dom.ts';
import { nextNode } from '../html/nodes.ts';
import { replaceElement } from './normalize/replace-element.ts';
import type { Transformer } from './transformer.ts';

/**
 * Removes every `button`: those with words of the text are none any more. On a page that has no
 * other text they are the text.
 */
export const removeButtons: Transformer = {
  name: 'removeButtons',
  apply({ root }) {
    const buttons: DomElement[] = [];
    let hasText = false;
    for (let node: DomNode | null = root.firstChild; node !== null;) {
      const isButton = isElement(node) && node.localName === 'button';
      if (isButton) buttons.push(node as DomElement);
      else if (isText(node)) hasText ||= /\S/.test(node.data);
      else if (isElement(node)) hasText ||= shown.has(node.localName);
      node = nextNode(node, root, isButton);
    }
    for (const button of buttons) {
      if (hasText) button.remove();
      else if (button.parentNode !== null) replaceElement(button, 'div');
    }
  },
};

/** Content without text. */
const shown: ReadonlySet<string> = new Set(['audio', 'iframe', 'img', 'math', 'video']);

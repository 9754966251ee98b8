/** Whether there is anything in a tree that a reader would see or hear. */
import { type DomElement, isElement, isText } from '../html/dom.ts';
import { nodesOf } from '../html/nodes.ts';

/** Text, or an element that shows something of its own. */
export function hasContent(root: DomElement): boolean {
  for (const node of nodesOf(root)) {
    if (isText(node) ? /\S/.test(node.data) : isElement(node) && shown.has(node.localName)) {
      return true;
    }
  }
  return false;
}

const shown: ReadonlySet<string> = new Set(
  'audio embed hr iframe img math object svg video'.split(' '),
);

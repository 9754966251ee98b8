/** The text of an element with white space as a reader sees it. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { nextNode } from '../../html/nodes.ts';
import { oneLine } from '../../text/one-line.ts';

/** Elements that do not end a word. All others separate what is before, in and after them. */
const inline = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark meter nobr ' +
    'output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

const silent = new Set(
  'script style template noscript head iframe object svg math select datalist'.split(' '),
);

/**
 * One line: white space collapsed, blocks separated by a space; no scripts and styles. `onNode` is
 * told of every node that is looked at: where elements are in each other, their texts overlap.
 */
export function elementText(element: DomElement, onNode?: () => void): string {
  return textLines(element, undefined, onNode).join(' ');
}

/** The same for a label or heading; empty when there is far too much in it to be one. */
export function labelText(element: DomElement): string {
  let nodes = 0;
  let characters = 0;
  for (let node = element.firstChild; node !== null;) {
    nodes += 1;
    if (isText(node)) characters += node.data.length;
    if (nodes > maxLabelNodes || characters > maxLabelCharacters) return '';
    node = nextNode(node, element);
  }
  return elementText(element);
}

const maxLabelNodes = 1_000;
const maxLabelCharacters = 10_000;

/** One entry for each run of text that is not interrupted by a block or a line break; none is empty. */
export function textLines(
  root: DomElement,
  isSkipped: (element: DomElement) => boolean = () => false,
  onNode?: () => void,
): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  const endLine = (): void => {
    const text = oneLine(line.join(''));
    if (text !== '') lines.push(text);
    line = [];
  };
  let node: DomNode | null = root.firstChild;
  while (node !== null) {
    let child: DomNode | null = null;
    onNode?.();
    if (isText(node)) line.push(node.data);
    else if (isElement(node) && !silent.has(node.localName)) {
      if (!inline.has(node.localName)) endLine();
      if (!isSkipped(node)) child = node.firstChild;
    }
    node = child ?? following(node, root, endLine);
  }
  endLine();
  return lines;
}

/** The next node outside `node`; `onEnd` is called for each block that ends on the way. */
function following(node: DomNode, root: DomNode, onEnd: () => void): DomNode | null {
  let current: DomNode | null = node;
  while (current !== null && current !== root) {
    if (isElement(current) && !inline.has(current.localName)) onEnd();
    if (current.nextSibling !== null) return current.nextSibling;
    current = current.parentNode;
  }
  return null;
}

/** The text of an element with white space as a reader sees it. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';

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

/** One line: white space collapsed, blocks separated by a space; no scripts and styles. */
export function elementText(element: DomElement): string {
  return textLines(element).join(' ');
}

/** One entry for each run of text that is not interrupted by a block or a line break; none is empty. */
export function textLines(
  root: DomElement,
  isSkipped: (element: DomElement) => boolean = () => false,
): string[] {
  const lines: string[] = [];
  let line: string[] = [];
  const endLine = (): void => {
    const text = collapse(line.join(''));
    if (text !== '') lines.push(text);
    line = [];
  };
  let node: DomNode | null = root.firstChild;
  while (node !== null) {
    let child: DomNode | null = null;
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

/** White space, no-break spaces included, becomes one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
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

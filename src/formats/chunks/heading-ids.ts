/** The headings of a tree with the ids that lead to them. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { elementsOf, nodesOf } from '../../html/nodes.ts';

/** A heading of the page, whether it is in the markdown or not. */
export interface HeadingId {
  /** Its text without all that markdown may change: letters and digits only. */
  readonly key: string;
  /** What stands after `#` in a URL that leads to it; `` where there is nothing. */
  readonly id: string;
}

/** Headings in document order. `pageUrl` tells links within the page from others. */
export function readHeadingIds(root: DomElement, pageUrl: string): HeadingId[] {
  const here = pageUrl.split('#', 1)[0] ?? '';
  const found: HeadingId[] = [];
  for (const element of elementsOf(root)) {
    if (!isHeading(element)) continue;
    const key = headingKey(startOf(element));
    if (key !== '') found.push({ key, id: idOf(element, root, here) });
  }
  return found;
}

function isHeading(element: DomElement): boolean {
  return /^h[1-6]$/.test(element.localName) || element.getAttribute('role') === 'heading';
}

/** Nodes, and links among them, that are looked at in one heading: headings can be in headings. */
const maxInside = 500;
const maxLinks = 10;

/** As much of the text as its key may need. */
function startOf(heading: DomElement): string {
  let text = '';
  let left = maxInside;
  for (const node of nodesOf(heading)) {
    if (isText(node)) text += node.data.slice(0, 1000);
    if (text.length > 1000 || --left === 0) break;
  }
  return text;
}

/** What two writings of one heading have in common. */
export function headingKey(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').slice(0, 200);
}

function idOf(heading: DomElement, root: DomElement, here: string): string {
  return (
    ownId(heading) ||
    idInside(heading, here) ||
    idOfSection(heading, root) ||
    idOfNeighbour(heading.previousSibling, 'previousSibling') ||
    idOfNeighbour(heading.nextSibling, 'nextSibling')
  );
}

function ownId(element: DomElement): string {
  const name = element.localName === 'a' ? element.getAttribute('name') : null;
  return (element.getAttribute('id') || name || '').trim();
}

/** Of an anchor in the heading, or the target of the sign or link that leads to the heading itself. */
function idInside(heading: DomElement, here: string): string {
  let target = '';
  let left = maxInside;
  let links = maxLinks;
  for (const element of elementsOf(heading)) {
    if (--left < 0) break;
    const id = ownId(element);
    if (id !== '') return id;
    if (target !== '' || element.localName !== 'a' || --links < 0) continue;
    target = selfTarget(element, heading, here);
  }
  return target;
}

function selfTarget(link: DomElement, heading: DomElement, here: string): string {
  const [address = '', fragment = ''] = (link.getAttribute('href') ?? '').trim().split('#', 2);
  if (fragment === '' || (address !== '' && address !== here)) return '';
  const text = headingKey(startOf(link));
  return text === '' || text === headingKey(startOf(heading)) ? decoded(fragment) : '';
}

/** Of an element that begins with the heading, such as `<section id="install"><h2>`. */
function idOfSection(heading: DomElement, root: DomElement): string {
  let element = heading;
  for (let level = 0; level < 3; level++) {
    const parent = element.parentElement;
    if (parent === null || parent === root || !isFirst(element)) return '';
    const id = ownId(parent);
    if (id !== '') return id;
    element = parent;
  }
  return '';
}

/** True when nothing that can be seen stands before it in its parent. */
function isFirst(element: DomElement): boolean {
  let steps = 0;
  for (let node = element.previousSibling; node !== null; node = node.previousSibling) {
    if (isElement(node) || (isText(node) && /\S/.test(node.data)) || ++steps > 8) return false;
  }
  return true;
}

/** Of an anchor without text right beside the heading. */
function idOfNeighbour(
  start: DomNode | null,
  direction: 'previousSibling' | 'nextSibling',
): string {
  let node = start;
  if (isText(node) && !/\S/.test(node.data)) node = node[direction];
  if (!isElement(node) || !isEmpty(node)) return '';
  const inner = node.localName === 'a' ? node : node.firstElementChild;
  return inner?.localName === 'a' || inner?.localName === 'span' ? ownId(inner) : '';
}

/** A few nodes tell. */
function isEmpty(element: DomElement): boolean {
  let count = 0;
  for (const node of nodesOf(element)) {
    if (++count > 6 || (isText(node) && /\S/.test(node.data))) return false;
  }
  return true;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/**
 * Interfaces for the part of the standard DOM that this library reads and changes.
 *
 * Code is written against these interfaces, not against an implementation: the nodes of a browser,
 * of linkedom and of jsdom fit them as ours do, and users of the types need no `lib.dom`.
 * Walk with `firstChild` and `nextSibling`, which are fields; `childNodes` builds a list.
 */

/** The values of `nodeType` that this library uses. */
export const NodeType = { element: 1, text: 3, cdata: 4, comment: 8, document: 9 } as const;

/** Any node. Narrow it with `isElement` or `isText`. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly parentNode: DomNode | null;
  readonly parentElement: DomElement | null;
  readonly firstChild: DomNode | null;
  readonly lastChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly previousSibling: DomNode | null;
  readonly childNodes: Iterable<DomNode> & { readonly length: number };
  readonly ownerDocument: DomDocument | null;
  textContent: string | null;
  appendChild(child: DomNode): unknown;
  insertBefore(child: DomNode, before: DomNode | null): unknown;
  removeChild(child: DomNode): unknown;
  cloneNode(deep?: boolean): DomNode;
  contains(other: DomNode): boolean;
}

/** A text node or CDATA section. */
export interface DomText extends DomNode {
  data: string;
}

/** The selector methods of documents and elements. An invalid selector throws. */
export interface DomParent extends DomNode {
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement> & { readonly length: number };
}

/** One attribute. */
export interface DomAttribute {
  readonly name: string;
  readonly value: string;
}

/** An element. `localName` is lower-case for HTML. */
export interface DomElement extends DomParent {
  readonly localName: string;
  readonly tagName: string;
  readonly attributes: Iterable<DomAttribute> & { readonly length: number };
  readonly children: Iterable<DomElement> & { readonly length: number };
  readonly firstElementChild: DomElement | null;
  readonly nextElementSibling: DomElement | null;
  readonly previousElementSibling: DomElement | null;
  id: string;
  className: string;
  readonly innerHTML: string;
  readonly outerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  hasAttribute(name: string): boolean;
  removeAttribute(name: string): void;
  matches(selector: string): boolean;
  closest(selector: string): DomElement | null;
  remove(): void;
  before(...nodes: DomNode[]): void;
  after(...nodes: DomNode[]): void;
  append(...nodes: DomNode[]): void;
  replaceWith(...nodes: DomNode[]): void;
}

/** A parsed HTML document; `parseHtml` guarantees html, head and body. */
export interface DomDocument extends DomParent {
  readonly documentElement: DomElement;
  readonly head: DomElement;
  readonly body: DomElement;
  /** The local names of all elements that it has or had; undefined where the implementation does not know. */
  readonly localNames?: ReadonlySet<string> | undefined;
  createElement(name: string): DomElement;
  createTextNode(text: string): DomText;
}

/** True for elements. */
export function isElement(node: DomNode | null | undefined): node is DomElement {
  return node?.nodeType === NodeType.element;
}

/** True for text and CDATA. */
export function isText(node: DomNode | null | undefined): node is DomText {
  return node?.nodeType === NodeType.text || node?.nodeType === NodeType.cdata;
}

/** The value of an attribute; empty where it is missing. */
export function attributeOf(element: DomElement, name: string): string {
  return element.getAttribute(name) ?? '';
}

/** True for `main` and for elements with its role. */
export function isMain(element: DomElement): boolean {
  return element.localName === 'main' || element.getAttribute('role') === 'main';
}

/** The content of a template is a document of its own. */
export function isTemplate(node: DomNode): boolean {
  return isElement(node) && node.localName === 'template';
}

// Walks the nodes of a tree in document order, without recursion and without lists.

/** `root` and all nodes below it. The tree must not change during the walk. */
export function* nodesOf(root: DomElement): Generator<DomNode, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    yield node;
    node = nextNode(node, root);
  }
}

/** `root` and all elements below it. The tree must not change during the walk. */
export function* elementsOf(root: DomElement): Generator<DomElement, void, undefined> {
  let node: DomNode | null = root;
  while (node !== null) {
    if (isElement(node)) yield node;
    node = nextNode(node, root);
  }
}

/**
 * The nodes below `root`, without those in elements that are `isOver`; of these, the current one may be
 * removed during the walk.
 */
export function* nodesBelow(
  root: DomNode,
  isOver: (element: DomElement) => boolean = () => false,
): Generator<DomNode, void, undefined> {
  for (let node = root.firstChild; node !== null;) {
    const next = nextNode(node, root, isElement(node) && isOver(node));
    yield node;
    node = next;
  }
}

/**
 * Visits the nodes below `root` in document order. `open` returns true to visit what is in the node; `close`
 * follows after it. `undefined` ends the visit.
 */
export function visitBelow(
  root: DomNode,
  open: (node: DomNode) => boolean | undefined,
  close: (node: DomNode) => void,
): void {
  for (let node = root.firstChild; node !== null;) {
    const isOpen = open(node);
    if (isOpen === undefined) return;
    if (isOpen && node.firstChild !== null) {
      node = node.firstChild;
      continue;
    }
    if (isOpen) close(node);
    while (node !== null && node !== root && node.nextSibling === null) {
      node = node.parentNode;
      if (node !== null && node !== root) close(node);
    }
    node = node === null || node === root ? null : node.nextSibling;
  }
}

/** The elements below `root` that pass the test, without those inside of another. */
export function outermostElements(
  root: DomElement,
  isWanted: (element: DomElement) => boolean,
): DomElement[] {
  const found: DomElement[] = [];
  for (let node = root.firstChild; node !== null;) {
    const wanted = isElement(node) && isWanted(node) ? node : undefined;
    if (wanted !== undefined) found.push(wanted);
    node = nextNode(node, root, wanted !== undefined);
  }
  return found;
}

/** `root` or the first element below it that passes the test; at most `most` elements are tested. */
export function findElement(
  root: DomElement,
  isWanted: (element: DomElement) => boolean,
  most: number = Infinity,
): DomElement | undefined {
  let left = most;
  for (const element of elementsOf(root)) {
    if (isWanted(element)) return element;
    if (--left <= 0) return undefined;
  }
  return undefined;
}

/** `start` or the nearest element around it that passes the test; at most `most` elements are tested. */
export function closestWhere(
  start: DomElement | null,
  isWanted: (element: DomElement) => boolean,
  most: number = Infinity,
): DomElement | undefined {
  let element = start;
  for (let left = most; element !== null && left > 0; left -= 1) {
    if (isWanted(element)) return element;
    element = element.parentElement;
  }
  return undefined;
}

/** Characters of the texts below `root`, without white space around each; counts no further once there are `most`. */
export function inkLength(
  root: DomElement,
  { isOver, most = Infinity }: { isOver?: (element: DomElement) => boolean; most?: number } = {},
): number {
  let length = 0;
  for (const node of nodesBelow(root, isOver)) {
    if (isText(node)) length += node.data.trim().length;
    if (length >= most) break;
  }
  return length;
}

/** True if a text below `root` has a letter or a digit. */
export function hasWords(root: DomElement, isOver?: (element: DomElement) => boolean): boolean {
  for (const node of nodesBelow(root, isOver)) {
    if (isText(node) && /[\p{L}\p{N}]/u.test(node.data)) return true;
  }
  return false;
}

/** The next node outside of `node`, within `root`; calls `onEnd` for each element that ends on the way. */
export function nodeAfter(
  node: DomNode,
  root: DomNode,
  onEnd: (element: DomElement) => void,
): DomNode | null {
  let current: DomNode | null = node;
  while (current !== null && current !== root) {
    if (isElement(current)) onEnd(current);
    if (current.nextSibling !== null) return current.nextSibling;
    current = current.parentNode;
  }
  return null;
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

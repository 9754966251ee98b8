/**
 * Implements the document tree: the smallest DOM that fits `dom.ts`.
 *
 * A full DOM implementation spends most of its time on features that this library does not use
 * (events, custom elements): linkedom took 2.9 ms of CPU for a 48 KB page, this tree and its parser 0.45 ms.
 */
import {
  type DomAttribute,
  type DomDocument,
  type DomElement,
  type DomNode,
  type DomText,
  isElement,
  nextNode,
  NodeType,
} from './dom.ts';
import { closestMatch, matchesSelector, selectAll, selectFirst } from './select.ts';
import { serializeChildren, serializeNode } from './serialize.ts';

/** The base of all nodes. */
export abstract class TreeNode implements DomNode {
  abstract readonly nodeType: number;
  abstract readonly nodeName: string;
  readonly ownerDocument: TreeDocument | null;
  parentNode: TreeNode | null = null;
  previousSibling: TreeNode | null = null;
  nextSibling: TreeNode | null = null;
  firstChild: TreeNode | null = null;
  lastChild: TreeNode | null = null;

  constructor(ownerDocument: TreeDocument | null) {
    this.ownerDocument = ownerDocument;
  }

  get parentElement(): DomElement | null {
    const parent: DomNode | null = this.parentNode;
    return isElement(parent) ? parent : null;
  }

  get childNodes(): TreeNode[] {
    const nodes: TreeNode[] = [];
    for (let node = this.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
    return nodes;
  }

  get textContent(): string {
    let text = '';
    for (let node: DomNode | null = this.firstChild; node !== null; node = nextNode(node, this)) {
      if (node instanceof TreeText) text += node.data;
    }
    return text;
  }

  set textContent(text: string) {
    for (let node = this.firstChild; node !== null; node = this.firstChild) node.unlink();
    if (text !== '') this.appendChild(new TreeText(this.ownerDocument, text));
  }

  appendChild(child: DomNode): DomNode {
    return this.insertBefore(child, null);
  }

  insertBefore(child: DomNode, before: DomNode | null): DomNode {
    const node = ours(child);
    const next = before === null ? null : ours(before);
    if (node === next) return child;
    if (node.contains(this)) throw new Error('A node cannot be moved into itself.');
    node.unlink();
    const previous = next === null ? this.lastChild : next.previousSibling;
    node.parentNode = this;
    node.previousSibling = previous;
    node.nextSibling = next;
    if (previous === null) this.firstChild = node;
    else previous.nextSibling = node;
    if (next === null) this.lastChild = node;
    else next.previousSibling = node;
    return child;
  }

  removeChild(child: DomNode): DomNode {
    ours(child).unlink();
    return child;
  }

  contains(other: DomNode): boolean {
    for (let node: DomNode | null = other; node !== null; node = node.parentNode) {
      if (node === this) return true;
    }
    return false;
  }

  cloneNode(deep = false): TreeNode {
    const root = this.copy();
    if (!deep) return root;
    let copy = root;
    for (let node = this.firstChild; node !== null;) {
      const next: TreeNode = node.copy();
      copy.appendChild(next);
      if (node.firstChild !== null) {
        copy = next;
        node = node.firstChild;
        continue;
      }
      while (node !== this && node.nextSibling === null) {
        node = node.parentNode ?? this;
        if (node !== this) copy = copy.parentNode ?? root;
      }
      node = node === this ? null : node.nextSibling;
    }
    return root;
  }

  /** Takes the node out of its parent. */
  unlink(): void {
    const { parentNode: parent, previousSibling: previous, nextSibling: next } = this;
    if (parent === null) return;
    if (previous === null) parent.firstChild = next;
    else previous.nextSibling = next;
    if (next === null) parent.lastChild = previous;
    else next.previousSibling = previous;
    this.parentNode = null;
    this.previousSibling = null;
    this.nextSibling = null;
  }

  protected abstract copy(): TreeNode;
}

/** A text node. */
export class TreeText extends TreeNode implements DomText {
  readonly nodeType: number = NodeType.text;
  readonly nodeName: string = '#text';
  data: string;

  constructor(ownerDocument: TreeDocument | null, data: string) {
    super(ownerDocument);
    this.data = data;
  }

  override get textContent(): string {
    return this.data;
  }

  override set textContent(text: string) {
    this.data = text;
  }

  protected copy(): TreeText {
    return new TreeText(this.ownerDocument, this.data);
  }
}

/** A comment. */
export class TreeComment extends TreeNode {
  readonly nodeType: number = NodeType.comment;
  readonly nodeName: string = '#comment';
  readonly data: string;

  constructor(ownerDocument: TreeDocument | null, data: string) {
    super(ownerDocument);
    this.data = data;
  }

  override get textContent(): string {
    return this.data;
  }

  protected copy(): TreeComment {
    return new TreeComment(this.ownerDocument, this.data);
  }
}

function ours(node: DomNode): TreeNode {
  if (node instanceof TreeNode) return node;
  throw new TypeError(
    typeof node === 'string'
      ? 'A text is not a node here: pass page.document.createTextNode(text).'
      : 'This node belongs to another DOM implementation.',
  );
}

/** Alternating lower-case names and values. Elements may share a list, which is replaced, never changed. */
export type Attributes = readonly string[];

/** The attributes of an element without any. */
export const noAttributes: Attributes = [];

/** The value of the attribute with this lower-case name. */
export function attributeIn(attributes: Attributes, name: string): string | undefined {
  for (let at = 0; at < attributes.length; at += 2) {
    if (attributes[at] === name) return attributes[at + 1];
  }
  return undefined;
}

/** An element. */
export class TreeElement extends TreeNode implements DomElement {
  readonly nodeType: number = NodeType.element;
  readonly localName: string;
  #attributes: Attributes;

  constructor(ownerDocument: TreeDocument | null, localName: string, attributes: Attributes) {
    super(ownerDocument);
    ownerDocument?.localNames.add(localName);
    this.localName = localName;
    this.#attributes = attributes;
  }

  get nodeName(): string {
    return this.localName.toUpperCase();
  }

  get tagName(): string {
    return this.localName.toUpperCase();
  }

  get attributes(): DomAttribute[] {
    const list: DomAttribute[] = [];
    for (let at = 0; at < this.#attributes.length; at += 2) {
      list.push({
        name: this.#attributes[at] as string,
        value: this.#attributes[at + 1] as string,
      });
    }
    return list;
  }

  get children(): TreeElement[] {
    return this.childNodes.filter((node) => node instanceof TreeElement);
  }

  get firstElementChild(): TreeElement | null {
    return elementFrom(this.firstChild, 'nextSibling');
  }

  get nextElementSibling(): TreeElement | null {
    return elementFrom(this.nextSibling, 'nextSibling');
  }

  get previousElementSibling(): TreeElement | null {
    return elementFrom(this.previousSibling, 'previousSibling');
  }

  get id(): string {
    return this.getAttribute('id') ?? '';
  }

  set id(value: string) {
    this.setAttribute('id', value);
  }

  get className(): string {
    return this.getAttribute('class') ?? '';
  }

  set className(value: string) {
    this.setAttribute('class', value);
  }

  get innerHTML(): string {
    return serializeChildren(this);
  }

  get outerHTML(): string {
    return serializeNode(this);
  }

  getAttribute(name: string): string | null {
    const attributes = this.#attributes;
    if (attributes.length === 0) return null;
    const value = attributeIn(attributes, name);
    if (value !== undefined || isLowerCase(name)) return value ?? null;
    return attributeIn(attributes, name.toLowerCase()) ?? null;
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    const own = name.toLowerCase();
    const attributes = [...this.#attributes];
    let at = 0;
    while (at < attributes.length && attributes[at] !== own) at += 2;
    attributes[at] = own;
    attributes[at + 1] = String(value);
    this.#attributes = attributes;
  }

  removeAttribute(name: string): void {
    const own = name.toLowerCase();
    const attributes = this.#attributes;
    for (let at = 0; at < attributes.length; at += 2) {
      if (attributes[at] !== own) continue;
      this.#attributes = [...attributes.slice(0, at), ...attributes.slice(at + 2)];
      return;
    }
  }

  querySelector(selector: string): TreeElement | null {
    return selectFirst(selector, this) as TreeElement | null;
  }

  querySelectorAll(selector: string): TreeElement[] {
    return selectAll(selector, this) as TreeElement[];
  }

  matches(selector: string): boolean {
    return matchesSelector(selector, this);
  }

  closest(selector: string): TreeElement | null {
    return closestMatch(selector, this) as TreeElement | null;
  }

  remove(): void {
    this.unlink();
  }

  append(...nodes: DomNode[]): void {
    for (const node of nodes) this.appendChild(node);
  }

  before(...nodes: DomNode[]): void {
    for (const node of nodes) this.parentNode?.insertBefore(node, this);
  }

  after(...nodes: DomNode[]): void {
    const next = this.nextSibling;
    for (const node of nodes) this.parentNode?.insertBefore(node, next);
  }

  replaceWith(...nodes: DomNode[]): void {
    const { parentNode: parent, nextSibling: next } = this;
    this.unlink();
    for (const node of nodes) parent?.insertBefore(node, next);
  }

  protected copy(): TreeElement {
    return new TreeElement(this.ownerDocument, this.localName, this.#attributes);
  }
}

/** A document with html, head and body. */
export class TreeDocument extends TreeNode implements DomDocument {
  readonly nodeType: number = NodeType.document;
  readonly nodeName: string = '#document';
  readonly localNames: Set<string> = new Set<string>();
  readonly documentElement: TreeElement = new TreeElement(this, 'html', noAttributes);
  readonly head: TreeElement = new TreeElement(this, 'head', noAttributes);
  readonly body: TreeElement = new TreeElement(this, 'body', noAttributes);

  constructor() {
    super(null);
    this.appendChild(this.documentElement);
    this.documentElement.append(this.head, this.body);
  }

  createElement(name: string): TreeElement {
    return new TreeElement(this, name.toLowerCase(), noAttributes);
  }

  createTextNode(text: string): TreeText {
    return new TreeText(this, text);
  }

  querySelector(selector: string): TreeElement | null {
    return selectFirst(selector, this) as TreeElement | null;
  }

  querySelectorAll(selector: string): TreeElement[] {
    return selectAll(selector, this) as TreeElement[];
  }

  protected copy(): TreeDocument {
    throw new Error('A document cannot be cloned.');
  }
}

function elementFrom(
  start: TreeNode | null,
  direction: 'nextSibling' | 'previousSibling',
): TreeElement | null {
  let node = start;
  while (node !== null && !(node instanceof TreeElement)) node = node[direction];
  return node;
}

/** True for names certainly in lower case: `toLowerCase` takes several times as long. */
function isLowerCase(name: string): boolean {
  for (let at = 0; at < name.length; at += 1) {
    const code = name.charCodeAt(at);
    if ((code >= 0x41 && code <= 0x5a) || code >= 0x80) return false;
  }
  return true;
}

/**
 * Elements and documents of our own tree: the smallest DOM that fits `dom.ts`.
 *
 * A full DOM implementation spends most of its time on what nobody here uses (events, custom
 * elements): linkedom took 2.9 ms of CPU for a 48 KB page, this tree and its parser 0.45 ms.
 */
import type { DomAttribute, DomDocument, DomElement, DomNode } from './dom.ts';
import { NodeType } from './dom.ts';
import { closestMatch, matchesSelector, selectAll, selectFirst } from './select.ts';
import { serializeChildren, serializeNode } from './serialize.ts';
import { TreeNode, TreeText } from './tree-node.ts';

/** An element. */
export class TreeElement extends TreeNode implements DomElement {
  readonly nodeType: number = NodeType.element;
  readonly localName: string;
  /** As parsed; names are lower-case. */
  readonly attributesByName: Record<string, string>;
  /** Most elements have no attributes, and most questions are for one that is not there. */
  #isBare: boolean;

  constructor(
    ownerDocument: DomDocument | null,
    localName: string,
    attributes: Record<string, string>,
  ) {
    super(ownerDocument);
    this.localName = localName;
    this.attributesByName = attributes;
    this.#isBare = Object.keys(attributes).length === 0;
  }

  get nodeName(): string {
    return this.localName.toUpperCase();
  }

  get tagName(): string {
    return this.localName.toUpperCase();
  }

  get attributes(): DomAttribute[] {
    return Object.entries(this.attributesByName).map(([name, value]) => ({ name, value }));
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
    if (this.#isBare) return null;
    // What an object inherits is never a string, so this finds own values only.
    const value: unknown = this.attributesByName[name];
    if (typeof value === 'string') return value;
    const lower = name.toLowerCase();
    return lower === name ? null : this.getAttribute(lower);
  }

  hasAttribute(name: string): boolean {
    return this.getAttribute(name) !== null;
  }

  setAttribute(name: string, value: string): void {
    this.attributesByName[name.toLowerCase()] = String(value);
    this.#isBare = false;
  }

  removeAttribute(name: string): void {
    delete this.attributesByName[name.toLowerCase()];
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
    return new TreeElement(this.ownerDocument, this.localName, { ...this.attributesByName });
  }
}

/** A document with html, head and body. */
export class TreeDocument extends TreeNode implements DomDocument {
  readonly nodeType: number = NodeType.document;
  readonly nodeName: string = '#document';
  readonly documentElement: TreeElement = new TreeElement(this, 'html', {});
  readonly head: TreeElement = new TreeElement(this, 'head', {});
  readonly body: TreeElement = new TreeElement(this, 'body', {});

  constructor() {
    super(null);
    this.appendChild(this.documentElement);
    this.documentElement.append(this.head, this.body);
  }

  createElement(name: string): TreeElement {
    return new TreeElement(this, name.toLowerCase(), {});
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

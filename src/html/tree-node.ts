/** Nodes of our own document tree: a linked list with parents, texts and comments. */
import {
  type DomDocument,
  type DomElement,
  type DomNode,
  type DomText,
  isElement,
  NodeType,
} from './dom.ts';

/** What all nodes have in common. */
export abstract class TreeNode implements DomNode {
  abstract readonly nodeType: number;
  abstract readonly nodeName: string;
  readonly ownerDocument: DomDocument | null;
  parentNode: TreeNode | null = null;
  previousSibling: TreeNode | null = null;
  nextSibling: TreeNode | null = null;
  firstChild: TreeNode | null = null;
  lastChild: TreeNode | null = null;

  constructor(ownerDocument: DomDocument | null) {
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
    for (let node = this.firstChild; node !== null; node = nextBelow(this, node)) {
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

  constructor(ownerDocument: DomDocument | null, data: string) {
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

  constructor(ownerDocument: DomDocument | null, data: string) {
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

/** The next of the nodes below `root`, in document order. */
function nextBelow(root: TreeNode, node: TreeNode): TreeNode | null {
  if (node.firstChild !== null) return node.firstChild;
  let last = node;
  while (last.nextSibling === null) {
    const { parentNode } = last;
    if (parentNode === null || parentNode === root) return null;
    last = parentNode;
  }
  return last.nextSibling;
}

function ours(node: DomNode): TreeNode {
  if (node instanceof TreeNode) return node;
  throw new Error('This node belongs to another DOM implementation.');
}

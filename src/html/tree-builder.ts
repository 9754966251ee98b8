/** Puts elements, texts and comments where the HTML standard's insertion modes would put them, within limits. */
import { PagewrightError } from '../errors.ts';
import type { TagHandler } from './tag-reader.ts';
import { TreeDocument, TreeElement } from './tree.ts';
import { TreeComment, type TreeNode, TreeText } from './tree-node.ts';

/** How large and how deep a document may be. */
export interface ParseLimits {
  /** Elements, texts and comments; more are an error. */
  readonly nodes: number;
  /** Levels of elements, `html` being the first; what is nested deeper becomes a sibling, as in Chromium. */
  readonly depth: number;
  /** Attributes of all elements together; further ones are dropped. Not counted when left out. */
  readonly attributes?: number;
}

/** Far above what people and programs write. */
const attributesOfElement = 1_000;

/** What may stand in a head; anything else opens the body (HTML standard, 13.2.6.4.4). */
const headElements = new Set(
  'base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);

/** Builds one document. */
export class TreeBuilder implements TagHandler {
  readonly document: TreeDocument = new TreeDocument();
  readonly #limits: ParseLimits;
  /** The deepest level; below html and body there is always one. */
  readonly #depth: number;
  /** The open elements as the source nests them, each with its level in the tree. */
  readonly #open: TreeElement[] = [this.document.documentElement];
  readonly #levels: number[] = [1];
  #inBody = false;
  #nodes = 0;
  #attributes = 0;
  /** Attributes that html, head and body got from their tags. */
  #merged = 0;
  readonly #cut = { depth: false, attributes: false, attributesOfElement: false };

  constructor(limits: ParseLimits) {
    this.#limits = limits;
    this.#depth = Math.max(limits.depth, 3);
  }

  /** What was left out or moved, each with what to raise. */
  get warnings(): string[] {
    const { depth, attributes } = this.#limits;
    const warnings: string[] = [];
    if (this.#cut.depth) {
      warnings.push(
        `The page nests elements deeper than ${depth} levels; deeper ones stand side by side. Raise limits.depth to keep more levels.`,
      );
    }
    if (this.#cut.attributesOfElement) {
      warnings.push(
        `The page has an element with more than ${attributesOfElement} attributes; only those were read.`,
      );
    }
    if (this.#cut.attributes) {
      warnings.push(
        `The page has more than ${attributes} attributes; the others were left out. Raise limits.attributes to read them.`,
      );
    }
    return warnings;
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#count();
    const skeleton = this.#skeletonElement(name);
    if (skeleton !== undefined) {
      this.#merge(skeleton, attributes);
      this.#push(skeleton, skeleton === this.document.documentElement ? 1 : 2);
      return;
    }
    let parent = this.#parentFor(headElements.has(name));
    let level = (parent === this.#top ? this.#level : 2) + 1;
    if (level > this.#depth) {
      this.#cut.depth = true;
      level = this.#depth;
      parent = (parent.parentNode as TreeElement | null) ?? parent;
    }
    const element = new TreeElement(this.document, name, attributes);
    append(parent, element);
    this.#push(element, level);
  }

  close(): void {
    if (this.#open.length === 1) return;
    this.#open.pop();
    this.#levels.pop();
  }

  text(data: string): void {
    let parent = this.#top;
    if (this.#isSkeleton(parent)) {
      const isBlank = !/\S/.test(data);
      if (isBlank && !this.#inBody) return;
      parent = this.#parentFor(isBlank);
    } else if (parent.nextSibling !== null) {
      // Something in it was too deep and stands after it: what follows does too.
      parent = (parent.parentNode as TreeElement | null) ?? parent;
    }
    const last = parent.lastChild;
    if (last instanceof TreeText) {
      last.data += data;
    } else {
      this.#count();
      append(parent, new TreeText(this.document, data));
    }
  }

  comment(data: string): void {
    this.#count();
    append(this.#parentFor(true), new TreeComment(this.document, data));
  }

  takesAttribute(inElement: number): boolean {
    if (inElement >= attributesOfElement) this.#cut.attributesOfElement = true;
    else if (this.#attributes >= (this.#limits.attributes ?? Infinity)) this.#cut.attributes = true;
    else {
      this.#attributes += 1;
      return true;
    }
    return false;
  }

  get #top(): TreeElement {
    return this.#open[this.#open.length - 1] ?? this.document.documentElement;
  }

  get #level(): number {
    return this.#levels[this.#levels.length - 1] ?? 1;
  }

  #push(element: TreeElement, level: number): void {
    this.#open.push(element);
    this.#levels.push(level);
  }

  /** html, head and body tags add their attributes to the elements that are there already. */
  #skeletonElement(name: string): TreeElement | undefined {
    const { documentElement, head, body } = this.document;
    if (name === 'html') return documentElement;
    if (name === 'body') {
      this.#inBody = true;
      return body;
    }
    return name === 'head' ? (this.#inBody ? body : head) : undefined;
  }

  #merge(element: TreeElement, attributes: Record<string, string>): void {
    for (const [name, value] of Object.entries(attributes)) {
      if (element.hasAttribute(name)) continue;
      if (this.#merged >= attributesOfElement) {
        this.#cut.attributesOfElement = true;
        return;
      }
      this.#merged += 1;
      element.setAttribute(name, value);
    }
  }

  #isSkeleton(element: TreeElement): boolean {
    return element === this.document.documentElement || element === this.document.head;
  }

  /** Where a node goes that is opened now: between the tags of a page, head or body. */
  #parentFor(fitsHead: boolean): TreeElement {
    const top = this.#top;
    if (!this.#isSkeleton(top)) return top;
    if (!this.#inBody && fitsHead) return this.document.head;
    this.#inBody = true;
    return this.document.body;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes <= this.#limits.nodes) return;
    throw new PagewrightError(
      'PARSE_LIMIT',
      `The page has more than ${this.#limits.nodes} nodes. Raise limits.nodes to read it.`,
    );
  }
}

/** Appends a new node; `appendChild` checks and unlinks, which a node without a parent does not need. */
function append(parent: TreeElement, node: TreeNode): void {
  const last = parent.lastChild;
  node.parentNode = parent;
  node.previousSibling = last;
  if (last === null) parent.firstChild = node;
  else last.nextSibling = node;
  parent.lastChild = node;
}

/** HTML text to a tree that always has html, head and body, within limits of depth and size. */
import { Parser } from 'htmlparser2';
import { PagewrightError } from '../errors.ts';
import type { DomDocument } from './dom.ts';
import { TreeDocument, TreeElement } from './tree.ts';
import { TreeComment, type TreeNode, TreeText } from './tree-node.ts';

/** How large and how deep a document may be. */
export interface ParseLimits {
  /** Elements, texts and comments. */
  readonly nodes: number;
  /** Levels of elements; what is nested deeper becomes a sibling, as in Chromium. */
  readonly depth: number;
}

/**
 * Parses a whole page or a fragment. Throws `PARSE_LIMIT` when there are more nodes than allowed,
 * or elements are nested so deep (20,000) that the parser would take for ever.
 */
export function parseHtml(source: string, limits: ParseLimits): DomDocument {
  const builder = new TreeBuilder(limits);
  const parser = new Parser({
    onopentag: (name, attributes) => builder.open(name, attributes),
    onclosetag: () => builder.close(),
    ontext: (text) => builder.text(text),
    oncomment: (data) => builder.comment(data),
  });
  parser.end(source);
  return builder.document;
}

/** htmlparser2's time grows with the square of the depth: 20,000 levels take 0.1 s, 200,000 take 20 s. */
const maximumOpenElements = 20_000;

/** What may stand in a head; anything else opens the body (HTML standard, 13.2.6.4.4). */
const headElements = new Set(
  'base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);

/** Puts what the parser reports where the HTML standard's insertion modes would put it. */
class TreeBuilder {
  readonly document: TreeDocument = new TreeDocument();
  readonly #limits: ParseLimits;
  /** The open elements as the source nests them; deep ones share their parent. */
  readonly #open: TreeElement[] = [this.document.documentElement];
  #inBody = false;
  #nodes = 0;

  constructor(limits: ParseLimits) {
    this.#limits = limits;
  }

  open(name: string, attributes: Record<string, string>): void {
    if (this.#open.length > maximumOpenElements) {
      throw beyond('levels of nested elements', maximumOpenElements);
    }
    this.#count();
    const skeleton = this.#skeletonElement(name);
    if (skeleton !== undefined) {
      mergeAttributes(skeleton, attributes);
      this.#open.push(skeleton);
      return;
    }
    const parent = this.#parentFor(headElements.has(name));
    const element = new TreeElement(this.document, name, attributes);
    append(parent, element);
    this.#open.push(this.#open.length < this.#limits.depth ? element : parent);
  }

  close(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  text(data: string): void {
    let parent = this.#top;
    if (this.#isSkeleton(parent)) {
      const isBlank = !/\S/.test(data);
      if (isBlank && !this.#inBody) return;
      parent = this.#parentFor(isBlank);
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

  get #top(): TreeElement {
    return this.#open.at(-1) ?? this.document.documentElement;
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
    if (this.#nodes > this.#limits.nodes)
      throw beyond('nodes', this.#limits.nodes, ' Raise limits.nodes to read it.');
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

function mergeAttributes(element: TreeElement, attributes: Record<string, string>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (!element.hasAttribute(name)) element.setAttribute(name, value);
  }
}

function beyond(what: string, limit: number, advice = ''): PagewrightError {
  return new PagewrightError('PARSE_LIMIT', `The page has more than ${limit} ${what}.${advice}`);
}

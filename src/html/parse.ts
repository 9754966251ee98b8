/** Parses HTML text to a tree that always has html, head and body, within limits of depth and size. */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { PagewrightError } from '../errors.ts';
import type { DomDocument } from './dom.ts';
import {
  endsBefore,
  foreignEnds,
  htmlIntegrationPoints,
  svgNames,
  voidElements,
} from './implied-tags.ts';
import { TreeComment, TreeDocument, TreeElement, type TreeNode, TreeText } from './tree.ts';

/**
 * Parses a whole page or a fragment, in time that is linear in its length.
 *
 * What is nested too deep is flattened, attributes beyond the limit are dropped: `warn` is told.
 * Throws `PARSE_LIMIT` when there are more nodes than allowed.
 */
export function parseHtml(
  source: string,
  limits: ParseLimits,
  warn: (message: string) => void = () => undefined,
): DomDocument {
  const builder = new TreeBuilder(limits);
  const tokenizer = new Tokenizer({}, new TagReader(source, builder));
  tokenizer.write(source);
  tokenizer.end();
  for (const warning of builder.warnings) warn(warning);
  return builder.document;
}

// Puts elements, texts and comments where the HTML standard's insertion modes would put them, within limits.

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
class TreeBuilder implements TagHandler {
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
    switch (name) {
      case 'html':
        return documentElement;
      case 'head':
        return this.#inBody ? body : head;
      case 'body':
        this.#inBody = true;
        return body;
      default:
        return undefined;
    }
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

// Tokens to elements that open and close: with the ends that the source leaves out, in linear time.

/** What is told of the source, in document order. An element is closed before the one around it. */
export interface TagHandler {
  open(name: string, attributes: Record<string, string>): void;
  close(): void;
  text(data: string): void;
  comment(data: string): void;
  /** False when no more attributes are kept; `inElement` is how many the element has already. */
  takesAttribute(inElement: number): boolean;
}

/** Inside a drawing or formula names are written and tags close by other rules. */
type ContentKind = 'html' | 'svg' | 'math';

/**
 * Follows htmlparser2's own parser, whose list of open elements costs time with the square of its
 * length: here each tag costs the same at any depth, however many are never closed.
 */
class TagReader implements TokenizerCallbacks {
  readonly #source: string;
  readonly #handler: TagHandler;
  readonly #open: string[] = [];
  /** How many elements of a name are open. */
  readonly #openByName = new Map<string, number>();
  readonly #content: ContentKind[] = ['html'];
  #name: string | undefined;
  #attributes: Record<string, string> = {};
  #attributeCount = 0;
  /** Undefined for an attribute that is not kept. */
  #attribute: string | undefined;
  #value = '';

  constructor(source: string, handler: TagHandler) {
    this.#source = source;
    this.#handler = handler;
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#source.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.#handler.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    // A form in a form is ignored, with its attributes.
    this.#name = name === 'form' && this.#isOpen('form') ? undefined : name;
    this.#attributes = {};
    this.#attributeCount = 0;
  }

  onattribname(start: number, end: number): void {
    const name = this.#source.slice(start, end).toLowerCase();
    const isKept =
      !Object.hasOwn(this.#attributes, name) && this.#handler.takesAttribute(this.#attributeCount);
    this.#attribute = isKept ? name : undefined;
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute !== undefined) this.#value += this.#source.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.#attribute !== undefined) this.#value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.#attribute === undefined) return;
    this.#attributes[this.#attribute] = this.#value;
    this.#attributeCount += 1;
    this.#value = '';
  }

  onopentagend(): void {
    if (this.#name !== undefined) this.#start(this.#name, this.#attributes);
  }

  onselfclosingtag(): void {
    if (this.#name === undefined) return;
    this.#start(this.#name, this.#attributes);
    if (this.isInForeignContext() && this.#open.at(-1) === this.#name) this.#end();
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    if (name === 'br') {
      this.#handler.open('br', {});
      this.#handler.close();
    } else if (this.#isOpen(name)) {
      while (this.#open.at(-1) !== name) this.#end();
      this.#end();
    } else if (name === 'p') {
      // An end without a start is an empty paragraph.
      this.#start('p', {});
      this.#end();
    }
  }

  oncomment(start: number, end: number, offset: number): void {
    this.#handler.comment(this.#source.slice(start, end - offset));
  }

  oncdata(start: number, end: number, offset: number): void {
    const data = this.#source.slice(start, end - offset);
    if (this.isInForeignContext()) this.#handler.text(data);
    else this.#handler.comment(`[CDATA[${data}]]`);
  }

  ondeclaration(): void {
    // The doctype changes nothing here.
  }

  onprocessinginstruction(): void {
    // In HTML these are comments.
  }

  onend(): void {
    // What is still open ends with the document.
  }

  /** Asked by the tokenizer: in drawings `<title>` and `<script>` are tags like any other. */
  isInForeignContext(): boolean {
    return this.#content.at(-1) !== 'html';
  }

  #nameAt(start: number, end: number): string {
    const name = this.#source.slice(start, end).toLowerCase();
    const content = this.#content.at(-1);
    if (content === 'svg') return svgNames.get(name) ?? name;
    if (this.#content.length > 1) {
      // The end tag of a `foreignObject` stands in the HTML inside of it.
      const adjusted = svgNames.get(name);
      if (adjusted !== undefined && this.#isOpen(adjusted)) return adjusted;
    }
    return content === 'html' && name === 'image' ? 'img' : name;
  }

  #isOpen(name: string): boolean {
    return (this.#openByName.get(name) ?? 0) > 0;
  }

  #start(name: string, attributes: Record<string, string>): void {
    if (foreignEnds.has(name)) while (this.isInForeignContext()) this.#end();
    const ended = endsBefore.get(name);
    if (ended !== undefined) {
      for (let top = this.#open.at(-1); top !== undefined && ended.has(top);) {
        this.#end();
        top = this.#open.at(-1);
      }
    }
    this.#handler.open(name, attributes);
    if (voidElements.has(name)) {
      this.#handler.close();
      return;
    }
    this.#open.push(name);
    this.#openByName.set(name, (this.#openByName.get(name) ?? 0) + 1);
    if (name === 'svg' || name === 'math') this.#content.push(name);
    else if (htmlIntegrationPoints.has(name)) this.#content.push('html');
  }

  #end(): void {
    const name = this.#open.pop();
    if (name === undefined) return;
    this.#openByName.set(name, (this.#openByName.get(name) ?? 1) - 1);
    if (name === 'svg' || name === 'math' || htmlIntegrationPoints.has(name)) this.#content.pop();
    this.#handler.close();
  }
}

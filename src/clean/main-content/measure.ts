/** One pass over the tree that says of every element how much text it holds, and of what kind. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { Evidence } from './evidence.ts';
import { readEvidence } from './read-evidence.ts';

/** What is known about one element. Lengths count characters; runs of white space count as one. */
export interface Block {
  readonly element: DomElement;
  readonly parent: Block | undefined;
  /** Position in document order; the subtree is `index` up to, not including, `end`. */
  readonly index: number;
  end: number;
  /** Bits of `Evidence`. */
  readonly evidence: number;
  /** The bits `main` and `article` of the ancestors. */
  readonly within: number;
  readonly isLink: boolean;
  /** Text of the element's own paragraph, inline children included. */
  ownText: number;
  ownLink: number;
  /** All text below. */
  text: number;
  /** The part of `text` that is inside links to other pages. */
  link: number;
  /** Text in paragraphs long enough to be sentences, links left out. */
  prose: number;
  links: number;
  headings: number;
  images: number;
  /** `text` before anything was removed. */
  allText: number;
  /** Out of the page, and out of the sums of its ancestors. */
  removed: boolean;
}

/** All elements under `root` in document order, `root` first. */
export function measure(root: DomElement): Block[] {
  const blocks = collectBlocks(root);
  addUp(blocks);
  for (const block of blocks) block.allText = block.text;
  return blocks;
}

/** Prose of the element's own paragraph: 0 for labels, buttons, dates and lists of links. */
export function ownProse({ ownText, ownLink }: Block): number {
  const plain = ownText - ownLink;
  return plain >= shortestProse ? plain : 0;
}

/**
 * Marks what passes `test` as removed, in document order; what is inside a removed block is not
 * looked at. Gives back what it marked.
 */
export function removeWhere(
  blocks: readonly Block[],
  within: Block,
  test: (block: Block) => boolean,
): Block[] {
  const removed: Block[] = [];
  for (let index = within.index + 1; index < within.end; index++) {
    const block = blocks[index] as Block;
    if (!block.removed && test(block)) {
      block.removed = true;
      removed.push(block);
    }
    if (block.removed) index = block.end - 1;
  }
  if (removed.length > 0) addUp(blocks);
  return removed;
}

/** Takes the mark back. */
export function restore(blocks: readonly Block[], removed: readonly Block[]): void {
  for (const block of removed) block.removed = false;
  if (removed.length > 0) addUp(blocks);
}

/** Children come after their parents: from the end, sums are complete when they are added up. */
function addUp(blocks: readonly Block[]): void {
  for (const block of blocks) {
    block.text = block.ownText;
    block.link = block.ownLink;
    block.prose = ownProse(block);
    const name = block.element.localName;
    block.links = block.isLink ? 1 : 0;
    block.headings = isHeading(name) ? 1 : 0;
    block.images = name === 'img' || name === 'video' ? 1 : 0;
  }
  for (let index = blocks.length - 1; index > 0; index--) {
    const block = blocks[index] as Block;
    const { parent } = block;
    if (parent === undefined || block.removed) continue;
    parent.text += block.text;
    parent.link += block.link;
    parent.prose += block.prose;
    parent.links += block.links;
    parent.headings += block.headings;
    parent.images += block.images;
  }
}

const shortestProse = 40;

const inlineElements: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp ' +
    'small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

/** Elements whose text is no content. */
const opaque: ReadonlySet<string> = new Set(
  'select textarea svg iframe object canvas datalist'.split(' '),
);

/** An element whose children are being looked at. */
interface Open {
  readonly block: Block;
  /** Whose text it is: that of the paragraph around an inline element. */
  readonly owner: Block;
  readonly linked: boolean;
}

/** With a list of open elements instead of recursion: the page decides how deep it is. */
function collectBlocks(root: DomElement): Block[] {
  const blocks: Block[] = [];
  const cache = new Map<string, number>();
  const open: Open[] = [];
  let node: DomNode | null = root;
  while (node !== null) {
    const around = open.at(-1);
    if (isText(node)) {
      if (around !== undefined) addText(node.data, around);
    } else if (isElement(node)) {
      const entered = enter(node, around, blocks, cache);
      if (node.firstChild !== null && !opaque.has(node.localName)) {
        open.push(entered);
        node = node.firstChild;
        continue;
      }
      entered.block.end = blocks.length;
    }
    if (node === root) break;
    while (node !== null && node.nextSibling === null) {
      const closed = open.pop();
      if (closed === undefined) return blocks;
      closed.block.end = blocks.length;
      node = closed.block.element === root ? null : closed.block.element;
    }
    node = node?.nextSibling ?? null;
  }
  return blocks;
}

function addText(data: string, { owner, linked }: Open): void {
  const length = inkLength(data);
  owner.ownText += length;
  if (linked) owner.ownLink += length;
}

function enter(
  element: DomElement,
  around: Open | undefined,
  blocks: Block[],
  cache: Map<string, number>,
): Open {
  const name = element.localName;
  const isLink = name === 'a' && isLinkToPage(element);
  const parent = around?.block;
  const block: Block = {
    element,
    parent,
    index: blocks.length,
    end: 0,
    evidence: readEvidence(element, cache),
    within: parent === undefined ? 0 : parent.within | (parent.evidence & landmarks),
    isLink,
    ownText: 0,
    ownLink: 0,
    text: 0,
    link: 0,
    prose: 0,
    links: 0,
    headings: 0,
    images: 0,
    allText: 0,
    removed: false,
  };
  blocks.push(block);
  const owner = around !== undefined && inlineElements.has(name) ? around.owner : block;
  return { block, owner, linked: isLink || around?.linked === true };
}

const landmarks = Evidence.main | Evidence.article;

function isLinkToPage(element: DomElement): boolean {
  const href = element.getAttribute('href');
  return href !== null && !href.startsWith('#');
}

function isHeading(name: string): boolean {
  return name.length === 2 && name >= 'h1' && name <= 'h6';
}

/** Characters without the white space that a browser folds away; wide characters say twice as much. */
function inkLength(text: string): number {
  if (!uneven.test(text)) {
    const edges = Number(isSpace(text, 0)) + Number(isSpace(text, text.length - 1));
    return Math.max(text.length - edges, 0);
  }
  let length = 0;
  let inSpace = true;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0xa0) {
      if (!inSpace) length++;
      inSpace = true;
    } else {
      length += code >= 0x2e80 ? 2 : 1;
      inSpace = false;
    }
  }
  return inSpace && length > 0 ? length - 1 : length;
}

/** Neighbouring white space, or wide characters: what makes the length another than that of the string. */
const uneven = /[\0-\x20\xa0]{2}|[\u2e80-\uffff]/;

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code <= 0x20 || code === 0xa0;
}

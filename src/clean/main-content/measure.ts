/** One pass over the tree that says of every element how much text it holds, and of what kind. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { countText, noText, type TextCounts } from './count-text.ts';
import { ElementShapes } from './element-shapes.ts';
import { EvidenceReader } from './evidence-reader.ts';
import { type Place, placeOf } from './place.ts';

/** What is known about one element. */
export interface Block {
  readonly element: DomElement;
  readonly parent: Block | undefined;
  /** Position in document order; the subtree is `index` up to, not including, `end`. */
  readonly index: number;
  end: number;
  readonly depth: number;
  /** Bits of `Evidence`. */
  readonly evidence: number;
  /** The evidence of this element and all around it. */
  readonly place: Place;
  /** Elements with the same tag and class in the same place have the same number. */
  readonly shape: number;
  children: number;
  /** The text of the element's own paragraph, inline children included. */
  readonly own: TextCounts;
  /** Characters before the element's own text, in document order. */
  start: number;
  /** Characters of all text below. */
  text: number;
  /** The part of `text` that is inside links to other pages. */
  link: number;
  /** Characters in paragraphs long enough to be sentences, links left out. */
  prose: number;
  /** Elements with text of their own. */
  paragraphs: number;
  links: number;
  headings: number;
  images: number;
  /** Fields and buttons. */
  controls: number;
}

/** All elements under `root` in document order, `root` first. */
export function measure(root: DomElement): Block[] {
  const blocks = collectBlocks(root);
  addUp(blocks);
  return blocks;
}

/** Prose of the element's own paragraph: 0 for labels, buttons, dates and lists of links. */
export function ownProse({ own }: Block): number {
  const plain = own.length - own.linked;
  return plain >= shortestProse ? plain : 0;
}

const shortestProse = 40;

/** 1 to 6; 0 for what is no heading. */
export function headingLevel({ element: { localName } }: Block): number {
  return localName.length === 2 && localName >= 'h1' && localName <= 'h6'
    ? localName.charCodeAt(1) - 48
    : 0;
}

/** Children come after their parents: from the end, sums are complete when they are added up. */
function addUp(blocks: readonly Block[]): void {
  let position = 0;
  for (const block of blocks) {
    const { length, linked } = block.own;
    const name = block.element.localName;
    block.start = position;
    position += length;
    block.text = length;
    block.link = linked;
    block.prose = ownProse(block);
    block.paragraphs = length > 0 ? 1 : 0;
    block.links = isLinkToPage(block.element) ? 1 : 0;
    block.headings = headingLevel(block) > 0 ? 1 : 0;
    block.images = name === 'img' || name === 'video' ? 1 : 0;
    block.controls = controls.has(name) ? 1 : 0;
  }
  for (let index = blocks.length - 1; index > 0; index--) {
    const block = blocks[index] as Block;
    const parent = block.parent as Block;
    parent.text += block.text;
    parent.link += block.link;
    parent.prose += block.prose;
    parent.paragraphs += block.paragraphs;
    parent.links += block.links;
    parent.headings += block.headings;
    parent.images += block.images;
    parent.controls += block.controls;
  }
}

const controls: ReadonlySet<string> = new Set(['input', 'select', 'textarea', 'button']);

/** Elements whose text belongs to the paragraph around them. */
export const inlineElements: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big button cite code data del dfn em font i ins kbd label mark q rp rt ' +
    'ruby s samp small span strike strong sub sup time tt u var wbr'
  ).split(' '),
);

/** Elements whose text is no content. */
export const opaque: ReadonlySet<string> = new Set(
  'select textarea svg math iframe object canvas datalist'.split(' '),
);

/** An element whose children are being looked at. */
interface Open {
  readonly block: Block;
  /** Whose text it is: that of the paragraph around an inline element. */
  readonly owner: Block;
  readonly linked: boolean;
}

/** What is remembered of the names of a page. */
interface Names {
  readonly evidence: EvidenceReader;
  readonly shapes: ElementShapes;
}

/** With a list of open elements instead of recursion: the page decides how deep it is. */
function collectBlocks(root: DomElement): Block[] {
  const blocks: Block[] = [];
  const names: Names = { evidence: new EvidenceReader(), shapes: new ElementShapes() };
  const open: Open[] = [];
  let node: DomNode | null = root;
  while (node !== null) {
    const around = open.at(-1);
    if (isText(node)) {
      if (around !== undefined) countText(node.data, around.owner.own, around.linked);
    } else if (isElement(node)) {
      const entered = enter(node, around, blocks, names);
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

function enter(element: DomElement, around: Open | undefined, blocks: Block[], names: Names): Open {
  const parent = around?.block;
  const classes = element.getAttribute('class') ?? '';
  const evidence = names.evidence.read(element, classes);
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const block: Block = {
    element,
    parent,
    index: blocks.length,
    end: 0,
    depth,
    evidence,
    place: placeOf(evidence, blocks.length, depth, parent?.place),
    shape: shapeBelow(parent, names.shapes.numberOf(element, classes)),
    children: 0,
    own: noText(),
    start: 0,
    text: 0,
    link: 0,
    prose: 0,
    paragraphs: 0,
    links: 0,
    headings: 0,
    images: 0,
    controls: 0,
  };
  if (parent !== undefined) parent.children++;
  blocks.push(block);
  const owner =
    around !== undefined && inlineElements.has(element.localName) ? around.owner : block;
  return { block, owner, linked: around?.linked === true || isLinkToPage(element) };
}

/** Tag and first class of the element and of the three around it. */
function shapeBelow(parent: Block | undefined, own: number): number {
  // Eight bits for each of four levels: what was further up falls out.
  return ((parent?.shape ?? 0) << 8) ^ Math.imul(own, 0x9e3779b1);
}

function isLinkToPage(element: DomElement): boolean {
  if (element.localName !== 'a') return false;
  const href = element.getAttribute('href');
  return href !== null && !href.startsWith('#');
}

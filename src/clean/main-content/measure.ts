/** Measures every element of a tree in one pass: the amount and kind of its text. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { EvidenceReader, type SurroundingEvidence, surroundingEvidence } from './evidence.ts';

/** Measurements of one element. */
export interface MeasuredBlock {
  readonly element: DomElement;
  readonly parent: MeasuredBlock | undefined;
  /** Position in document order; the subtree is `index` up to, not including, `end`. */
  readonly index: number;
  end: number;
  readonly depth: number;
  /** Bits of `Evidence`. */
  readonly evidence: number;
  /** The evidence of this element and all around it. */
  readonly place: SurroundingEvidence;
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
  controlElements: number;
}

/** All elements under `root` in document order, `root` first. */
export function measure(root: DomElement): MeasuredBlock[] {
  const blocks = collectBlocks(root);
  addUp(blocks);
  return blocks;
}

/** Prose of the element's own paragraph: 0 for labels, buttons, dates and lists of links. */
export function ownProse({ own }: MeasuredBlock): number {
  const plain = own.length - own.linked;
  return plain >= shortestProse ? plain : 0;
}

const shortestProse = 40;

/** 1 to 6; 0 for other elements than headings. */
export function headingLevel({ element: { localName } }: MeasuredBlock): number {
  return localName.length === 2 && localName >= 'h1' && localName <= 'h6'
    ? localName.charCodeAt(1) - 48
    : 0;
}

/** Children come after their parents: the loop from the end adds up complete sums. */
function addUp(blocks: readonly MeasuredBlock[]): void {
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
    block.controlElements = controls.has(name) ? 1 : 0;
  }
  for (let index = blocks.length - 1; index > 0; index--) {
    const block = blocks[index] as MeasuredBlock;
    const parent = block.parent as MeasuredBlock;
    parent.text += block.text;
    parent.link += block.link;
    parent.prose += block.prose;
    parent.paragraphs += block.paragraphs;
    parent.links += block.links;
    parent.headings += block.headings;
    parent.images += block.images;
    parent.controlElements += block.controlElements;
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

/** Elements whose text is not content. */
export const opaque: ReadonlySet<string> = new Set(
  'select textarea svg math iframe object canvas datalist'.split(' '),
);

/** An element whose children are being visited. */
interface OpenBlock {
  readonly block: MeasuredBlock;
  /** The block that owns the text: for an inline element, the paragraph around it. */
  readonly owner: MeasuredBlock;
  readonly linked: boolean;
}

/** Caches by names of a page. */
interface NameReaders {
  readonly evidence: EvidenceReader;
  readonly shapes: ElementShapes;
}

/** Uses a list of open elements instead of recursion: the page decides how deep it is. */
function collectBlocks(root: DomElement): MeasuredBlock[] {
  const blocks: MeasuredBlock[] = [];
  const names: NameReaders = { evidence: new EvidenceReader(), shapes: new ElementShapes() };
  const open: OpenBlock[] = [];
  let node: DomNode | null = root;
  while (node !== null) {
    const around = open.at(-1);
    if (isText(node)) {
      if (around !== undefined) countText(node.data, around.owner.own, around.linked);
    } else if (isElement(node)) {
      const entered = enterElement(node, around, blocks, names);
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

function enterElement(
  element: DomElement,
  around: OpenBlock | undefined,
  blocks: MeasuredBlock[],
  names: NameReaders,
): OpenBlock {
  const parent = around?.block;
  const classes = element.getAttribute('class') ?? '';
  const evidence = names.evidence.read(element, classes);
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const block: MeasuredBlock = {
    element,
    parent,
    index: blocks.length,
    end: 0,
    depth,
    evidence,
    place: surroundingEvidence(evidence, blocks.length, depth, parent?.place),
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
    controlElements: 0,
  };
  if (parent !== undefined) parent.children++;
  blocks.push(block);
  const owner =
    around !== undefined && inlineElements.has(element.localName) ? around.owner : block;
  return { block, owner, linked: around?.linked === true || isLinkToPage(element) };
}

/** Tag and first class of the element and of its three nearest ancestors. */
function shapeBelow(parent: MeasuredBlock | undefined, own: number): number {
  // Eight bits for each of four levels: higher ancestors are shifted out.
  return ((parent?.shape ?? 0) << 8) ^ Math.imul(own, 0x9e3779b1);
}

function isLinkToPage(element: DomElement): boolean {
  if (element.localName !== 'a') return false;
  const href = element.getAttribute('href');
  return href !== null && !href.startsWith('#');
}

// Counts the properties that tell sentences from labels, in one pass over the characters.

/** Counts of one paragraph. */
interface TextCounts {
  /** Characters, runs of white space as one; wide characters count twice. */
  length: number;
  /** The part of `length` that is inside links to other pages. */
  linked: number;
  /** Ends of sentences. */
  stops: number;
  digits: number;
  /** Signs of currencies. */
  currencies: number;
  /** The last character that is not white space. */
  last: number;
  /** Ends in white space, which is not counted again in the next text. */
  endsInSpace: boolean;
}

/** Zero counts. */
export function noText(): TextCounts {
  return {
    length: 0,
    linked: 0,
    stops: 0,
    digits: 0,
    currencies: 0,
    last: 0,
    endsInSpace: true,
  };
}

/** Adds a text to the counts. */
export function countText(text: string, counts: TextCounts, linked: boolean): void {
  let length = 0;
  let inSpace = counts.endsInSpace;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0xa0) {
      if (!inSpace) length++;
      inSpace = true;
      continue;
    }
    inSpace = false;
    length += code >= 0x2e80 ? 2 : 1;
    counts.last = code;
    if (code >= 0x41 && code <= 0x7a) continue;
    if (code >= 0x30 && code <= 0x39) counts.digits++;
    else if (isStop(code)) counts.stops++;
    else if (isCurrency(code)) counts.currencies++;
  }
  counts.endsInSpace = inSpace;
  counts.length += length;
  if (linked) counts.linked += length;
}

/** `.` `!` `?` and their wide forms. */
export function isStop(code: number): boolean {
  return (
    code === 0x2e ||
    code === 0x21 ||
    code === 0x3f ||
    code === 0x3002 ||
    code === 0xff01 ||
    code === 0xff1f
  );
}

function isCurrency(code: number): boolean {
  return code === 0x24 || (code >= 0xa2 && code <= 0xa5) || (code >= 0x20a0 && code <= 0x20cf);
}

// Tags with their first class as numbers: elements that look alike have the same number.

/** The shapes of one page. */
class ElementShapes {
  readonly #numbers = new Map<string, number>();
  /** By tag and by the whole class attribute: most elements repeat an earlier one. */
  readonly #known = new Map<string, Map<string, number>>();

  numberOf({ localName }: DomElement, classes: string): number {
    let byClasses = this.#known.get(localName);
    if (byClasses === undefined) {
      byClasses = new Map();
      this.#known.set(localName, byClasses);
    }
    let number = byClasses.get(classes);
    if (number === undefined) {
      number = this.#read(localName, classes);
      byClasses.set(classes, number);
    }
    return number;
  }

  #read(localName: string, classes: string): number {
    const [name = ''] = classes.trimStart().split(' ', 1);
    const key = `${localName}.${name}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

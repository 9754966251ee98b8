/** Measures every element of a tree in one pass: the amount and kind of its text. */
import { type DomElement, type DomNode, isElement, isText, visitBelow } from '../../html/dom.ts';
import { EvidenceReader, type SurroundingEvidence, surroundingEvidence } from './evidence.ts';
import { isHeadingName } from '../../html/tags.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

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
  /** The evidence of this element and of all its ancestors. */
  readonly surroundings: SurroundingEvidence;
  /** Elements with the same tag, class and ancestors have the same number. */
  readonly shape: number;
  children: number;
  /** The element whose paragraph this text belongs to: for an inline element, an ancestor. */
  readonly owner: MeasuredBlock | undefined;
  /** Is a link to another page, or inside one. */
  readonly isLinked: boolean;
  /** The text of the element's own paragraph, inline children included. */
  own: Readonly<TextCounts>;
  /** Characters before the element's own text in document order. */
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
  /** Short paragraphs with a currency sign and a number. */
  prices: number;
}

/** All elements under `root` in document order, `root` first. */
export function measure(root: DomElement, head: HeadWords = noHeadWords): MeasuredBlock[] {
  const blocks = collectBlocks(root, head);
  addUp(blocks);
  return blocks;
}

/** Prose of the element's own paragraph: 0 for labels, buttons, dates and lists of links. */
export function ownProse({ own }: MeasuredBlock): number {
  const plain = own.length - own.linked;
  return plain >= shortestProse ? plain : 0;
}

const shortestProse = 40;

/** The position of the first block at or after this index; blocks are in document order. */
export function positionOf(index: number, blocks: readonly MeasuredBlock[]): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle] as MeasuredBlock).index < index) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** 1 to 6; 0 for other elements than headings. */
export function headingLevel({ element: { localName } }: MeasuredBlock): number {
  return isHeadingName(localName) ? localName.charCodeAt(1) - 48 : 0;
}

/** Children come after their parents: looping from the end adds up complete sums. */
function addUp(blocks: readonly MeasuredBlock[]): void {
  let position = 0;
  for (const block of blocks) {
    const { length, linked } = block.own;
    block.start = position;
    if (length === 0) continue;
    position += length;
    block.text = length;
    block.link = linked;
    block.prose = ownProse(block);
    block.paragraphs = 1;
    if (isPrice(block)) block.prices = 1;
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
    parent.prices += block.prices;
  }
}

function isPrice({ own }: MeasuredBlock): boolean {
  return own.currencies > 0 && own.digits > 0 && own.length < 60;
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

/** Caches by names of a page. */
interface NameReaders {
  readonly evidence: EvidenceReader;
  readonly shapes: ElementShapes;
}

/** Not recursive: the page decides the depth. */
function collectBlocks(root: DomElement, head: HeadWords): MeasuredBlock[] {
  const blocks: MeasuredBlock[] = [];
  const names: NameReaders = { evidence: new EvidenceReader(), shapes: new ElementShapes() };
  let around = enterElement(root, undefined, blocks, names);
  const open = (node: DomNode): boolean => {
    if (isText(node)) addText(node.data, around, head);
    if (!isElement(node)) return false;
    const block = enterElement(node, around, blocks, names);
    block.end = blocks.length;
    if (opaque.has(node.localName)) return false;
    around = block;
    return true;
  };
  const close = (): void => {
    around.end = blocks.length;
    around = around.parent ?? around;
  };
  visitBelow(root, open, close);
  close();
  return blocks;
}

function enterElement(
  element: DomElement,
  parent: MeasuredBlock | undefined,
  blocks: MeasuredBlock[],
  names: NameReaders,
): MeasuredBlock {
  const classes = element.getAttribute('class') ?? '';
  const evidence = names.evidence.read(element, classes);
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const name = element.localName;
  const isLink = name === 'a' && isLinkToPage(element);
  const isInline =
    parent !== undefined && (inlineElements.has(name) || isPartOfHeading(name, parent));
  const block: MeasuredBlock = {
    element,
    parent,
    index: blocks.length,
    end: 0,
    depth,
    evidence,
    surroundings: surroundingEvidence(evidence, blocks.length, depth, parent?.surroundings),
    shape: shapeBelow(parent, names.shapes.numberOf(element, classes)),
    children: 0,
    owner: isInline ? (parent.owner ?? parent) : undefined,
    isLinked: isLink || parent?.isLinked === true,
    own: noCounts,
    start: 0,
    text: 0,
    link: 0,
    prose: 0,
    paragraphs: 0,
    links: isLink ? 1 : 0,
    headings: isHeadingName(name) ? 1 : 0,
    images: name === 'img' || name === 'video' ? 1 : 0,
    controlElements: controls.has(name) ? 1 : 0,
    prices: 0,
  };
  if (parent !== undefined) parent.children++;
  blocks.push(block);
  return block;
}

/** Boxes in a heading are its lines: "Brand", "Name of the product". */
function isPartOfHeading(name: string, parent: MeasuredBlock): boolean {
  return name === 'div' && headingLevel(parent.owner ?? parent) === 1;
}

function addText(text: string, around: MeasuredBlock, head: HeadWords): void {
  const block = around.owner ?? around;
  if (block.own === noCounts) {
    if (isBlank(text)) return;
    block.own = noText();
  }
  countText(text, block.own, around.isLinked, head);
}

/** Tag and first class of the element and of its three nearest ancestors. */
function shapeBelow(parent: MeasuredBlock | undefined, own: number): number {
  // Eight bits for each of four levels: higher ancestors are shifted out.
  return ((parent?.shape ?? 0) << 8) ^ Math.imul(own, 0x9e3779b1);
}

function isLinkToPage(element: DomElement): boolean {
  const href = element.getAttribute('href');
  return href !== null && !href.startsWith('#');
}

// Counts the properties that separate sentences from labels, in one pass over the characters.

/** Counts of one paragraph. */
interface TextCounts {
  /** Characters, white space collapsed; wide characters count twice. */
  length: number;
  /** The part of `length` that is inside links to other pages. */
  linked: number;
  /** Ends of sentences. */
  stops: number;
  digits: number;
  /** Signs of currencies. */
  currencies: number;
  /** A to Z. */
  capitals: number;
  commas: number;
  /** Runs of non-white-space characters; off by one where texts meet. */
  words: number;
  /** Words of the page's title, and of its description. */
  titleWords: number;
  describedWords: number;
  /** Equal for texts that differ only in white space. */
  hash: number;
  /** The last character that is not white space. */
  last: number;
  /** Ends in white space, which the next text does not count again. */
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
    capitals: 0,
    commas: 0,
    words: 0,
    titleWords: 0,
    describedWords: 0,
    hash: 0,
    last: 0,
    endsInSpace: true,
  };
}

/** The counts of all elements without text of their own. */
const noCounts: Readonly<TextCounts> = noText();

function isBlank(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x20 && code !== 0xa0) return false;
  }
  return true;
}

/** Words of the page's head, by their hashes: bits of `headPart`. */
export type HeadWords = ReadonlyMap<number, number>;

const headPart = { title: 1, description: 2 } as const;

const noHeadWords: HeadWords = new Map();

/** Reads the words of the title and of the description. */
export function headWords(title: string, description: string): HeadWords {
  const words = new Map<number, number>();
  for (const [text, part] of [
    [title, headPart.title],
    [description, headPart.description],
  ] as const) {
    for (const word of text.split(/\s+/)) {
      let hash = 0;
      for (let index = 0; index < word.length; index++) {
        hash = addToHash(hash, word.charCodeAt(index));
      }
      if (hash !== 0) words.set(hash, (words.get(hash) ?? 0) | part);
    }
  }
  return words;
}

/** Letters without case, digits, and all characters beyond ASCII; punctuation does not count. */
function addToHash(hash: number, code: number): number {
  const letter = code < 0x80 ? (letters[code] as number) : code;
  return letter === 0 ? hash : Math.imul(hash ^ letter, 0x01000193) + 1;
}

/** By ASCII character: the letter in lower case, or the digit; 0 for others. */
const letters: Uint8Array = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const character = String.fromCharCode(code).toLowerCase();
  return /[a-z\d]/.test(character) ? character.charCodeAt(0) : 0;
});

/** Adds a text to the counts. */
export function countText(
  text: string,
  counts: TextCounts,
  linked: boolean,
  head: HeadWords = noHeadWords,
): void {
  let word = 0;
  let length = 0;
  let capitals = 0;
  let words = 0;
  let { last, endsInSpace, hash } = counts;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code <= 0x20 || code === 0xa0) {
      if (!endsInSpace) {
        length++;
        countHeadWord(word, counts, head);
        word = 0;
      }
      endsInSpace = true;
      continue;
    }
    if (endsInSpace) words++;
    word = addToHash(word, code);
    endsInSpace = false;
    length += code >= 0x2e80 ? 2 : 1;
    last = code;
    hash = Math.imul(hash ^ code, 0x01000193);
    if (code >= 0x41 && code <= 0x7a) {
      if (code <= 0x5a) capitals++;
    } else if (code >= 0x30 && code <= 0x39) counts.digits++;
    else if (code === 0x2c) counts.commas++;
    else if (isStop(code)) counts.stops++;
    else if (isCurrency(code)) counts.currencies++;
  }
  if (!endsInSpace) countHeadWord(word, counts, head);
  counts.hash = hash;
  counts.capitals += capitals;
  counts.words += words;
  counts.last = last;
  counts.endsInSpace = endsInSpace;
  counts.length += length;
  if (linked) counts.linked += length;
}

function countHeadWord(word: number, counts: TextCounts, head: HeadWords): void {
  const parts = head.get(word);
  if (parts === undefined) return;
  if ((parts & headPart.title) !== 0) counts.titleWords++;
  if ((parts & headPart.description) !== 0) counts.describedWords++;
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

// Numbers for a tag with its first class: elements of the same shape have the same number.

const newNumbers = (): Map<string, number> => new Map();

/** The shapes of one page. */
class ElementShapes {
  readonly #numbers = new Map<string, number>();
  /** By tag and whole class attribute: most elements repeat an earlier one. */
  readonly #known = new Map<string, Map<string, number>>();

  numberOf({ localName }: DomElement, classes: string): number {
    const byClasses = getOrInsert(this.#known, localName, newNumbers);
    const known = byClasses.get(classes);
    if (known !== undefined) return known;
    const number = this.#read(localName, classes);
    byClasses.set(classes, number);
    return number;
  }

  #read(localName: string, classes: string): number {
    const [name = ''] = classes.trimStart().split(' ', 1);
    const key = `${localName}.${name}`;
    return getOrInsert(this.#numbers, key, () => this.#numbers.size + 1);
  }
}

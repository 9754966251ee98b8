/** Site boilerplate: blocks that are on most pages of a site, such as menus, promotions and notices. */
import {
  type DomElement,
  type DomNode,
  isElement,
  isMain,
  isText,
  visitBelow,
} from '../html/dom.ts';
import type { HtmlPage } from '../../core/model/page.ts';
import { resolveLink } from '../../core/url/normalize-url.ts';
import { isHeadingName } from '../html/tags.ts';
import { getOrInsert } from '../../core/runtime/get-or-insert.ts';

const limits = {
  fingerprints: 4000,
  shortestSentence: 32, // characters without spaces
  shortestPage: 160,
  longestTarget: 256, // characters of a `data:` URL that are hashed
};

/** Fingerprints to find on other pages, without duplicates, in document order; 4,000 at most. */
export function readFingerprints({ root, baseUrl }: HtmlPage): number[] {
  const fingerprints = new Set<number>();
  for (const block of readBlocks(root, baseUrl)) {
    if (fingerprints.size === limits.fingerprints) break;
    if (isPiece(block)) fingerprints.add(block.fingerprint);
  }
  return [...fingerprints];
}

/**
 * The outermost elements with these fingerprints. An ancestor whose other text is repeated too is included: a
 * box around a menu and its heading.
 */
export function findRepeated(
  { root, baseUrl }: HtmlPage,
  repeated: ReadonlySet<number> | undefined,
): ReadonlySet<DomElement> {
  if (repeated === undefined || repeated.size === 0) return new Set();
  const blocks = readBlocks(root, baseUrl);
  const isRepeated = new Uint8Array(blocks.length);
  const holdsRepeated = new Uint8Array(blocks.length);
  /** Length of text that is on other pages too, even if it is too short to be removed alone. */
  const known = new Float64Array(blocks.length);
  // Children come after their parents: the loop from the end decides children first.
  for (let index = blocks.length - 1; index > 0; index -= 1) {
    const block = blocks[index] as BoilerplateBlock;
    if (isPiece(block)) {
      const isKnown = repeated.has(block.fingerprint);
      if (isKnown) known[index] = block.text;
      if (isKnown ? isEnough(block) : holdsRepeated[index] === 1 && known[index] === block.text) {
        isRepeated[index] = 1;
      }
    }
    const around = block.parent?.index ?? 0;
    known[around] = (known[around] ?? 0) + (known[index] ?? 0);
    if (isRepeated[index] === 1 || holdsRepeated[index] === 1) holdsRepeated[around] = 1;
  }
  const found = new Set<DomElement>();
  for (let index = 1; index < blocks.length; index += 1) {
    if (isRepeated[index] !== 1) continue;
    const block = blocks[index] as BoilerplateBlock;
    found.add(block.element);
    index = block.end - 1;
  }
  return found;
}

/**
 * Removes the elements that are still in the page. A page that would lose nearly everything is a duplicate,
 * not boilerplate, and is left unchanged.
 */
export function removeRepeated({ root }: HtmlPage, elements: ReadonlySet<DomElement>): void {
  if (elements.size === 0) return;
  const blocks = readBlocks(root);
  const present = blocks.filter(({ element }) => elements.has(element));
  if (wouldBeEmpty(blocks, present)) return;
  for (const { element } of present) element.remove();
}

/** An element whose text may be searched on other pages. */
function isPiece({ element, text, isSealed }: BoilerplateBlock): boolean {
  if (text === 0 || isSealed) return false;
  const name = element.localName;
  return containers.has(name) || name.includes('-') || isHeadingName(name);
}

const containers: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote center details dialog div fieldset figure footer form header ' +
    'hgroup li main menu nav ol p search section ul'
  ).split(' '),
);

/**
 * True for a block that may be removed alone: a sentence, a row of links, an entry of a list of links.
 * Headings, labels and field names are the same on many pages, followed by different text.
 */
function isEnough({ element, text, link, heading, links }: BoilerplateBlock): boolean {
  if (text - heading >= limits.shortestSentence) return true;
  if (links >= 3 && link >= text / 2) return true;
  return element.localName === 'li' && links > 0 && link >= 0.9 * text;
}

/** True if hardly anything would remain of the page, or of its only `<main>`. */
function wouldBeEmpty(
  blocks: readonly BoilerplateBlock[],
  removed: readonly BoilerplateBlock[],
): boolean {
  const mains = blocks.filter(({ element, text }) => text > 0 && isMain(element));
  const content = (mains.length === 1 ? mains[0] : blocks[0]) as BoilerplateBlock;
  let left = content.text;
  let sentences = 0;
  for (const block of removed) {
    if (block.index <= content.index && content.end <= block.end) return true;
    if (block.index < content.index || block.index >= content.end) continue;
    left -= block.text;
    sentences += block.text - block.link;
  }
  return left === 0 || (left < limits.shortestPage && left < sentences / 5);
}

// Gives every element a fingerprint of its content and position, in one pass over the tree.

/** One element. Lengths count visible characters, wide ones twice. */
interface BoilerplateBlock {
  readonly element: DomElement;
  readonly parent: BoilerplateBlock | undefined;
  /** Position in document order; the subtree is `index` up to, not including, `end`. */
  readonly index: number;
  end: number;
  /** Equal for equal text, links and media in the same elements with the same ancestors. */
  fingerprint: number;
  /** Hash of the names of its ancestors. */
  readonly path: number;
  /** Inside an element that is retained or removed as a whole: a table, code, facts. */
  readonly isSealed: boolean;
  readonly inLink: boolean;
  /** Length of the text below; an image counts as one character, so that it is not empty. */
  text: number;
  /** Length of text inside links. */
  link: number;
  /** Length of text inside headings. */
  heading: number;
  links: number;
}

/** All elements under `root` in document order, `root` first. Without a base URL, fingerprints ignore link targets. */
export function readBlocks(root: DomElement, baseUrl?: string): BoilerplateBlock[] {
  const blocks: BoilerplateBlock[] = [];
  const names = new Map<string, number>();
  const base =
    baseUrl === undefined
      ? undefined
      : { url: baseUrl, origin: resolveLink(baseUrl, baseUrl)?.origin ?? '' };
  let around: BoilerplateBlock | undefined;
  const open = (node: DomNode): boolean => {
    if (isText(node) && around !== undefined) addText(around, node.data);
    if (!isElement(node)) return false;
    around = enterBlock(node, around, blocks.length, names, base);
    blocks.push(around);
    return true;
  };
  const close = (): void => {
    if (around !== undefined) leaveBlock(around, blocks.length);
    around = around?.parent;
  };
  open(root);
  visitBelow(root, open, close);
  close();
  return blocks;
}

interface BlockBase {
  readonly url: string;
  readonly origin: string;
}

function enterBlock(
  element: DomElement,
  around: BoilerplateBlock | undefined,
  index: number,
  names: Map<string, number>,
  base: BlockBase | undefined,
): BoilerplateBlock {
  const name = element.localName;
  const hash = getOrInsert(names, name, () => mixHash(0, textHash.start().add(name).value));
  const href = name === 'a' ? element.getAttribute('href') : null;
  const isMedia = mediaElements.has(name);
  const target = isMedia ? element.getAttribute('src') : href;
  const fingerprint =
    target === null || base === undefined ? hash : mixHash(hash, targetHash(target, base));
  return {
    element,
    parent: around,
    index,
    end: 0,
    fingerprint,
    path: around === undefined ? 0 : mixHash(around.path, hash),
    isSealed: around !== undefined && (around.isSealed || sealing.has(around.element.localName)),
    inLink: href !== null || around?.inLink === true,
    text: isMedia ? 1 : 0,
    link: 0,
    heading: 0,
    links: href === null ? 0 : 1,
  };
}

const mediaElements: ReadonlySet<string> = new Set(
  'img video audio iframe embed object'.split(' '),
);

/** Elements whose content belongs together. */
const sealing: ReadonlySet<string> = new Set('table pre dl svg math select'.split(' '));

/**
 * The hash of a link's target, equal on every page. The query on another host is ignored: sharing links name
 * their page there. So is the address of the page itself.
 */
function targetHash(href: string, base: BlockBase): number {
  const text = href.trim();
  const hash = textHash.start();
  if (text.startsWith('#')) return hash.add(text).value;
  // Fast path for most links: ten times as fast as a URL.
  if (/^\/(?![/\\])/.test(text)) return hash.add(base.origin).add(text).value;
  const url = resolveLink(text, base.url);
  if (url === undefined) return hash.add(text.slice(0, limits.longestTarget)).value;
  return hash.add(url.origin === base.origin ? url.href : url.host + url.pathname).value;
}

function addText(block: BoilerplateBlock, data: string): void {
  const text = data.trim();
  if (text === '') return;
  const { value, length } = textHash.start().add(text);
  block.fingerprint = mixHash(block.fingerprint, value);
  block.text += length;
  if (block.inLink) block.link += length;
}

/** The block is complete: its counts are added to its parent's. */
function leaveBlock(block: BoilerplateBlock, end: number): void {
  const { parent } = block;
  block.end = end;
  if (isHeadingName(block.element.localName)) block.heading = block.text;
  if (parent !== undefined) {
    parent.fingerprint = mixHash(parent.fingerprint, block.fingerprint);
    parent.text += block.text;
    parent.link += block.link;
    parent.heading += block.heading;
    parent.links += block.links;
  }
  block.fingerprint = mixHash(block.fingerprint, block.path);
}

// Incremental 53-bit hashes: the same in every process, not cryptographic.

/** Combines two hashes; the order counts. */
function mixHash(hash: number, next: number): number {
  let low = Math.imul(hash ^ next, 0x9e3779b1);
  let high = Math.imul(upperBits(hash) ^ upperBits(next) ^ (low >>> 16), 0x85ebca6b);
  low = Math.imul(low ^ (high >>> 13), 0xc2b2ae35);
  high ^= low >>> 15;
  return joinBits(high, low);
}

/** The hash of a text in one or more pieces; white space between words counts as one space. */
class TextHash {
  #low = 0;
  #high = 0;
  #inSpace = false;
  /** Visible characters, wide ones twice. */
  length = 0;

  /** Starts a new text. */
  start(): this {
    this.#low = 0x1b873593;
    this.#high = 0x2545f491;
    this.#inSpace = false;
    this.length = 0;
    return this;
  }

  add(text: string): this {
    let low = this.#low;
    let high = this.#high;
    let inSpace = this.#inSpace;
    let { length } = this;
    for (let index = 0; index < text.length; index += 1) {
      let code = text.charCodeAt(index);
      // Spaces, line ends, tabs; also no-break spaces.
      if (code <= 0x20 || code === 0xa0) {
        if (inSpace) continue;
        inSpace = true;
        code = 0x20;
      } else {
        inSpace = false;
        length += code >= 0x2e80 ? 2 : 1;
      }
      low = Math.imul(low ^ code, 0x85ebca6b);
      high = Math.imul(high ^ code, 0x5f356495);
    }
    this.#low = low;
    this.#high = high;
    this.#inSpace = inSpace;
    this.length = length;
    return this;
  }

  get value(): number {
    return joinBits(this.#high ^ (this.#low >>> 16), this.#low ^ (this.#high >>> 15));
  }
}

/** Shared, since texts are hashed one after the other. */
const textHash: TextHash = new TextHash();

function upperBits(hash: number): number {
  return (hash / 0x1_0000_0000) | 0;
}

function joinBits(high: number, low: number): number {
  return (high & 0x1f_ffff) * 0x1_0000_0000 + (low >>> 0);
}

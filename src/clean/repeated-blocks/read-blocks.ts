/** One pass over the tree that gives every element a fingerprint of what it holds and where it stands. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { resolveLink } from '../../url/normalize-url.ts';
import { isSpace, mix, mixText } from './digest.ts';

/** One element. Lengths count characters that leave ink, wide ones twice. */
export interface Block {
  readonly element: DomElement;
  readonly parent: Block | undefined;
  /** Position in document order; the subtree is `index` up to, not including, `end`. */
  readonly index: number;
  end: number;
  /** The same for the same text, links and media in the same elements at the same place. */
  fingerprint: number;
  /** The names of the elements around it. */
  readonly place: number;
  /** Inside something that is whole or not at all: a table, code, facts. */
  readonly isSealed: boolean;
  readonly inLink: boolean;
  /** Text below; an image counts as one character, so that it is not nothing. */
  text: number;
  /** The part of it inside links. */
  link: number;
  /** The part of it inside headings. */
  heading: number;
  links: number;
}

/** All elements under `root` in document order, `root` first. */
export function readBlocks(root: DomElement, baseUrl: string): Block[] {
  const blocks: Block[] = [];
  const names = new Map<string, number>();
  const base = { url: baseUrl, origin: resolveLink(baseUrl, baseUrl)?.origin ?? '' };
  let around: Block | undefined;
  let node: DomNode | null = root;
  while (node !== null) {
    if (isText(node)) {
      if (around !== undefined) addText(around, node.data);
    } else if (isElement(node)) {
      const block = enter(node, around, blocks.length, names, base);
      blocks.push(block);
      if (node.firstChild !== null) {
        around = block;
        node = node.firstChild;
        continue;
      }
      leave(block, blocks.length);
    }
    // Up to the next element that has something after it; what is after the root is not looked at.
    while (around !== undefined && node.nextSibling === null) {
      leave(around, blocks.length);
      node = around.element;
      around = around.parent;
    }
    node = around === undefined ? null : node.nextSibling;
  }
  return blocks;
}

/** True for `h1` to `h6`. */
export function isHeading(name: string): boolean {
  return name.length === 2 && name >= 'h1' && name <= 'h6';
}

interface Base {
  readonly url: string;
  readonly origin: string;
}

function enter(
  element: DomElement,
  around: Block | undefined,
  index: number,
  names: Map<string, number>,
  base: Base,
): Block {
  const name = element.localName;
  let hash = names.get(name);
  if (hash === undefined) names.set(name, (hash = mixText(0, name)));
  const href = name === 'a' ? element.getAttribute('href') : null;
  const source = media.has(name) ? element.getAttribute('src') : null;
  let fingerprint = hash;
  if (href !== null) fingerprint = mixText(fingerprint, targetOf(href, base));
  if (source !== null) fingerprint = mixText(fingerprint, targetOf(source, base));
  return {
    element,
    parent: around,
    index,
    end: 0,
    fingerprint,
    place: around === undefined ? 0 : mix(around.place, hash),
    isSealed: around !== undefined && (around.isSealed || sealing.has(around.element.localName)),
    inLink: href !== null || around?.inLink === true,
    text: media.has(name) ? 1 : 0,
    link: 0,
    heading: 0,
    links: href === null ? 0 : 1,
  };
}

const media: ReadonlySet<string> = new Set('img video audio iframe embed object'.split(' '));

/** What is inside these belongs together. */
const sealing: ReadonlySet<string> = new Set('table pre dl svg math select'.split(' '));

/**
 * Where a link goes, in the same words on every page. A query on another host is left out: that is
 * where links for sharing name the page they stand on. So is the address of the page itself.
 */
function targetOf(href: string, base: Base): string {
  const text = href.trim();
  if (text.startsWith('#')) return text;
  // Most links: a tenth of the time that a URL takes.
  if (/^\/(?![/\\])/.test(text)) return base.origin + text;
  const url = resolveLink(text, base.url);
  if (url === undefined) return text.slice(0, longestTarget);
  return url.origin === base.origin ? url.href : url.host + url.pathname;
}

/** Characters of a `data:` URL that count. */
const longestTarget = 256;

function addText(block: Block, data: string): void {
  const text = data.trim();
  if (text === '') return;
  block.fingerprint = mixText(block.fingerprint, text);
  const length = inkLength(text);
  block.text += length;
  if (block.inLink) block.link += length;
}

function inkLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isSpace(code)) length += code >= 0x2e80 ? 2 : 1;
  }
  return length;
}

/** All of it was seen: what it holds is added to what is around it. */
function leave(block: Block, end: number): void {
  const { parent } = block;
  block.end = end;
  if (isHeading(block.element.localName)) block.heading = block.text;
  if (parent !== undefined) {
    parent.fingerprint = mix(parent.fingerprint, block.fingerprint);
    parent.text += block.text;
    parent.link += block.link;
    parent.heading += block.heading;
    parent.links += block.links;
  }
  block.fingerprint = mix(block.fingerprint, block.place);
}

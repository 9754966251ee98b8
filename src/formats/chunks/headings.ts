/** The headings of a page: their ids in the tree, and the sections that they open in markdown. */
import {
  type DomElement,
  type DomNode,
  elementsOf,
  isElement,
  isText,
  nodesOf,
} from '../../html/dom.ts';
import type { MarkdownBlock } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-inline.ts';

/** A heading of the page, whether it is in the markdown or not. */
export interface HeadingId {
  /** Its text reduced to letters and digits, which markdown does not change. */
  readonly key: string;
  /** The fragment of a URL that leads to the heading, without `#`; `` where there is none. */
  readonly id: string;
}

/** Headings in document order. `pageUrl` distinguishes links within the page from others. */
export function readHeadingIds(root: DomElement, pageUrl: string): HeadingId[] {
  const here = pageUrl.split('#', 1)[0] ?? '';
  const found: HeadingId[] = [];
  for (const element of elementsOf(root)) {
    if (!isHeading(element)) continue;
    const key = headingKey(startOfHeading(element));
    if (key !== '') found.push({ key, id: idOf(element, root, here) });
  }
  return found;
}

function isHeading(element: DomElement): boolean {
  return /^h[1-6]$/.test(element.localName) || element.getAttribute('role') === 'heading';
}

/** Nodes, and links among them, examined in one heading at most: headings can be nested. */
const maxInside = 500;

const maxLinks = 10;

/** The part of the text that the key may need. */
function startOfHeading(heading: DomElement): string {
  let text = '';
  let left = maxInside;
  for (const node of nodesOf(heading)) {
    if (isText(node)) text += node.data.slice(0, 1000);
    if (text.length > 1000 || --left === 0) break;
  }
  return text;
}

/** A key that is equal for a heading in HTML and in markdown. */
function headingKey(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, '').slice(0, 200);
}

function idOf(heading: DomElement, root: DomElement, here: string): string {
  return (
    ownId(heading) ||
    idInside(heading, here) ||
    idOfSection(heading, root) ||
    idOfNeighbour(heading.previousSibling, 'previousSibling') ||
    idOfNeighbour(heading.nextSibling, 'nextSibling')
  );
}

function ownId(element: DomElement): string {
  const name = element.localName === 'a' ? element.getAttribute('name') : null;
  return (element.getAttribute('id') || name || '').trim();
}

/** The id of an anchor in the heading, or the target of a link in it that leads to the heading itself. */
function idInside(heading: DomElement, here: string): string {
  let target = '';
  let left = maxInside;
  let links = maxLinks;
  for (const element of elementsOf(heading)) {
    if (--left < 0) break;
    const id = ownId(element);
    if (id !== '') return id;
    if (target !== '' || element.localName !== 'a' || --links < 0) continue;
    target = selfTarget(element, heading, here);
  }
  return target;
}

function selfTarget(link: DomElement, heading: DomElement, here: string): string {
  const [address = '', fragment = ''] = (link.getAttribute('href') ?? '').trim().split('#', 2);
  if (fragment === '' || (address !== '' && address !== here)) return '';
  const text = headingKey(startOfHeading(link));
  return text === '' || text === headingKey(startOfHeading(heading)) ? decoded(fragment) : '';
}

/** The id of an element that begins with the heading, such as `<section id="install"><h2>`. */
function idOfSection(heading: DomElement, root: DomElement): string {
  let element = heading;
  for (let level = 0; level < 3; level++) {
    const parent = element.parentElement;
    if (parent === null || parent === root || !isFirstInParent(element)) return '';
    const id = ownId(parent);
    if (id !== '') return id;
    element = parent;
  }
  return '';
}

/** True when no visible content stands before the element in its parent. */
function isFirstInParent(element: DomElement): boolean {
  let steps = 0;
  for (let node = element.previousSibling; node !== null; node = node.previousSibling) {
    if (isElement(node) || (isText(node) && /\S/.test(node.data)) || ++steps > 8) return false;
  }
  return true;
}

/** The id of an anchor without text right beside the heading. */
function idOfNeighbour(
  start: DomNode | null,
  direction: 'previousSibling' | 'nextSibling',
): string {
  let node = start;
  if (isText(node) && !/\S/.test(node.data)) node = node[direction];
  if (!isElement(node) || !isEmpty(node)) return '';
  const inner = node.localName === 'a' ? node : node.firstElementChild;
  return inner?.localName === 'a' || inner?.localName === 'span' ? ownId(inner) : '';
}

/** True when the first few nodes have no visible content. */
function isEmpty(element: DomElement): boolean {
  let count = 0;
  for (const node of nodesOf(element)) {
    if (++count > 6 || (isText(node) && /\S/.test(node.data))) return false;
  }
  return true;
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

// The sections of a markdown text: the headings above each block.

/** The text between two headings. */
export interface MarkdownSection {
  /** The headings above, from the outermost to the section's own. Empty before the first heading. */
  readonly headingPath: readonly string[];
  /** The id of the nearest of these headings that has one, or ``. */
  readonly id: string;
}

/** Characters of a heading at most: longer ones are not real, and would stand at every passage below. */
const maxHeading = 300;

/**
 * One section for each heading, after a section for the text before the first one. `ids` come from the
 * page: headings are matched by their text, in order, because not all are in the markdown.
 */
export function readSections(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  ids: readonly HeadingId[],
): MarkdownSection[] {
  const places = new Map<string, number[]>();
  for (const [index, { key }] of ids.entries()) {
    const known = places.get(key);
    if (known === undefined) places.set(key, [index]);
    else known.push(index);
  }
  for (const known of places.values()) known.reverse();
  let next = 0;
  const findId = (text: string): string => {
    const known = places.get(headingKey(text));
    for (let place = known?.pop(); place !== undefined; place = known?.pop()) {
      if (place < next) continue;
      next = place + 1;
      return ids[place]?.id ?? '';
    }
    return '';
  };

  const above: { readonly level: number; readonly section: MarkdownSection }[] = [];
  const sections: MarkdownSection[] = [{ headingPath: [], id: '' }];
  for (const [index, { kind, level, textStart }] of blocks.entries()) {
    if (kind !== 'heading') continue;
    const text = headingText(markdown.slice(textStart, blocks[index + 1]?.start));
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const around = above.at(-1)?.section;
    const section: MarkdownSection = {
      headingPath: [...(around?.headingPath ?? []), text.slice(0, maxHeading)],
      id: findId(text) || (around?.id ?? ''),
    };
    above.push({ level, section });
    sections.push(section);
  }
  return sections;
}

/** Removes the marks of both kinds of heading: `## Text ##`, or `Text` above a line. */
function headingText(markdown: string): string {
  const line = markdown
    .trim()
    .replace(/^#{1,6}(?=\s|$)/, '')
    .replace(/\n {0,3}(?:=+|-+)$/, '')
    .replace(/\s#+$/, '');
  return markdownWords(line);
}

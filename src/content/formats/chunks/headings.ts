/** The headings and terms of a page: their ids in the tree, and the sections that they open in markdown. */
import {
  type DomElement,
  type DomNode,
  closestWhere,
  elementsOf,
  isElement,
  isText,
  nextNode,
  nodesOf,
} from '../../html/dom.ts';
import { blockElements } from '../../html/tags.ts';
import type { MarkdownBlock } from '../../text/markdown-blocks.ts';
import { markdownWords } from '../../text/markdown-inline.ts';
import { decodePercent } from '../../../core/runtime/percent-encoding.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  lists: 4, // deeper lists of terms are read like the lists around them
  inside: 500, // nodes examined in one heading: headings can be nested
  links: 10, // of these nodes
  heading: 300, // characters; longer headings are not real, and would precede every passage below
};

/** A heading or term of the page, whether it is in the markdown or not. */
export interface HeadingId {
  /** Its text reduced to letters and digits, which markdown does not change. */
  readonly key: string;
  /** The fragment of a URL that leads to the heading, without `#`; `` where there is none. */
  readonly id: string;
  /**
   * For a `dt` with an id, and for the block after a list of them, keyed by its beginning: one more than the number
   * of enclosing lists. Undefined for a heading.
   */
  readonly term?: number | undefined;
}

/** Headings and terms with an id in document order. `pageUrl` distinguishes links within the page from others. */
export function readHeadingIds(root: DomElement, pageUrl: string): HeadingId[] {
  const here = pageUrl.split('#', 1)[0] ?? '';
  const found: HeadingId[] = [];
  /** The blocks after lists of terms. */
  const after = new Map<DomElement, number>();
  for (const element of elementsOf(root)) {
    const isTerm = element.localName === 'dt' && element.id !== '';
    const ended = isTerm || after.size === 0 ? undefined : after.get(element);
    if (ended !== undefined && !isHeading(element)) {
      found.push({ key: startKey(startOfHeading(element)), id: '', term: ended });
    }
    if (!isTerm && !isHeading(element)) continue;
    const key = headingKey(startOfHeading(element));
    if (key === '') continue;
    if (!isTerm) found.push({ key, id: idOf(element, root, here) });
    else {
      const term = 1 + listsAround(element);
      found.push({ key, id: element.id, term });
      const next = blockAfterList(element, root);
      if (next !== undefined && !after.has(next)) after.set(next, term);
    }
  }
  return found;
}

/** The blocks of a file with their pages. */
export function readPageBlocks(
  root: DomElement,
  pages: ReadonlyMap<DomElement, number>,
): { readonly key: string; readonly page: number }[] {
  const found: { readonly key: string; readonly page: number }[] = [];
  for (const element of elementsOf(root)) {
    const page = pages.get(element);
    if (page !== undefined) found.push({ key: startKey(startOfHeading(element)), page });
  }
  return found;
}

/** The number of definitions that enclose a term. */
function listsAround(term: DomElement): number {
  let lists = 0;
  let around = term.parentElement;
  for (let level = 0; level < 40 && around !== null && lists < limits.lists; level++) {
    if (around.localName === 'dd') lists += 1;
    around = around.parentElement;
  }
  return lists;
}

/** The first block with text after the term's list; undefined inside an enclosing list, and for another term. */
function blockAfterList(term: DomElement, root: DomElement): DomElement | undefined {
  const list = term.closest('dl');
  if (list === null || term.nextElementSibling?.localName === 'dt') return undefined;
  let left = limits.inside;
  for (let node = nextNode(list, root, true); node !== null; node = nextNode(node, root)) {
    if (--left < 0) return undefined;
    if (isElement(node) && node.localName === 'dt') return undefined;
    if (!isText(node) || !/[\p{L}\p{N}]/u.test(node.data)) continue;
    const isBlock = (one: DomElement): boolean => one === root || blockElements.has(one.localName);
    const block = closestWhere(node.parentElement, isBlock);
    return block === root || block?.contains(list) === true ? undefined : block;
  }
  return undefined;
}

function isHeading(element: DomElement): boolean {
  return /^h[1-6]$/.test(element.localName) || element.getAttribute('role') === 'heading';
}

/** The part of the text that the key may need. */
function startOfHeading(heading: DomElement): string {
  let text = '';
  let left = limits.inside;
  for (const node of nodesOf(heading)) {
    if (isText(node)) text += node.data.slice(0, 1000);
    if (text.length > 1000 || --left === 0) break;
  }
  return text;
}

/** The key of the beginning of a block. */
function startKey(text: string): string {
  return headingKey(text).slice(0, 40);
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
  let left = limits.inside;
  let links = limits.links;
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
  return text === '' || text === headingKey(startOfHeading(heading)) ? decodePercent(fragment) : '';
}

/**
 * The id of an element that begins with the heading, such as `<section id="install"><h2>`, also behind empty targets of
 * other links (Sphinx) or in boxes of a title page (DocBook).
 */
function idOfSection(heading: DomElement, root: DomElement): string {
  let element = heading;
  for (let level = 0; level < 5; level++) {
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
    const isSeen = isElement(node) ? !isEmpty(node) : isText(node) && /\S/.test(node.data);
    if (isSeen || ++steps > 8) return false;
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
  for (const target of [node, node.firstElementChild]) {
    const isTarget = target !== null && /^(?:a|span|div|p)$/.test(target.localName);
    if (isTarget && ownId(target) !== '') return ownId(target);
  }
  return '';
}

/** True when the first few nodes have no visible content. */
function isEmpty(element: DomElement): boolean {
  let count = 0;
  for (const node of nodesOf(element)) {
    if (
      isElement(node) &&
      /^(?:img|svg|picture|video|audio|iframe|hr|input)$/.test(node.localName)
    ) {
      return false;
    }
    if (++count > 6 || (isText(node) && /\S/.test(node.data))) return false;
  }
  return true;
}

// The sections of a markdown text: the headings above each block.

/** The text between two headings. */
export interface MarkdownSection {
  /** The headings above, from the outermost to the section's own. Empty before the first heading. */
  readonly headingPath: readonly string[];
  /** The id of the nearest of these headings that has one, or ``. */
  readonly id: string;
}

/** Finds ids by keys in the order of the page. */
class IdFinder {
  readonly #ids: readonly HeadingId[];
  /** Indexes by key, the last one first. */
  readonly #indexes = new Map<string, number[]>();
  #next = 0;

  constructor(ids: readonly HeadingId[]) {
    this.#ids = ids;
    for (const [index, { key }] of ids.entries()) {
      getOrInsert(this.#indexes, key, () => []).push(index);
    }
    for (const known of this.#indexes.values()) known.reverse();
  }

  /** The next one with this key; earlier ones are skipped. */
  find(key: string): HeadingId | undefined {
    const known = this.#indexes.get(key);
    for (let index = known?.pop(); index !== undefined; index = known?.pop()) {
      if (index < this.#next) continue;
      this.#next = index + 1;
      return this.#ids[index];
    }
    return undefined;
  }
}

/** The level of the outermost terms; headings have 1 to 6. */
export const termLevel = 7;

/** The blocks, with a level for terms with an id, and for blocks that follow a list of them. */
export function withTerms(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  ids: readonly HeadingId[],
): readonly MarkdownBlock[] {
  const terms = ids.filter(({ term }) => term !== undefined);
  if (terms.length === 0) return blocks;
  const finder = new IdFinder(terms);
  return blocks.map((block, index) => {
    if (block.kind !== 'text') return block;
    const text = markdown.slice(block.textStart, blocks[index + 1]?.start);
    const found = finder.find(headingKey(firstLine(text))) ?? finder.find(blockKey(text));
    return found?.term === undefined ? block : { ...block, level: termLevel - 1 + found.term };
  });
}

/** The first line of a block, of which a short definition is left out: it follows its bold term. */
function firstLine(text: string): string {
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  const [, term = line] = /^(\*\*.{1,400}?\*{2,3}):? /.exec(line) ?? [];
  return markdownWords(term);
}

/** The `startKey` of a block of markdown. */
export function blockKey(markdown: string): string {
  return startKey(markdownWords(markdown.slice(0, 400)));
}

/**
 * One section for each heading and term, after a section for the text before the first one. `ids` come from
 * the page: they are matched by their text, in order, because not all are in the markdown.
 */
export function readSections(
  markdown: string,
  blocks: readonly MarkdownBlock[],
  ids: readonly HeadingId[],
): MarkdownSection[] {
  const finder = new IdFinder(ids);
  const above: { readonly level: number; readonly section: MarkdownSection }[] = [];
  const sections: MarkdownSection[] = [{ headingPath: [], id: '' }];
  for (const [index, { kind, level, textStart }] of blocks.entries()) {
    if (level === 0) continue;
    const content = markdown.slice(textStart, blocks[index + 1]?.start);
    const text = kind === 'heading' ? headingText(content) : firstLine(content);
    const found =
      finder.find(headingKey(text)) ??
      (kind === 'heading' ? undefined : finder.find(blockKey(content)));
    while ((above.at(-1)?.level ?? 0) >= level) above.pop();
    const around = above.at(-1)?.section ?? { headingPath: [], id: '' };
    // The block after a list of terms is under the heading again.
    const isAfterList = kind !== 'heading' && found?.id === '';
    const section: MarkdownSection = isAfterList
      ? around
      : {
          headingPath: [...around.headingPath, text.slice(0, limits.heading)],
          id: found?.id || around.id,
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

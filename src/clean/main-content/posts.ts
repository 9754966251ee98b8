/** Posts of a thread: each stays as a whole, and begins with a line that says who wrote it and when. */
import type { DomElement } from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import { Evidence, isInside } from './evidence.ts';
import type { IndexSet } from './index-set.ts';
import { sumKept } from './keep.ts';
import { headingLevel, type MeasuredBlock, ownProse } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

/** A post, and the element with the name of its author. */
export interface Post {
  readonly box: MeasuredBlock;
  readonly author: MeasuredBlock;
  /** The largest element around the name without sentences: the author's portrait, rank and number of posts. */
  readonly authorBox: MeasuredBlock;
  readonly date: MeasuredBlock | undefined;
}

/** Finds the posts of a thread, and keeps them if they make up the page. */
export function keepPosts(page: MeasuredPage, kept: IndexSet): readonly Post[] {
  const posts = findPosts(page);
  if (posts.length < leastPosts || !isThread(posts, page)) return [];
  if (arePage(posts, page)) keepBodies(posts, page, kept);
  return posts;
}

/** Replaces the boxes of the authors by one line. */
export function putBylines(posts: readonly Post[], page: MeasuredPage, kept: IndexSet): void {
  const keptText = sumKept(page.blocks, kept);
  let isFirst = true;
  for (const post of posts) {
    if (keptText[post.box.index] === 0) continue;
    putByline(post, page, kept, isFirst);
    isFirst = false;
  }
}

/** A question and its answer. */
const leastPosts = 2;

/** In a list of articles each has a heading. */
function isThread(posts: readonly Post[], { facts }: MeasuredPage): boolean {
  if (facts.isDiscussion) return true;
  const plain = posts.filter(
    ({ box, authorBox }) =>
      isInside(box.place, Evidence.comments) || box.headings <= authorBox.headings,
  );
  return !facts.isArticle && plain.length > 0.5 * posts.length;
}

/** True if the posts hold most of the page's sentences: nothing else is there that they could be beside. */
function arePage(posts: readonly Post[], { facts, root }: MeasuredPage): boolean {
  if (facts.isProduct) return false;
  let end = 0;
  let prose = 0;
  for (const { box } of posts) {
    if (box.index < end) continue;
    prose += box.prose;
    end = box.end;
  }
  return prose >= 0.5 * root.prose;
}

// Posts are found by the names of their authors.

function findPosts({ blocks, facts }: MeasuredPage): Post[] {
  const named = findAuthors(blocks);
  const authors =
    named.length >= leastPosts || !facts.isDiscussion ? named : findBesideDates(blocks);
  const boxes = new Map<string, Set<MeasuredBlock>>();
  for (const author of authors) {
    const byline = author.owner ?? author;
    let box = innermostBox(byline);
    while (box !== undefined && box.prose === ownProse(byline)) box = box.parent;
    if (box?.parent === undefined) continue;
    const kind = kindOf(box);
    boxes.set(kind, (boxes.get(kind) ?? new Set()).add(box));
  }
  const posts = new Map<MeasuredBlock, Post>();
  const levels = new Map<string, number>();
  for (const author of authors) {
    const byline = author.owner ?? author;
    const box = postAround(byline, (kind) => (boxes.get(kind)?.size ?? 0) >= leastPosts);
    if (box === undefined || posts.has(box)) continue;
    // The name may stand in the text of the box around the whole post.
    let authorBox = byline.prose > ownProse(byline) ? author : byline;
    const level = levels.get(kindOf(box));
    while (
      authorBox.owner === undefined &&
      authorBox.parent !== undefined &&
      authorBox.parent.prose === ownProse(byline) &&
      authorBox.parent !== box &&
      (level === undefined || authorBox.depth > box.depth + level)
    ) {
      authorBox = authorBox.parent;
    }
    if (box.prose > 0 && level === undefined) levels.set(kindOf(box), authorBox.depth - box.depth);
    posts.set(box, { box, author, authorBox, date: dateOf(author, box, blocks) });
  }
  return [...posts.values()];
}

function postAround(
  byline: MeasuredBlock,
  isPost: (kind: string) => boolean,
): MeasuredBlock | undefined {
  let box = innermostBox(byline);
  for (let level = 0; box !== undefined && level < mostLevels; level++) {
    if (isPost(kindOf(box))) return box;
    box = box.parent;
  }
  return undefined;
}

/** Elements from a name to the post around it. */
const mostLevels = 20;

/** The element around a line; the line's own, where the name stands in a box with the whole post. */
function innermostBox(line: MeasuredBlock): MeasuredBlock | undefined {
  return line.prose > ownProse(line) ? line : line.parent;
}

/** The innermost elements with the name of an author. */
function findAuthors(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const authors: MeasuredBlock[] = [];
  for (const block of blocks) {
    if (block.parent === undefined || !isAuthor(block)) continue;
    const last = authors.at(-1);
    if (last !== undefined && block.index < last.end) authors.pop();
    authors.push(block);
  }
  return authors;
}

/** Names without a telling class: the short link nearest to a date, before it if there is one. */
function findBesideDates(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const found = new Set<MeasuredBlock>();
  for (const date of blocks) {
    if (!isTime(date.element) || !isDate(date)) continue;
    const before = blocks.slice(Math.max(0, date.index - besideDate), date.index).reverse();
    const after = blocks.slice(date.index + 1, date.index + besideDate);
    const name = [...before, ...after].find(
      (block) => block.element.localName === 'a' && !holds(block, date) && isName(block),
    );
    if (name !== undefined) found.add(name);
  }
  return [...found].sort((one, other) => one.index - other.index);
}

/** Elements. */
const besideDate = 12;

function holds({ index, end }: MeasuredBlock, other: MeasuredBlock): boolean {
  return index < other.index && other.index < end;
}

function kindOf({ element, shape }: MeasuredBlock): string {
  const [name = ''] = (element.getAttribute('class') ?? '').trimStart().split(/\s/, 1);
  return name === '' ? `${shape}` : `${element.localName}.${name}`;
}

function isAuthor(block: MeasuredBlock): boolean {
  return authorNames.test(namesOf(block.element)) && isName(block);
}

function isName(block: MeasuredBlock): boolean {
  const { element, text, owner } = block;
  if (text > longestName || (owner ?? block).own.length > longestLine) return false;
  const name = textOf(element);
  return (
    name.length >= 2 && name.length <= longestName && /\p{L}/u.test(name) && !/[!?:]|\. /.test(name)
  );
}

/** Characters. */
const longestName = 40;

/** Characters of a line with a name in it: in a longer text it is a mention. */
const longestLine = 1000;

const authorNames =
  /(?:^|[\s_-])(?:author|poster|posted-?by|screen-?name|nick-?name)(?:$|[\s_-])|user-?name|author-?name/i;

function namesOf(element: DomElement): string {
  const names = ['itemprop', 'rel', 'class'].map((name) => element.getAttribute(name) ?? '');
  return names.join(' ').slice(0, 300);
}

/** The date in the post that is nearest to the author's name. */
function dateOf(
  author: MeasuredBlock,
  box: MeasuredBlock,
  blocks: readonly MeasuredBlock[],
): MeasuredBlock | undefined {
  for (let distance = 1; distance < nearby; distance++) {
    for (const index of [author.index + distance, author.index - distance]) {
      const block = index > box.index && index < box.end ? blocks[index] : undefined;
      if (block !== undefined && isDate(block)) return block;
    }
  }
  return undefined;
}

/** Elements. */
const nearby = 60;

function isDate({ element, text, owner }: MeasuredBlock): boolean {
  if (text > longestDate || (owner?.own.length ?? 0) > longestLine) return false;
  const isNamed =
    isTime(element) || /date|time/i.test((element.getAttribute('class') ?? '').slice(0, 300));
  if (!isNamed) return false;
  const date = textOf(element);
  return date.length <= longestDate && /\d/.test(date);
}

function isTime(element: DomElement): boolean {
  const { localName } = element;
  return localName === 'time' || localName === 'relative-time' || element.hasAttribute('datetime');
}

/** Characters. */
const longestDate = 60;

/** The name in the box of an author, which may hold a rank or a number as well. */
function nameIn(element: DomElement): string {
  for (const selector of ['[itemprop~="name"]', 'a']) {
    const name = textOf(element.querySelector(selector) ?? element);
    if (name !== '' && name !== textOf(element)) return name;
  }
  return textOf(element);
}

function textOf(element: DomElement): string {
  return oneLine((element.textContent ?? '').slice(0, 300));
}

// What stays of a post.

const commentKind = Math.log2(Evidence.comments);

/** Keeps what stands where other posts have sentences: short answers as well. */
function keepBodies(posts: readonly Post[], { paragraphs }: MeasuredPage, kept: IndexSet): void {
  const own = new Map<number, Paragraph>(
    paragraphs.map((paragraph) => [paragraph.block.index, paragraph]),
  );
  const shapes = new Map<number, { all: number; prose: number }>();
  const inPosts: Paragraph[] = [];
  let end = 0;
  for (const { box } of posts) {
    for (let index = Math.max(end, box.index); index < box.end; index++) {
      const paragraph = own.get(index);
      if (paragraph === undefined || paragraph.isObvious) continue;
      if ((paragraph.block.place.innermost[commentKind] as number) > box.depth) continue;
      inPosts.push(paragraph);
      const { shape } = paragraph.block;
      const counts = shapes.get(shape) ?? { all: 0, prose: 0 };
      shapes.set(shape, counts);
      counts.all++;
      if (ownProse(paragraph.block) > 0) counts.prose++;
    }
    end = Math.max(end, box.end);
  }
  for (const { block, copies } of inPosts) {
    if (block.own.linked > 0.5 * block.own.length || (copies >= 3 && ownProse(block) === 0))
      continue;
    const { all = 1, prose = 0 } = shapes.get(block.shape) ?? {};
    if (prose >= 0.3 * all) kept.add(block.index);
  }
}

/** Puts "name, date" at the top of the post, in the place of the author's box. */
function putByline(
  { box, author, authorBox, date }: Post,
  { blocks }: MeasuredPage,
  kept: IndexSet,
  isFirst: boolean,
): void {
  const document = box.element.ownerDocument;
  const text = [nameIn(author.element), date === undefined ? '' : textOf(date.element)]
    .filter((part) => part !== '')
    .join(', ');
  const named = author.owner ?? author;
  if (document === null || named.own.length > text.length + longestRest) {
    kept.add(named.index);
    return;
  }
  const dated = date?.owner ?? date;
  if (dated !== undefined && dated.own.length <= text.length + longestRest)
    kept.delete(dated.index);
  kept.delete(named.index);
  for (let index = authorBox.index; index < authorBox.end; index++) {
    if (headingLevel(blocks[index] as MeasuredBlock) !== 1) kept.delete(index);
  }
  const line = document.createElement('p');
  line.textContent = text;
  const { element } = topOf(box, blocks);
  if (boxElements.has(element.localName)) element.insertBefore(line, element.firstChild);
  else element.before(line);
  if (!isFirst && !entryElements.has(line.parentElement?.localName ?? '')) {
    line.before(document.createElement('hr'));
  }
}

/** Characters beside name and date: the number of the post, "answered by". A longer text is more than a byline. */
const longestRest = 40;

/** Entries have marks of their own. */
const entryElements: ReadonlySet<string> = new Set(['li', 'td', 'dd']);

/** Elements that paragraphs may stand in. */
const boxElements: ReadonlySet<string> = new Set([
  ...entryElements,
  'div',
  'section',
  'article',
  'blockquote',
]);

const listElements: ReadonlySet<string> = new Set([
  'table',
  'tbody',
  'thead',
  'tr',
  'ul',
  'ol',
  'dl',
]);

/** The box with what stands beside it, such as the number of votes; within a table or a list, the entry with the text. */
function topOf(box: MeasuredBlock, blocks: readonly MeasuredBlock[]): MeasuredBlock {
  let top = box;
  for (
    let { parent } = box;
    parent !== undefined && parent.prose === box.prose && parent.headings === box.headings;
    { parent } = parent
  ) {
    top = parent;
  }
  while (listElements.has(top.element.localName)) {
    let entry: MeasuredBlock | undefined;
    for (let index = top.index + 1; index < top.end;) {
      const child = blocks[index] as MeasuredBlock;
      if (entry === undefined || child.prose > entry.prose) entry = child;
      index = child.end;
    }
    if (entry === undefined) break;
    top = entry;
  }
  return top;
}

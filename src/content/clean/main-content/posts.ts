/** Posts of a thread: each is kept whole, and begins with a line with its author and date. */
import { type DomElement, closestWhere } from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import { rememberedTest } from '../../../core/runtime/remembered-test.ts';
import { Evidence, isInside } from './evidence.ts';
import type { IndexSet } from './index-set.ts';
import { sumRetained } from './keep.ts';
import { headingLevel, type MeasuredBlock, ownProse } from './measure.ts';
import type { PageFacts } from './page-facts.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import { isQuoted } from './quotations.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  leastPosts: 2, // a question and its answer
  digits: 0.15, // share of all characters
  levels: 20, // elements from a name to the post around it
  besideDate: 12, // elements
  longestColumn: 300, // characters
  inColumn: 60, // elements
  longestName: 40, // characters
  longestLine: 1000, // characters of a line with a name; in a longer text the name is a mention
  nearby: 60, // elements
  longestDate: 60, // characters
  longestRest: 40, // characters beside name and date: the post's number, "answered by"
};

/** A post, and the element with the name of its author. */
export interface Post {
  readonly box: MeasuredBlock;
  readonly author: MeasuredBlock;
  /** The largest element around the name without sentences: portrait, rank and post count of the author. */
  readonly authorBox: MeasuredBlock;
  readonly date: MeasuredBlock | undefined;
  /** The same post found by another byline: one in its column, one in its text. */
  readonly again: Post[];
}

/** Posts and comments on them, in document order. */
export interface Thread {
  readonly posts: readonly Post[];
  /** Answers that the page marks as the solution. */
  readonly accepted: ReadonlySet<Post>;
}

/** Finds the posts of a thread, and keeps them if they are the page's content. */
export function keepPosts(page: MeasuredPage, retained: IndexSet): Thread | undefined {
  const posts = findPosts(page);
  if (posts.length === 0 || !isThread(posts, page)) return undefined;
  const outer = posts.filter(({ box }) => !isComment(box));
  const whole = outer.length < limits.leastPosts ? posts : outer;
  if (arePage(whole, page)) keepBodies(whole, page, retained);
  else if (posts.length < limits.leastPosts) return undefined;
  return { posts, accepted: findAccepted(whole, page.blocks) };
}

/** Replaces the boxes of the authors by one line. */
export function putBylines(
  { posts, accepted }: Thread,
  page: MeasuredPage,
  retained: IndexSet,
): void {
  const retainedText = sumRetained(page.blocks, retained);
  const firstText = page.blocks.findIndex(
    (block) => retained.has(block.index) && ownProse(block) > 0 && headingLevel(block) === 0,
  );
  let isFirst = true;
  for (const post of posts) {
    if (retainedText[post.box.index] === 0) continue;
    const line = putByline(post, page, retained, accepted.has(post));
    const isTop = isFirst && firstText >= post.box.index;
    isFirst = false;
    // Entries have marks of their own.
    const isEntry = entryElements.has(line?.parentElement?.localName ?? '');
    const rule = isTop || isEntry ? undefined : line?.ownerDocument?.createElement('hr');
    if (rule !== undefined) line?.before(rule);
  }
}

/** By the class or microdata of a box around it. */
function isComment(box: MeasuredBlock): boolean {
  if (isInside(box.surroundings, Evidence.comments)) return true;
  const isMarked = (around: DomElement): boolean => around.getAttribute('itemprop') === 'comment';
  return closestWhere(box.element, isMarked, 6) !== undefined;
}

/** In a list of articles each has a heading. */
function isThread(posts: readonly Post[], { facts }: MeasuredPage): boolean {
  if (facts.isDiscussion) return true;
  const plain = posts.filter(
    ({ box, authorBox }) =>
      isInside(box.surroundings, Evidence.comments) || box.headings <= authorBox.headings,
  );
  return !facts.isArticle && plain.length > 0.5 * posts.length;
}

/** True if the posts hold most of the page's sentences, so that they are not comments on something else. */
function arePage(posts: readonly Post[], { facts, root }: MeasuredPage): boolean {
  if (facts.isProduct) return false;
  let end = 0;
  let prose = 0;
  for (const { box } of posts) {
    if (box.index < end) continue;
    prose += box.prose;
    end = box.end;
  }
  // Around them are previews of other posts and threads.
  return prose >= (facts.isDiscussion ? 0.4 : 0.5) * root.prose;
}

// Posts are found by the names of their authors.

function findPosts({ blocks, facts }: MeasuredPage): Post[] {
  const named = findAuthors(blocks, facts.isDiscussion);
  const authors =
    named.length >= limits.leastPosts || !facts.isDiscussion ? named : findBesideDates(blocks);
  if (authors.length === 0 || (authors.length < limits.leastPosts && !facts.isDiscussion))
    return [];
  const sentences = sentencesIn(blocks, facts.isDiscussion);
  const bylines = authors.map((author) => bylineOf(author, sentences));
  const kinds = kindsOf(
    bylines.map((byline) => boxWithText(byline, sentences)),
    facts,
  );
  const posts = new Map<MeasuredBlock, Post>();
  const alone: Byline[] = [];
  const levels = new Map<string, number>();
  for (const byline of bylines) {
    const box = postAround(byline, sentences, kinds);
    if (box === undefined) alone.push(byline);
    if (box === undefined || posts.has(box)) continue;
    const post = postOf(byline, box, blocks, sentences, levels.get(kindOf(box)));
    if (box.prose > 0 && !levels.has(kindOf(box)))
      levels.set(kindOf(box), post.authorBox.depth - box.depth);
    posts.set(box, post);
  }
  if (!facts.isDiscussion) return united([...posts.values()], sentences);
  const { unnamed, before } = findByProfile([...posts.values()], blocks, sentences);
  const found = united([...posts.values(), ...unnamed], sentences);
  const opening =
    openingPost(alone, found, blocks, sentences) ?? openingPost(before, found, blocks, sentences);
  return opening === undefined ? found : [opening, ...found];
}

/** In document order; nested boxes with the same sentences are one post. */
function united(posts: readonly Post[], sentences: CountSentences): Post[] {
  const inOrder = posts.toSorted((one, other) => one.box.index - other.box.index);
  return inOrder.filter((post, at) => {
    const outer = inOrder[at - 1];
    if (outer === undefined || !holds(outer.box, post.box)) return true;
    if (sentences(outer.box) !== sentences(post.box)) return true;
    outer.again.push(post);
    return false;
  });
}

/**
 * Names that are marked in some posts only: links to the same kind of address as the marked names. The last
 * one in a post is the author's, after those of editors.
 */
function findByProfile(
  posts: readonly Post[],
  blocks: readonly MeasuredBlock[],
  sentences: CountSentences,
): { unnamed: Post[]; before: Byline[] } {
  const named = new Set(posts.map(({ box }) => box));
  const shapes = new Set(posts.map(({ box }) => box.shape));
  const profiles = new Set(posts.map(({ author }) => profileOf(author)));
  const unnamed = new Map<MeasuredBlock, Post>();
  const before: Byline[] = [];
  const first = posts.reduce((least, { box }) => Math.min(least, box.index), blocks.length);
  let box: MeasuredBlock | undefined;
  for (const block of blocks) {
    if (shapes.has(block.shape) && block.prose > 0) box = named.has(block) ? undefined : block;
    if (box !== undefined && block.index >= box.end) box = undefined;
    if (block.element.localName !== 'a' || (box === undefined && block.index > first)) continue;
    if (!isName(block) || !profiles.has(profileOf(block)) || isQuoted(block)) continue;
    const byline = bylineOf(block, sentences);
    if (box === undefined) before.push(byline);
    else unnamed.set(box, postOf(byline, box, blocks, sentences));
  }
  return { unnamed: [...unnamed.values()], before };
}

/** The pattern of an author's address: `/users/1/name`, `/member.php?u=1`. */
function profileOf({ element }: MeasuredBlock): string {
  const link = element.localName === 'a' ? element : element.querySelector('a[href]');
  const path = (link?.getAttribute('href') ?? '').replace(/^https?:\/\/[^/]*/, '').slice(0, 300);
  const parts = path.split('/').filter((part) => part !== '');
  return `${parts.length} ${(parts[0] ?? '').replace(/\d.*/, '')}`;
}

/**
 * Kinds of boxes that hold a byline and its text at least twice; in a discussion also of a question with one
 * answer.
 */
function kindsOf(
  found: readonly (MeasuredBlock | undefined)[],
  { isDiscussion }: PageFacts,
): ReadonlySet<string> {
  const boxes = new Set(found.filter((box) => box?.parent !== undefined) as MeasuredBlock[]);
  const counts = new Map<string, number>();
  for (const box of boxes) counts.set(kindOf(box), (counts.get(kindOf(box)) ?? 0) + 1);
  const kinds = [...counts.keys()].filter(
    (kind) => (counts.get(kind) as number) >= limits.leastPosts,
  );
  if (kinds.length > 0 || !isDiscussion) return new Set(kinds);
  const inOrder = [...boxes].sort((one, other) => one.index - other.index);
  const inner = inOrder.filter((box, at) => (inOrder[at + 1]?.index ?? box.end) >= box.end);
  return new Set(inner.map(kindOf));
}

function postOf(
  { author, block, prose }: Byline,
  box: MeasuredBlock,
  blocks: readonly MeasuredBlock[],
  sentences: CountSentences,
  level?: number,
): Post {
  // The name may be in the text of the box around the whole post.
  let authorBox = sentences(block) > prose ? author : block;
  while (
    authorBox.owner === undefined &&
    authorBox.parent !== undefined &&
    sentences(authorBox.parent) === prose &&
    authorBox.parent !== box &&
    (level === undefined || authorBox.depth > box.depth + level)
  ) {
    authorBox = authorBox.parent;
  }
  return { box, author, authorBox, date: dateOf(author, box, blocks), again: [] };
}

/** The question above its answers; its box may be of another kind. */
function openingPost(
  bylines: readonly Byline[],
  posts: readonly Post[],
  blocks: readonly MeasuredBlock[],
  sentences: CountSentences,
): Post | undefined {
  const first = posts[0]?.box.index ?? 0;
  let opening: Post | undefined;
  for (const byline of bylines) {
    const box = boxWithText(byline, sentences);
    if (box === undefined || box.end > first || box.prose <= (opening?.box.prose ?? 0)) continue;
    opening = postOf(byline, box, blocks, sentences);
  }
  return opening;
}

/** A line or a box with the name of an author. */
interface Byline {
  readonly author: MeasuredBlock;
  readonly block: MeasuredBlock;
  /** Characters in sentences of its own. */
  readonly prose: number;
}

function bylineOf(author: MeasuredBlock, sentences: CountSentences): Byline {
  const block = author.owner ?? author;
  const { index, end } = block;
  // Of another element only its own paragraph.
  return { author, block, prose: sentences({ index, end: block === author ? end : index + 1 }) };
}

/** Characters in sentences, in an element or in a range of elements. */
type CountSentences = (range: { readonly index: number; readonly end: number }) => number;

/**
 * In a discussion without headings and without lines full of numbers, which count posts and badges.
 */
function sentencesIn(blocks: readonly MeasuredBlock[], isDiscussion: boolean): CountSentences {
  /** By index of a block: characters before it. */
  const before = new Float64Array(blocks.length + 1);
  let sum = 0;
  for (const block of blocks) {
    const { own } = block;
    const isSentence = own.digits <= limits.digits * own.length && headingLevel(block) === 0;
    if (isSentence || !isDiscussion) sum += ownProse(block);
    before[block.index + 1] = sum;
  }
  return ({ index, end }) => (before[end] as number) - (before[index] as number);
}

/** The innermost element around a byline with sentences of the post. */
function boxWithText(byline: Byline, sentences: CountSentences): MeasuredBlock | undefined {
  let box = innermostBox(byline, sentences);
  while (box !== undefined && sentences(box) === byline.prose) box = box.parent;
  return box;
}

function postAround(
  byline: Byline,
  sentences: CountSentences,
  kinds: ReadonlySet<string>,
): MeasuredBlock | undefined {
  let box = innermostBox(byline, sentences);
  for (let level = 0; box !== undefined && level < limits.levels; level++) {
    if (kinds.has(kindOf(box))) return box;
    box = box.parent;
  }
  return undefined;
}

/** The element around a line; the line itself if the name is in a box with the whole post. */
function innermostBox(
  { block, prose }: Byline,
  sentences: CountSentences,
): MeasuredBlock | undefined {
  return sentences(block) > prose ? block : block.parent;
}

/** The innermost elements with the name of an author. */
function findAuthors(blocks: readonly MeasuredBlock[], isDiscussion: boolean): MeasuredBlock[] {
  const authors: MeasuredBlock[] = [];
  for (const block of blocks) {
    if (block.parent === undefined || !isAuthor(block, isDiscussion)) continue;
    const last = authors.at(-1);
    if (last !== undefined && block.index < last.end) authors.pop();
    authors.push(block);
  }
  return authors;
}

/** Names without a class that marks them: the short link nearest to a date, preferably before it. */
function findBesideDates(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const found = new Set<MeasuredBlock>();
  for (const date of blocks) {
    if (!isTime(date.element) || !isDate(date)) continue;
    const before = blocks.slice(Math.max(0, date.index - limits.besideDate), date.index).reverse();
    const after = blocks.slice(date.index + 1, date.index + limits.besideDate);
    const name = [...before, ...after].find(
      (block) => block.element.localName === 'a' && !holds(block, date) && isName(block),
    );
    if (name !== undefined) found.add(name);
  }
  return [...found].sort((one, other) => one.index - other.index);
}

function holds({ index, end }: MeasuredBlock, other: MeasuredBlock): boolean {
  return index < other.index && other.index < end;
}

function kindOf({ element, shape }: MeasuredBlock): string {
  const [name = ''] = (element.getAttribute('class') ?? '').trimStart().split(/\s/, 1);
  return name === '' || layoutClass.test(name) ? `${shape}` : `${element.localName}.${name}`;
}

/** Layout classes, which say nothing of the content: `d-flex`, `mt16`, `col-12`. */
const layoutClass =
  /^(?:d|m|p|g|w|h|fl|flex|grid|inline|block|relative|row|col|bg|border|text|space)[trblxy]?(?:-|\d|$)/;

function isAuthor(block: MeasuredBlock, isDiscussion: boolean): boolean {
  if (!mayNameAuthor(block.element)) return false;
  const names = namesOf(block.element);
  if (!authorNames.test(names) || addedNames.test(names) || isQuoted(block)) return false;
  return isName(block) || (isDiscussion && holdsName(block));
}

/** True for a box with a name, and counts of posts, badges and the like. */
function holdsName({ element, text, index, end, owner }: MeasuredBlock): boolean {
  if (text > limits.longestColumn || end - index > limits.inColumn || owner !== undefined)
    return false;
  const name = nameIn(element);
  return isNameText(name) && name !== textOf(element);
}

function isName(block: MeasuredBlock): boolean {
  const { element, text, owner } = block;
  if (text > limits.longestName || (owner ?? block).own.length > limits.longestLine) return false;
  const name = textOf(element);
  return isNameText(name) || (/^\d+$/.test(name) && userNames.test(namesOf(element)));
}

function isNameText(name: string): boolean {
  return (
    name.length >= 2 &&
    name.length <= limits.longestName &&
    /\p{L}/u.test(name) &&
    !/[!?:]|\. /.test(name)
  );
}

/** User names, which may be numbers. */
const userNames = /(?:^|[\s_-])user-?name(?:$|\s)/i;

function mayNameAuthor(element: DomElement): boolean {
  for (const name of nameAttributes) {
    const value = element.getAttribute(name);
    if (value !== null && holdsAuthorName(value)) return true;
  }
  return false;
}

const nameAttributes: readonly string[] = ['class', 'itemprop', 'rel'];

/** True for any text in which `authorNames` finds a name. */
const holdsAuthorName = rememberedTest(/author|poster|posted|(?:screen|nick|user)-?name/i);

const authorNames =
  /(?:^|[\s_-])(?:author|poster|posted-?by|screen-?name|nick-?name)(?:$|[\s_-])|user-?name|author-?name/i;

/** Parts of an author's column that are not the name. */
const addedNames = /button|control|badge|rank|title|stat(?:s|$|[\s_-]|istic)|avatar|reputation/i;

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
  for (let distance = 1; distance < limits.nearby; distance++) {
    for (const index of [author.index + distance, author.index - distance]) {
      const block = index > box.index && index < box.end ? blocks[index] : undefined;
      if (block !== undefined && isDate(block)) return wholeDate(block, author, box);
    }
  }
  return undefined;
}

/** The box of the whole date: day and time may be separate elements. */
function wholeDate(part: MeasuredBlock, author: MeasuredBlock, box: MeasuredBlock): MeasuredBlock {
  let date = part;
  for (let { parent } = part; parent !== undefined && parent !== box; { parent } = parent) {
    if (
      holds(parent, author) ||
      parent.text > limits.longestDate ||
      parent.own.length > limits.longestDate
    )
      break;
    const text = textOf(date.element);
    const whole = textOf(parent.element);
    if (whole.length > limits.longestDate) break;
    const isTimeOfDay = /^\d\d?[:.]\d\d(?:[:.]\d\d)?(?:\s*[ap]\.?m\.?)?$/i.test(text);
    const isMore = text !== '' && /\d/.test(whole.replace(text, ''));
    if (whole !== text && !isTimeOfDay && !(isMore && isDate(parent))) break;
    if (whole !== text) date = parent;
  }
  return date;
}

function isDate({ element, text, owner }: MeasuredBlock): boolean {
  if (text > limits.longestDate || (owner?.own.length ?? 0) > limits.longestLine) return false;
  const isNamed =
    isTime(element) || /date|time/i.test((element.getAttribute('class') ?? '').slice(0, 300));
  if (!isNamed) return false;
  const date = visibleDate(element);
  return date.length <= limits.longestDate && /\d/.test(date);
}

function isTime(element: DomElement): boolean {
  const { localName } = element;
  return localName === 'time' || localName === 'relative-time' || element.hasAttribute('datetime');
}

/** The name in an author's box, which may also hold a rank or a number. */
function nameIn(element: DomElement): string {
  const whole = textOf(element);
  const names = Array.from(element.querySelectorAll('[itemprop~="name"], a'), textOf);
  return names.find((name) => name.length >= 2 && name !== whole) ?? whole;
}

function textOf(element: DomElement): string {
  return oneLine((element.textContent ?? '').slice(0, 300));
}

// Answers marked as the solution.

/** By the class or microdata of the post or of a box around it alone, or by a label in it. */
function findAccepted(posts: readonly Post[], blocks: readonly MeasuredBlock[]): Set<Post> {
  const accepted = new Set<Post>();
  const labelled = new Set<Post>();
  for (const [at, post] of posts.entries()) {
    const before = posts[at - 1]?.box.index ?? 0;
    const after = posts[at + 1]?.box.index ?? blocks.length;
    let { box } = post;
    let isMarked = acceptedNames.test(namesOf(box.element));
    while (box.parent !== undefined && box.parent.index > before && box.parent.end <= after) {
      box = box.parent;
      isMarked ||= acceptedNames.test(namesOf(box.element));
    }
    if (isMarked) accepted.add(post);
    else if (blocks.slice(box.index, Math.min(box.end, after)).some(isAcceptedLabel))
      labelled.add(post);
  }
  // A label in most posts is a button, or hidden.
  return accepted.size > 0 || labelled.size > 0.5 * posts.length ? accepted : labelled;
}

const acceptedNames =
  /accepted-?(?:answer|solution)|answer-?accepted|(?:^|[\s_-])(?:is-?)?(?:(?<!(?:not|un)[_-])accepted|solution|best-?answer)(?:$|\s)/i;

function isAcceptedLabel({ element, children, own, owner }: MeasuredBlock): boolean {
  const label = element.getAttribute('aria-label') ?? element.getAttribute('title');
  if (label !== null && acceptedLabel.test(label.slice(0, limits.longestName))) return true;
  if (children > 0 || own.length > limits.longestName || (owner === undefined && own.length === 0))
    return false;
  return acceptedLabel.test(textOf(element));
}

const acceptedLabel =
  /^\W*(?:accepted|(?:(?:accepted|best|marked as|verified) )(?:answer|solution)|solution)\W*$/i;

// The parts of a post that are retained.

const commentKind = Math.log2(Evidence.comments);

/** Keeps text where other posts have sentences: short answers as well. */
function keepBodies(
  posts: readonly Post[],
  { paragraphs }: MeasuredPage,
  retained: IndexSet,
): void {
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
      if ((paragraph.block.surroundings.innermost[commentKind] as number) > box.depth) continue;
      inPosts.push(paragraph);
      const { shape } = paragraph.block;
      const counts = getOrInsert(shapes, shape, () => ({ all: 0, prose: 0 }));
      counts.all++;
      if (ownProse(paragraph.block) > 0) counts.prose++;
    }
    end = Math.max(end, box.end);
  }
  for (const { block, copies } of inPosts) {
    if (block.own.linked > 0.5 * block.own.length || (copies >= 3 && ownProse(block) === 0))
      continue;
    const { all = 1, prose = 0 } = shapes.get(block.shape) ?? {};
    if (prose >= 0.3 * all) retained.add(block.index);
  }
}

/** Puts "name, date" at the top of the post, replacing the author's box. */
function putByline(
  post: Post,
  { blocks, paragraphs, title }: MeasuredPage,
  retained: IndexSet,
  isAccepted: boolean,
): DomElement | undefined {
  const { box, author } = post;
  const document = box.element.ownerDocument;
  const bylines = [post, ...post.again];
  const name = nameIn(author.element);
  const dates = bylines.map((byline) => dateText(byline, name));
  const parts = [name, dates.find((date) => date !== '') ?? ''];
  if (isAccepted) parts.push('accepted answer');
  const text = parts.filter((part) => part !== '').join(', ');
  const isByline = ({ own }: MeasuredBlock): boolean =>
    own.length <= text.length + limits.longestRest;
  const named = author.owner ?? author;
  if (document === null || !isByline(named)) {
    retained.add(named.index);
    return undefined;
  }
  for (const { author: other, authorBox, date } of bylines) {
    for (const block of [other, date ?? other]) {
      const line = block.owner ?? block;
      if (isByline(line)) retained.delete(line.index);
    }
    for (let index = authorBox.index; index < authorBox.end; index++) {
      if (headingLevel(blocks[index] as MeasuredBlock) !== 1) retained.delete(index);
    }
  }
  const line = document.createElement('p');
  line.textContent = text;
  const top = topOf(box, blocks);
  const { element } = top;
  const heading = paragraphs[title]?.block;
  if (heading !== undefined && top.index < heading.index && heading.index < top.end)
    heading.element.after(line);
  else if (boxElements.has(element.localName)) element.insertBefore(line, element.firstChild);
  else element.before(line);
  return line;
}

/** The text of a date, or its attribute value if a script writes the text. */
function visibleDate(element: DomElement): string {
  const values = ['datetime', 'title'].map((name) => element.getAttribute(name) ?? '');
  const value = values.find((one) => /^\d{4}-\d\d-\d\d(?:$|T| )/.test(one)) ?? '';
  // A long and a short form of the date side by side.
  const [form, ...others] = Array.from(element.children, textOf);
  if (others.length > 0 && /\b(?:19|20)\d\d$/.test(form ?? '') && isTime(element))
    return form ?? '';
  return textOf(element) || value.slice(0, 10);
}

/** The date of a post; without a marked date, the part of the name's line that has a year. */
function dateText({ author, date }: Post, name: string): string {
  if (date !== undefined) return visibleDate(date.element);
  const line = textOf((author.owner ?? author).element);
  if (line.length > limits.longestDate + limits.longestName) return '';
  const parts = line.replace(name, ' | ').split(/[»·|•–—]/);
  const dated = parts.find((part) => /\b(?:19|20)\d\d\b/.test(part)) ?? '';
  return oneLine(dated).replace(/^(?:\W*(?:posted|written|by|on)\b)*\W*/i, '');
}

const entryElements: ReadonlySet<string> = new Set(['li', 'td', 'dd']);

/** Elements that may contain paragraphs. */
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

/** The box with its siblings, such as the vote count; within a table or list, the entry with the text. */
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

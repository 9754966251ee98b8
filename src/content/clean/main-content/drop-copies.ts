/** Drops duplicated text: for phones and desktops, in tickers, in quotes of earlier posts. */
import { type DomElement, type DomNode, closestWhere, isText, nextNode } from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import type { IndexSet } from './index-set.ts';
import { sumRetained } from './keep.ts';
import { headingLevel, type MeasuredBlock, positionOf } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import type { Post } from './posts.ts';
import { OpenPosts, settleQuotations } from './quotations.ts';

const limits = {
  between: 2, // paragraphs from the shortened text to the whole one
  repeated: 200, // texts of one box that are read
  leastRest: 40, // characters of the post's own words
  leastQuoted: 60, // characters: people write the same short texts
  longestRun: 30, // paragraphs of a card or a ticker
  leastCopy: 25, // characters: shorter texts repeat by chance
  longestNames: 300, // characters read of a class attribute
};

/**
 * Drops a run of retained paragraphs that repeats the run right before it, a paragraph in a box for one
 * screen size that repeats an earlier one, and in a discussion quotes of earlier posts. Keeps repeated code,
 * table cells, lines of a poem, and copies with other text between them, as in reference pages.
 */
export function dropCopies(
  page: MeasuredPage,
  retained: IndexSet,
  posts: readonly Post[] = [],
): void {
  if (page.facts.isDiscussion || posts.length > 0) {
    const quotations = settleQuotations(page, retained, posts);
    if (page.facts.isDiscussion) dropRepeatedParts(page, retained, posts, quotations);
  }
  dropShortened(page, retained);
  const texts = copiedTexts(page, retained);
  const last = new Map<number, number>();
  for (let at = 0; at < texts.length;) {
    const { block } = texts[at] as CopiedText;
    const before = last.get(block.own.hash);
    const size = before === undefined ? 0 : copiedRun(texts, before, at);
    for (const copy of texts.slice(at, at + Math.max(1, size))) {
      const isCopy = size > 0 || (before !== undefined && isForOneScreen(copy.block, page.root));
      if (isCopy) retained.delete(copy.block.index);
      last.set(copy.block.own.hash, at++);
    }
  }
}

/** Drops a text that ends in an ellipsis beside the full text: a listing displays one of them at a time. */
function dropShortened({ paragraphs }: MeasuredPage, retained: IndexSet): void {
  const near: { readonly block: MeasuredBlock; readonly start: string }[] = [];
  for (const { block } of paragraphs) {
    if (!retained.has(block.index)) continue;
    const start = block.own.length < limits.leastCopy ? '' : startOf(block.element);
    for (const other of near) {
      if (start === '' || other.start !== start) continue;
      const isLonger = other.block.own.length < block.own.length;
      const [short, whole] = isLonger ? [other.block, block] : [block, other.block];
      if (isShortened(short, whole)) retained.delete(short.index);
    }
    near.push({ block, start });
    if (near.length > limits.between) near.shift();
  }
}

function isShortened(short: MeasuredBlock, whole: MeasuredBlock): boolean {
  const shortened = /^(.*[^\s[(])\s*[[(]?(?:…|\.\.\.)[^.!?…]{0,40}$/.exec(
    oneLine(short.element.textContent ?? ''),
  )?.[1];
  return shortened !== undefined && oneLine(whole.element.textContent ?? '').startsWith(shortened);
}

/** The first characters of the first text. */
function startOf(element: DomElement): string {
  for (let node: DomNode | null = element; node !== null; node = nextNode(node, element)) {
    if (isText(node) && ink.test(node.data))
      return node.data.slice(0, 100).trimStart().slice(0, 15);
  }
  return '';
}

const ink = /\S/;

/** A paragraph of which the page has copies. */
interface CopiedText {
  readonly block: MeasuredBlock;
  /** Position among the retained paragraphs. */
  readonly order: number;
}

function copiedTexts({ paragraphs, title }: MeasuredPage, retained: IndexSet): CopiedText[] {
  const texts: CopiedText[] = [];
  let order = 0;
  for (const { block, copies, position } of paragraphs) {
    if (!retained.has(block.index)) continue;
    if (copies > 1 && position !== title && mayBeCopy(block)) texts.push({ block, order });
    order++;
  }
  return texts;
}

/**
 * From the first post on, drops boxes whose texts all appear earlier: a preview of the post being answered, a
 * signature.
 */
function dropRepeatedParts(
  { blocks, paragraphs }: MeasuredPage,
  retained: IndexSet,
  posts: readonly Post[],
  quotations: readonly MeasuredBlock[],
): void {
  const first = posts[0];
  if (first === undefined) return;
  const texts = paragraphs.filter(({ block }) => retained.has(block.index));
  const indexes = texts.map(({ block }) => block);
  const retainedText = sumRetained(blocks, retained);
  const around = new OpenPosts(posts);
  let quotation = 0;
  for (let { end: index } = first.box; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    const post = posts[around.at(index)];
    while ((quotations[quotation]?.end ?? blocks.length) <= index) quotation++;
    if ((quotations[quotation]?.index ?? blocks.length) < block.end) continue;
    const start = positionOf(index, indexes);
    if (texts[start]?.earlierCopies === 0) continue;
    const repeated = texts.slice(
      start,
      Math.min(start + limits.repeated, positionOf(block.end, indexes)),
    );
    if (repeated.length === 0 || repeated.some(({ earlierCopies }) => earlierCopies === 0))
      continue;
    const holdsPost = (posts[around.started]?.box.index ?? blocks.length) < block.end;
    if (holdsPost || !isPart(block, repeated, post, retainedText)) continue;
    retained.deleteRange(index, block.end);
    index = block.end - 1;
  }
}

/** True for long texts that are not all of the post, and not its paragraphs. */
function isPart(
  block: MeasuredBlock,
  repeated: readonly Paragraph[],
  post: Post | undefined,
  retainedText: Float64Array,
): boolean {
  const textOf = ({ index }: MeasuredBlock): number => retainedText[index] as number;
  if (textOf(block) < limits.leastQuoted) return false;
  if (post !== undefined) {
    const { box, authorBox } = post;
    const holdsAuthor = block.index <= authorBox.index && authorBox.index < block.end;
    const rest = textOf(box) - textOf(block) - textOf(authorBox);
    if (block === box || holdsAuthor || rest < limits.leastRest) return false;
    if (!block.element.hasAttribute('class')) return false;
  }
  return repeated.every((one) => mayBeCopy(one.block));
}

/** Cells of a table may be equal. */
function mayBeCopy(block: MeasuredBlock): boolean {
  const isCell = ({ localName }: DomElement): boolean => localName === 'td' || localName === 'th';
  return block.element.localName !== 'pre' && !closestWhere(block.element, isCell, 10);
}

/** The number of texts from `before` up to `at` if as many from `at` on repeat them, else 0. */
function copiedRun(texts: readonly CopiedText[], before: number, at: number): number {
  const size = at - before;
  const orderOf = (index: number): number => texts[index]?.order ?? 0;
  if (size > limits.longestRun || orderOf(at) - orderOf(before) !== size) return 0;
  if (orderOf(at + size - 1) - orderOf(at) !== size - 1) return 0;
  const copied = texts.slice(before, at);
  let length = 0;
  for (const [offset, { block }] of copied.entries()) {
    if (block.own.hash !== texts[at + offset]?.block.own.hash) return 0;
    length += block.own.length;
  }
  if (length < limits.leastCopy) return 0;
  const { block } = texts[at] as CopiedText;
  const isLine =
    size === 1 && block.element.localName === 'p' && block.parent === copied[0]?.block.parent;
  return isLine ? 0 : size;
}

/** True in a small box for one screen size. A heading follows the text below it. */
function isForOneScreen(block: MeasuredBlock, page: MeasuredBlock): boolean {
  if (block.own.length < limits.leastCopy || headingLevel(block) > 0) return false;
  let around = block.parent;
  for (let levels = 0; around !== undefined && levels < 6; around = around.parent, levels++) {
    if (around.text > 0.3 * page.text) return false;
    const names = around.element.getAttribute('class') ?? '';
    if (screenNames.test(names.slice(0, limits.longestNames))) return true;
  }
  return false;
}

/** `mobile`, `hide-on-desktop`, `visible-xs`, `d-md-none`, `lg:hidden`; not `stacked-on-mobile`, which is layout. */
const screenNames =
  /(?:^|\s)(?:(?:mobile|phone|tablet|desktop)(?:-\d|[-_]only)?|(?:hide|hidden|show|visible|only|for)[-_](?:on[-_])?(?:mobile|phone|tablet|desktop|xs|sm|md|lg)|(?:d-)?(?:sm|md|lg|xl)[-:](?:none|hidden))(?:\s|$)/i;

/** Adds the elements that belong to the chosen paragraphs, and drops chosen ones without content of their own. */
import { oneLine } from '../../text/plain-text.ts';
import { keepDocumentation } from './documentation.ts';
import { dropCopies } from './drop-copies.ts';
import { keepGrid } from './grid.ts';
import { IndexSet } from './index-set.ts';
import { type RetainedText, sumRetained } from './keep.ts';
import { headingLevel, isStop, type MeasuredBlock, ownProse, positionOf } from './measure.ts';
import { indexesIn, outermost } from './obvious.ts';
import type { MeasuredPage } from './paragraphs.ts';
import { keepPosts, putBylines } from './posts.ts';
import { keepPairs, keepProductFacts, keepStated } from './product-facts.ts';
import { keepQuestions } from './questions.ts';
import { dropTorn } from './records.ts';
import { dropLinksBelow, dropTeasers, targetsOf } from './teasers.ts';

const limits = {
  leastCentre: 1500, // characters of sentences: a page that sells a service has fewer in one box
  farLevels: 4, // boxes around the text that a paragraph is outside of
  longestRow: 300, // characters
  longestLabel: 80, // characters
  leastBelow: 60, // characters: a sentence
  shortestSentence: 120, // characters: longer than a title
};

/**
 * Keeps what a documentation generator marks as content. On other pages: adds the title; keeps tables, lists
 * and code whole if most of them was chosen, and drops lists of which little was; keeps labels with the code
 * below them, and footnotes with their references; drops duplicated text, and headings without text.
 */
export function complete(page: MeasuredPage, retained: IndexSet): void {
  if (keepDocumentation(page, retained)) {
    dropRepeatedTitle(page, retained);
    return;
  }
  const { blocks } = page;
  const wanted = new IndexSet(blocks.length);
  for (const { block, isObvious } of page.paragraphs) if (!isObvious) wanted.add(block.index);
  const wantedText = sumRetained(blocks, wanted);
  dropTorn(page, retained, wantedText);
  keepTitle(page, retained);
  keepAnnounced(page, wanted, retained);
  const isProduct = keepProductFacts(page, retained);
  const { isArticle, isProduct: isAboutProduct, hasQuestions } = page.facts;
  if (!isProduct && (!isArticle || isAboutProduct)) keepGrid(page, retained);
  if (!isArticle || isAboutProduct || hasQuestions) keepQuestions(page, retained);
  keepStated(page, retained);
  const isOffer = isProduct || isAboutProduct || page.facts.stated.size > 0;
  if (isOffer && (!isArticle || isAboutProduct)) keepPairs(page, retained);
  fillWholes(page, wanted, wantedText, retained);
  if (page.paragraphs.some(({ block }) => isCode(block))) {
    keepCode(page, retained);
    keepLabels(page, retained);
  }
  keepOpeners(page, retained);
  keepNotes(page, retained);
  keepHeadings(page, retained);
  if (isArticleAlone(page)) {
    const targets = targetsOf(page);
    dropTeasers(page, retained, targets);
    dropLinksBelow(page, retained, targets);
    dropFar(page, retained);
  }
  const thread = keepPosts(page, retained);
  dropCopies(page, retained, thread?.posts);
  dropEmptyHeadings(page, retained);
  dropRepeatedTitle(page, retained);
  if (thread !== undefined) putBylines(thread, page, retained);
}

/** Pages marked as articles may also be products, threads or references. */
function isArticleAlone({ facts }: MeasuredPage): boolean {
  const { isArticle, isProduct, isDiscussion, pathSuggestsDocumentation } = facts;
  return isArticle && !isProduct && !isDiscussion && !pathSuggestsDocumentation;
}

/** Drops text far below a complete article: its box is not among the boxes around the article. */
function dropFar({ paragraphs, centre, root }: MeasuredPage, retained: IndexSet): void {
  if (centre.prose < Math.max(limits.leastCentre, 0.5 * root.prose)) return;
  const far = paragraphs.filter(
    ({ block, meeting }) =>
      retained.has(block.index) &&
      block.index >= centre.end &&
      centre.depth - meeting.depth >= limits.farLevels,
  );
  if (far.reduce((sum, { block }) => sum + block.own.length, 0) > centre.prose) return;
  for (const { block } of far) retained.delete(block.index);
}

/** Keeps the title. A linked title is the site's name: an `h1` that is not a link replaces it. */
function keepTitle({ paragraphs, title }: MeasuredPage, retained: IndexSet): void {
  const block = paragraphs[title]?.block;
  if (block === undefined) return;
  const other = isLink(block)
    ? paragraphs.find((one) => headingLevel(one.block) === 1 && !isLink(one.block))
    : undefined;
  if (other !== undefined) retained.delete(block.index);
  retained.add((other?.block ?? block).index);
}

/** Drops a repeated title: another `h1`, or the line right after the first. */
function dropRepeatedTitle({ paragraphs, title }: MeasuredPage, retained: IndexSet): void {
  const own = paragraphs[title]?.block;
  if (own === undefined || !retained.has(own.index)) return;
  const text = oneLine(own.element.textContent ?? '');
  let first: number | undefined;
  for (const { block, position } of paragraphs) {
    const level = headingLevel(block);
    if (level === 0 || block.own.length !== own.own.length || !retained.has(block.index)) continue;
    if (oneLine(block.element.textContent ?? '') !== text) continue;
    if (first === undefined) first = position;
    else if (level === 1 || position === first + 1) retained.delete(block.index);
  }
}

function isLink({ own }: MeasuredBlock): boolean {
  return own.linked >= 0.9 * own.length;
}

function isCode({ element }: MeasuredBlock): boolean {
  return element.localName === 'pre';
}

/**
 * Keeps a list right after a retained line that announces it: the line ends in a colon, or its sentence
 * continues below the list.
 */
function keepAnnounced(
  { blocks, paragraphs, facts }: MeasuredPage,
  wanted: IndexSet,
  retained: IndexSet,
): void {
  for (const { block } of paragraphs) {
    if (!retained.has(block.index) || headingLevel(block) > 0) continue;
    const { last } = block.own;
    const list = listAt(block.end, blocks);
    // Below an article, such lists link to other articles.
    if (list === undefined || (facts.isArticle && list.link > 0.8 * list.text)) continue;
    const isOpen =
      !isStop(last) &&
      block.parent === list.parent &&
      retained.has(list.end) &&
      blocks[list.end]?.parent === list.parent;
    if (last === colon || last === wideColon || isOpen) keepAll(list, wanted, retained);
  }
}

const colon = 0x3a;
const wideColon = 0xff1a;

/** The list that begins at this block, or whose first text it is. */
function listAt(index: number, blocks: readonly MeasuredBlock[]): MeasuredBlock | undefined {
  for (let at = index, levels = 0; levels < 4; at++, levels++) {
    const block = blocks[at];
    if (block === undefined || block.own.length > 0 || block.text === 0) return undefined;
    if (listElements.has(block.element.localName)) return block;
  }
  return undefined;
}

const listElements: ReadonlySet<string> = new Set(['ul', 'ol', 'dl']);

/** Elements that make no sense in pieces. */
const wholeBlocks: ReadonlySet<string> = new Set([
  'table',
  'tr',
  'ul',
  'ol',
  'dl',
  'pre',
  'figure',
  'blockquote',
]);

/** A table with headings or sentences may be for layout only. */
function isWholeBlock(block: MeasuredBlock): boolean {
  const { element, text, headings, prose } = block;
  if (text === 0 || !wholeBlocks.has(element.localName)) return false;
  if (element.localName === 'tr') return isValueRow(block);
  return element.localName !== 'table' || (headings === 0 && prose <= 0.5 * text);
}

/** A short row of a name and values, without links. */
function isValueRow(row: MeasuredBlock): boolean {
  const { element, text, headings, links, controlElements, paragraphs } = row;
  if (text > limits.longestRow || headings > 0 || links > 0 || controlElements > 0) return false;
  return paragraphs <= element.children.length;
}

function fillWholes(
  { blocks, paragraphs }: MeasuredPage,
  wanted: IndexSet,
  wantedText: RetainedText,
  retained: IndexSet,
): void {
  const retainedText = sumRetained(blocks, retained);
  const texts = paragraphs.filter(({ isObvious }) => !isObvious).map(({ block }) => block);
  const isRetainedProse = (block: MeasuredBlock | undefined): boolean =>
    block !== undefined && retained.has(block.index) && ownProse(block) > 0;
  /** A table belongs to the sentences before and after it. */
  const isBetweenRetained = ({ element, index, end }: MeasuredBlock): boolean =>
    element.localName === 'table' &&
    isRetainedProse(texts[positionOf(index, texts) - 1]) &&
    isRetainedProse(texts[positionOf(end, texts)]);
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    if (!isWholeBlock(block)) continue;
    const share = (retainedText[index] as number) / ((wantedText[index] as number) || 1);
    if (share >= leastShare(block) || isBetweenRetained(block)) keepAll(block, wanted, retained);
    else if (share > 0 && cannotBeCut(block)) retained.deleteRange(index, block.end);
    else continue;
    index = block.end - 1;
  }
}

/** Single table rows and lines of code mean little. */
function cannotBeCut({ element: { localName } }: MeasuredBlock): boolean {
  return localName === 'table' || localName === 'pre';
}

function leastShare(block: MeasuredBlock): number {
  return cannotBeCut(block) ? 0.3 : 0.6;
}

function keepAll({ index: first, end }: MeasuredBlock, wanted: IndexSet, retained: IndexSet): void {
  for (let index = first; index < end; index++) if (wanted.has(index)) retained.add(index);
}

/** Keeps code between retained paragraphs, however little it resembles sentences. */
function keepCode({ paragraphs }: MeasuredPage, retained: IndexSet): void {
  let open: MeasuredBlock[] = [];
  let isAfterText = false;
  for (const { block, isObvious } of paragraphs) {
    if (isObvious) continue;
    if (isCode(block) && !retained.has(block.index)) {
      open.push(block);
      continue;
    }
    const isText = retained.has(block.index);
    if (isText && isAfterText) for (const { index } of open) retained.add(index);
    open = [];
    isAfterText = isText;
  }
}

/** Keeps a short line above code: it names the code. */
function keepLabels({ paragraphs }: MeasuredPage, retained: IndexSet): void {
  for (const { block, position, isObvious } of paragraphs) {
    const next = paragraphs[position + 1]?.block;
    if (isObvious || next === undefined || block.own.length > limits.longestLabel) continue;
    if (isCode(next) && retained.has(next.index)) retained.add(block.index);
  }
}

/** Keeps the question of an accordion with its answer. */
function keepOpeners({ paragraphs }: MeasuredPage, retained: IndexSet): void {
  for (const { block, position, isObvious } of paragraphs) {
    const next = paragraphs[position + 1]?.block;
    const isOpener = !isObvious && block.element.hasAttribute('data-question');
    if (isOpener && next !== undefined && retained.has(next.index)) retained.add(block.index);
  }
}

/** Keeps footnotes if one of them is referenced; the small print of a footer is not a footnote. */
function keepNotes({ blocks, paragraphs }: MeasuredPage, retained: IndexSet): void {
  const isReferred = blocks.some(
    ({ element, parent }) =>
      element.hasAttribute('data-footnote-ref') &&
      retained.has(nextWithOwnText(parent)?.index ?? -1),
  );
  if (!isReferred) return;
  const boxes = outermost(blocks, ({ element }) => element.hasAttribute('data-footnotes'));
  const notes = indexesIn(boxes, blocks);
  for (const { block, isObvious } of paragraphs) {
    if (!isObvious && notes.has(block.index)) retained.add(block.index);
  }
}

function nextWithOwnText(block: MeasuredBlock | undefined): MeasuredBlock | undefined {
  let around = block;
  while (around !== undefined && around.own.length === 0) around = around.parent;
  return around;
}

/** Keeps a heading with the text below it if similar headings stay: a single name or link says little. */
function keepHeadings({ paragraphs, title }: MeasuredPage, retained: IndexSet): void {
  const levels = new Set(
    paragraphs
      .filter(({ block, position }) => retained.has(block.index) && position !== title)
      .map(({ block }) => headingLevel(block)),
  );
  let heading: MeasuredBlock | undefined;
  let text = 0;
  let retainedText = 0;
  let isInside = false;
  const settle = (): void => {
    if (heading !== undefined && retainedText >= limits.leastBelow && retainedText >= 0.8 * text) {
      retained.add(heading.index);
    }
  };
  for (const { block, isObvious } of paragraphs) {
    if (isObvious) continue;
    if (headingLevel(block) > 0) {
      settle();
      heading =
        isInside && levels.has(headingLevel(block)) && !retained.has(block.index)
          ? block
          : undefined;
      text = 0;
      retainedText = 0;
    } else {
      text += block.own.length;
      if (retained.has(block.index)) retainedText += block.own.length;
    }
    if (retained.has(block.index)) isInside = true;
  }
  settle();
}

/** Sentences, such as a lead or a quotation; not a headline. */
function isSentence({ own: { length, linked, stops } }: MeasuredBlock): boolean {
  return length >= limits.shortestSentence && stops > 0 && linked === 0;
}

/**
 * Drops a heading if all text up to the next heading of its level was dropped. Sentences marked up as a
 * heading are text themselves.
 */
function dropEmptyHeadings({ paragraphs, title }: MeasuredPage, retained: IndexSet): void {
  const open: { level: number; index: number; had: boolean; has: boolean }[] = [];
  const close = (level: number): void => {
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      open.pop();
      if (last.had && !last.has) retained.delete(last.index);
    }
  };
  for (const { block, position, isObvious } of paragraphs) {
    if (isObvious) continue;
    const level = headingLevel(block);
    if (level > 0) {
      close(level);
      if (retained.has(block.index) && position !== title && !isSentence(block)) {
        open.push({ level, index: block.index, had: false, has: false });
      }
    }
    for (const heading of open) {
      if (heading.index === block.index) continue;
      heading.had = true;
      if (retained.has(block.index)) heading.has = true;
    }
  }
  close(0);
}

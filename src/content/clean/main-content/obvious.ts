/** Boilerplate that is obvious by its tag, role or name. */
import { type DomElement, closestWhere } from '../../html/dom.ts';
import { Evidence, isInside } from './evidence.ts';
import { IndexSet } from './index-set.ts';
import { headingLevel, isStop, type MeasuredBlock } from './measure.ts';
import type { PageFacts } from './page-facts.ts';

/**
 * The outermost obvious boxes. Every rule is limited: a box with much of the page's prose is content,
 * whatever its name.
 */
export function findObvious(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  return outermost(blocks, isObvious);
}

/**
 * More boxes to leave out, by name and size. They still count as examples for the model, which has to
 * recognize comments and dialogs without such names.
 */
export function findBeside(
  blocks: readonly MeasuredBlock[],
  facts: Pick<PageFacts, 'isArticle' | 'isDiscussion' | 'isProduct'>,
): MeasuredBlock[] {
  const leavesArticle =
    !facts.isDiscussion &&
    (facts.isArticle
      ? commentsLeaveText(blocks, leastArticle)
      : !facts.isProduct && commentsLeaveText(blocks, leastUnmarked) && areOneSection(blocks));
  return outermost(
    blocks,
    (block, page) => standsBeside(block, page) || (leavesArticle && areComments(block)),
  );
}

function standsBeside(block: MeasuredBlock, page: MeasuredBlock): boolean {
  const { element, evidence, prose, text } = block;
  if ((evidence & (Evidence.footer | Evidence.overlay)) === 0) return false;
  if ((evidence & Evidence.main) !== 0 || isTitledSection(block)) return false;
  const { localName } = element;
  if ((evidence & Evidence.footer) !== 0 && !quotes.has(element.parentElement?.localName ?? '')) {
    return prose <= 0.3 * page.prose && text <= 0.3 * page.text;
  }
  // The link around a picture may be named after the overlay it opens.
  return (evidence & Evidence.overlay) !== 0 && localName !== 'a' && prose <= 0.25 * page.prose;
}

/** Elements whose footers name the source. */
const quotes: ReadonlySet<string> = new Set(['blockquote', 'figure']);

function areComments({ element, evidence }: MeasuredBlock): boolean {
  if ((evidence & Evidence.comments) === 0 || (evidence & Evidence.main) !== 0) return false;
  // Papers have a section named "Discussion", too.
  return /comment|disqus/i.test(namesOf(element)) && !isInTicker(element);
}

/**
 * Comments are often longer than the article above. If less than this text remains without them, the comments
 * are the page itself, because they belong to no article.
 */
function commentsLeaveText(
  blocks: readonly MeasuredBlock[],
  least: (page: MeasuredBlock) => number,
): boolean {
  const page = blocks[0] as MeasuredBlock;
  const inComments = outermost(blocks, areComments).reduce((sum, { prose }) => sum + prose, 0);
  return inComments > 0 && page.prose - inComments >= least(page);
}

function leastArticle({ prose }: MeasuredBlock): number {
  return Math.max(800, 0.1 * prose);
}

/** "Comments" may be a line in each entry of a list. */
function areOneSection(blocks: readonly MeasuredBlock[]): boolean {
  const [first, ...others] = outermost(blocks, areComments);
  return others.every(({ parent }) => parent === first?.parent);
}

/** A page that is not marked as an article may be a thread. */
function leastUnmarked({ prose }: MeasuredBlock): number {
  return Math.max(1500, 0.3 * prose);
}

function namesOf(element: DomElement): string {
  return `${element.id.slice(0, longestNames)} ${(element.getAttribute('class') ?? '').slice(0, longestNames)}`;
}

const longestNames = 300; // characters read of an attribute

/** The comments of a live ticker are the reports of its authors. */
function isInTicker(element: DomElement): boolean {
  const isTicker = (around: DomElement): boolean => /ticker|live-?blog/i.test(namesOf(around));
  return closestWhere(element.parentElement, isTicker, 4) !== undefined;
}

/** Boxes named as outside of the content; most pages offer more evidence than names. */
export function findNamed(
  blocks: readonly MeasuredBlock[],
  isDiscussion: boolean,
): MeasuredBlock[] {
  const isBeside = !isDiscussion && commentsLeaveText(blocks, ({ prose }) => 0.5 * prose);
  const kinds = isBeside ? beside | Evidence.comments : beside;
  return outermost(blocks, (block, page) => isNamed(block, page, kinds));
}

function isNamed(block: MeasuredBlock, page: MeasuredBlock, kinds: number): boolean {
  const { prose, headings, link } = block;
  if (belongsToText(block) || prose > 0.3 * page.prose) return false;
  if (isTitledSection(block) || isSentence(block)) return false;
  // Related pages are linked.
  const evidence = link > 0 ? block.evidence : block.evidence & ~Evidence.related;
  return (evidence & kinds) !== 0 || ((evidence & Evidence.header) !== 0 && headings === 0);
}

const beside = Evidence.related | Evidence.promotion | Evidence.aside | Evidence.overlay;

/** The indexes of all elements inside these boxes. */
export function indexesIn(
  boxes: readonly MeasuredBlock[],
  blocks: readonly MeasuredBlock[],
): IndexSet {
  const indexes = new IndexSet(blocks.length);
  for (const { index, end } of boxes) indexes.addRange(index, end);
  return indexes;
}

/** In document order, without boxes inside other boxes. */
export function outermost(
  blocks: readonly MeasuredBlock[],
  test: (block: MeasuredBlock, page: MeasuredBlock) => boolean,
): MeasuredBlock[] {
  const page = blocks[0] as MeasuredBlock;
  const found: MeasuredBlock[] = [];
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    if (!test(block, page)) continue;
    found.push(block);
    index = block.end - 1;
  }
  return found;
}

/** Removes these boxes, or only the ones found by tag and role, so that some text remains. */
export function removeObvious(page: MeasuredBlock, obvious: readonly MeasuredBlock[]): void {
  const structural = obvious.filter(({ evidence }) => (evidence & Evidence.structural) !== 0);
  const removed = [obvious, structural].find(
    (boxes) => boxes.reduce((left, { text }) => left - text, page.text) > 0,
  );
  for (const { element } of removed ?? []) element.remove();
}

function isObvious(block: MeasuredBlock, page: MeasuredBlock): boolean {
  const { evidence, prose, text, surroundings } = block;
  if (isLoginForm(block, page)) return true;
  if (evidence === 0 || (evidence & Evidence.main) !== 0 || belongsToText(block)) return false;
  if (isTitledSection(block)) return false;
  // A heading is not the box its class is named after: `tocHeader`, `share-title`.
  if (headingLevel(block) > 0 && (evidence & Evidence.screenReader) === 0) return false;
  if ((evidence & Evidence.consent) !== 0) return prose <= 0.8 * page.prose || prose < 1000;
  if ((evidence & Evidence.structural) !== 0 && !isInside(surroundings, Evidence.article)) {
    return prose <= 0.5 * page.prose || prose < 300;
  }
  if ((evidence & Evidence.navigation) !== 0 && prose === 0) return text <= 0.5 * page.text;
  if ((evidence & Evidence.footer) !== 0) {
    return prose <= 0.1 * page.prose && text <= 0.15 * page.text;
  }
  return (evidence & named) !== 0 && prose <= 0.25 * page.prose;
}

/** A small form with a password; some sites wrap the whole page in a form. */
function isLoginForm(
  { element, prose, text, controlElements }: MeasuredBlock,
  page: MeasuredBlock,
): boolean {
  return (
    controlElements > 0 &&
    element.localName === 'form' &&
    prose <= 0.1 * page.prose &&
    text <= 0.2 * page.text &&
    Array.from(element.querySelectorAll('input')).some((input) =>
      /^password$/i.test(input.getAttribute('type') ?? ''),
    )
  );
}

/**
 * One of several titled sections whose id is their subject: `<section id="footer">` in a component manual. A
 * box beside the text has links or fields, and no sibling of its kind with sentences.
 */
function isTitledSection(block: MeasuredBlock): boolean {
  const { element, evidence, prose, link, text, controlElements } = block;
  if ((evidence & Evidence.structural) !== 0 || !isInText(block)) return false;
  if (prose === 0 || controlElements > 0 || link > 0.3 * text) return false;
  return (
    opensWithHeading(element) &&
    [element.previousElementSibling, element.nextElementSibling].some(
      (sibling) => sibling?.localName === element.localName && opensWithHeading(sibling),
    )
  );
}

function opensWithHeading({ firstElementChild }: DomElement): boolean {
  return firstElementChild !== null && /^h[1-6]$/.test(firstElementChild.localName);
}

/** A paragraph of the text, whatever style its class names. */
function isSentence(block: MeasuredBlock): boolean {
  const { element, own } = block;
  return (
    element.localName === 'p' &&
    isStop(own.last) &&
    own.linked <= 0.5 * own.length &&
    isInText(block)
  );
}

function isInText({ surroundings }: MeasuredBlock): boolean {
  return isInside(surroundings, Evidence.main) || isInside(surroundings, Evidence.article);
}

/** Kinds that are certain from the name alone. */
const named = Evidence.screenReader | Evidence.commentForm | Evidence.share;

/** True for a note inside the text, and for the source of a quotation. */
function belongsToText(block: MeasuredBlock): boolean {
  const { evidence, element, link, text } = block;
  if ((evidence & Evidence.footer) !== 0) {
    return quotes.has(element.parentElement?.localName ?? '');
  }
  if ((evidence & Evidence.aside) === 0 || (evidence & Evidence.callout) === 0) return false;
  return isInText(block) && link <= 0.3 * text;
}

/** Quotations of earlier posts: each is kept whole with its attribution line, or dropped with it. */
import { closestWhere } from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import type { IndexSet } from './index-set.ts';
import { sumRetained } from './keep.ts';
import { type MeasuredBlock, positionOf } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

const limits = {
  longestNames: 300, // characters read of a class attribute
  leastQuoted: 25, // characters: shorter texts repeat by chance
  mostQuoted: 200, // texts read of one quotation
  posts: 20, // posts in which a text is looked up
  longestHead: 120, // characters
};

/** A post of a thread, in document order. */
interface PostBox {
  readonly box: MeasuredBlock;
}

/** True for a box that quotes someone else. */
function isQuotation({ element }: Pick<MeasuredBlock, 'element'>): boolean {
  if (isNamedQuotation(element)) return true;
  return (
    element.localName === 'blockquote' && !/signature/i.test(element.getAttribute('class') ?? '')
  );
}

function isNamedQuotation(element: MeasuredBlock['element']): boolean {
  if (!quotationElements.has(element.localName)) return false;
  return quotationNames.test((element.getAttribute('class') ?? '').slice(0, limits.longestNames));
}

const quotationElements: ReadonlySet<string> = new Set('blockquote div section table'.split(' '));

/** `quote`, `bbcode_quote`, `ipsQuote`, `quote-box`. */
const quotationNames =
  /(?:^|[\s_-]|[a-z](?=Q))(?:quote|quotation)(?:[_-]?(?:box|container|block|wrapper))?(?:\s|$)/i;

/** True inside a quotation, where a name is not the post's author. */
export function isQuoted(block: MeasuredBlock): boolean {
  return closestWhere(block.element, (element) => isQuotation({ element }), 8) !== undefined;
}

/**
 * Drops quotations that copy one earlier post, with their attribution line, and keeps the others whole. Posts
 * that were not found count as one.
 */
export function settleQuotations(
  page: MeasuredPage,
  retained: IndexSet,
  posts: readonly PostBox[],
): MeasuredBlock[] {
  const { blocks, paragraphs } = page;
  const indexes = paragraphs.map(({ block }) => block);
  const within = (block: MeasuredBlock): Paragraph[] =>
    paragraphs.slice(positionOf(block.index, indexes), positionOf(block.end, indexes));
  const retainedText = sumRetained(blocks, retained);
  const bodies = bodyShapes(blocks, posts);
  const earlier = new EarlierTexts();
  const settled: MeasuredBlock[] = [];
  const around = new OpenPosts(posts);
  const aroundTexts = new OpenPosts(posts);
  let read = 0;
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    if (!isQuotation(block) || bodies.has(block.shape) || isButton(block)) continue;
    const post = around.at(index);
    const box = posts[post]?.box;
    const isInPost = box !== undefined && box.index < index && block.end <= box.end;
    if ((posts[around.started]?.box.index ?? blocks.length) < block.end) continue;
    if (isInPost && retainedText[box.index] === 0) continue;
    for (let text = paragraphs[read]; text !== undefined && text.block.index < index;) {
      const inPost = posts[aroundTexts.at(text.block.index)];
      const stays = retainedText[inPost?.box.index ?? text.block.index] as number;
      if (stays > 0) earlier.add(text.block, aroundTexts.at(text.block.index));
      text = paragraphs[++read];
    }
    const quoted = within(block);
    if (quoted.length === 0) continue;
    const head = headBefore(block, blocks);
    const texts = wordsOf(quoted);
    const size = texts.reduce((sum, { own }) => sum + own.length, 0);
    const isCopy =
      size >= limits.leastQuoted &&
      texts.length <= limits.mostQuoted &&
      earlier.haveAll(texts, isInPost ? post : around.started);
    if (isCopy) {
      retained.deleteRange(index, block.end);
      if (head !== undefined) retained.deleteRange(head.index, head.end);
      block.element.remove();
    } else if (isInPost) {
      for (const one of quoted) if (!isControl(one.block)) retained.add(one.block.index);
      if (head !== undefined) retained.add(head.index);
    }
    settled.push(block);
    index = block.end - 1;
  }
  return settled;
}

/** Finds the innermost post around elements, which must come in document order. */
export class OpenPosts {
  readonly #posts: readonly PostBox[];
  readonly #open: number[] = [];
  #next = 0;

  constructor(posts: readonly PostBox[]) {
    this.#posts = posts;
  }

  /** Number of posts that begin before the last element. */
  get started(): number {
    return this.#next;
  }

  /** Its position, or -1. */
  at(index: number): number {
    for (let post = this.#posts[this.#next]; post !== undefined && post.box.index <= index;) {
      this.#open.push(this.#next);
      post = this.#posts[++this.#next];
    }
    while ((this.#posts[this.#open.at(-1) ?? -1]?.box.end ?? Infinity) <= index) this.#open.pop();
    return this.#open.at(-1) ?? -1;
  }
}

/** Posts by their texts. */
class EarlierTexts {
  readonly #posts = new Map<number, number[]>();

  add({ own }: MeasuredBlock, post: number): void {
    const posts = this.#posts.get(own.hash);
    if (posts === undefined) this.#posts.set(own.hash, [post]);
    else if (posts.length < limits.posts && posts.at(-1) !== post) posts.push(post);
  }

  /** True if one post before this one has all texts. */
  haveAll(texts: readonly MeasuredBlock[], before: number): boolean {
    let common: number[] | undefined;
    for (const { own } of texts) {
      const posts = this.#posts.get(own.hash) ?? [];
      common = (common ?? posts).filter((post) => post < before && posts.includes(post));
      if (common.length === 0) return false;
    }
    return common !== undefined;
  }
}

/** Shapes of elements around the whole text of most posts: in some forums a `blockquote`. */
function bodyShapes(
  blocks: readonly MeasuredBlock[],
  posts: readonly PostBox[],
): ReadonlySet<number> {
  const counts = new Map<number, number>();
  const around = new OpenPosts(posts);
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index] as MeasuredBlock;
    if (block.element.localName !== 'blockquote' || around.at(index) < 0) continue;
    if (isNamedQuotation(block.element)) continue;
    counts.set(block.shape, (counts.get(block.shape) ?? 0) + 1);
    index = block.end - 1;
  }
  return new Set([...counts].filter(([, count]) => count > 0.8 * posts.length).map(([one]) => one));
}

/** The texts without the attribution line and without buttons. */
function wordsOf(quoted: readonly Paragraph[]): MeasuredBlock[] {
  const words = quoted.map(({ block }) => block).filter((block) => !isControl(block));
  return words.length > 1 && isHead(words[0] as MeasuredBlock) ? words.slice(1) : words;
}

/** "Rowan said on Friday:" */
function isHead(block: MeasuredBlock): boolean {
  const { element, own } = block;
  if (own.length > limits.longestHead) return false;
  if (element.localName === 'cite' || headNames.test(element.getAttribute('class') ?? ''))
    return true;
  return !/[.!?…]$/.test(oneLine(element.textContent ?? ''));
}

const headNames = /cit(?:e|ation)|head|title|author|posted-?by|source|attribution/i;

function isControl({ element, parent, own }: MeasuredBlock): boolean {
  const classes = [element, parent?.element].map((one) => one?.getAttribute('class') ?? '');
  return own.length <= 30 && /expand|toggle|collapse/i.test(classes.join(' '));
}

/** "Quote" under a post. */
function isButton({ text, link }: MeasuredBlock): boolean {
  return text - link <= 'Quote'.length && text <= limits.longestHead;
}

/** The line right before the box, outside of it. */
function headBefore(
  { element, parent, index }: MeasuredBlock,
  blocks: readonly MeasuredBlock[],
): MeasuredBlock | undefined {
  const before = element.previousElementSibling;
  if (before === null) return undefined;
  const isNamed =
    before.localName === 'cite' || /quote|cite/i.test(before.getAttribute('class') ?? '');
  if (!isNamed) return undefined;
  let head = blocks[index - 1];
  while (head !== undefined && head.parent !== parent) head = head.parent;
  const isLine = head?.element === before && head.own.length > 0 && head.text <= limits.longestHead;
  return head !== undefined && isLine && !isQuotation(head) ? head : undefined;
}

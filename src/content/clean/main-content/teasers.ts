/**
 * Teasers: boxes of one shape, each with a headline that links to another page of the site and a few lines of
 * its text.
 */
import { IndexSet } from './index-set.ts';
import { type MeasuredBlock, ownProse } from './measure.ts';
import type { MeasuredPage } from './paragraphs.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  leastArticle: 1000, // characters
  longestAside: 250, // characters; entries of an article that is a list are longer
  shortestHeadline: 15, // characters
  shortestText: 60, // characters beside the headline: a line
  longestTeaser: 600, // characters
  leastTeasers: 2, // a single one may be the article's subject
};

/** Boxes of one shape anywhere on the page, last one first. */
interface TeaserList {
  readonly boxes: MeasuredBlock[];
  readonly targets: Set<string>;
  /** Boxes with a sentence beside the headline. */
  withSentence: number;
}

/** Drops teasers below an article, and short single ones between its paragraphs. */
export function dropTeasers(page: MeasuredPage, retained: IndexSet, targets: LinkTargets): void {
  const { blocks, paragraphs, centre } = page;
  const lists = findTeasers(page, targets);
  if (lists.length === 0) return;
  const inTeasers = new IndexSet(blocks.length);
  for (const { boxes } of lists) {
    for (const { index, end } of boxes) inTeasers.addRange(index, end);
  }
  const texts: number[] = [];
  let prose = 0;
  let teasers = 0;
  for (const { block } of paragraphs) {
    if (!retained.has(block.index)) continue;
    if (inTeasers.has(block.index)) teasers += block.own.length;
    else if (ownProse(block) > 0) {
      prose += ownProse(block);
      texts.push(block.index);
    }
  }
  // Pages that introduce a site have no coherent text of their own.
  if (prose < Math.max(limits.leastArticle, teasers) || centre.prose < 0.5 * prose) return;
  const last = texts.at(-1) ?? 0;
  for (const { boxes } of lists) {
    const first = boxes.at(-1)?.index ?? 0;
    const isBelow = first > last || first >= centre.end;
    if (!isBelow && !stayApart(boxes, texts)) continue;
    for (const { index, end } of boxes) retained.deleteRange(index, end);
  }
}

/**
 * Drops lines below the last sentence that link to other pages of the site, if they are few for the length of
 * the text.
 */
export function dropLinksBelow(
  { paragraphs }: MeasuredPage,
  retained: IndexSet,
  targets: LinkTargets,
): void {
  const texts = paragraphs.map(({ block }) => block).filter(({ index }) => retained.has(index));
  const last = texts.findLastIndex((block) => ownProse(block) > 0);
  const links = texts.slice(last + 1).filter((block) => {
    if (block.own.linked < 0.9 * block.own.length) return false;
    let at = block.index;
    while (at < block.end && targets[at] === undefined) at++;
    return at < block.end && targets[at] !== '';
  });
  const prose = texts.reduce((sum, block) => sum + ownProse(block), 0);
  if (links.reduce((sum, { own }) => sum + own.length, 0) > 0.3 * prose) return;
  for (const { index } of links) retained.delete(index);
}

/** True for short boxes, each two separated by a paragraph. */
function stayApart(boxes: readonly MeasuredBlock[], texts: readonly number[]): boolean {
  let at = texts.length - 1;
  return boxes.every(({ index, text }, position) => {
    if (text > limits.longestAside) return false;
    while (at >= 0 && (texts[at] as number) > index) at--;
    const before = boxes[position + 1];
    return before === undefined || (texts[at] ?? 0) > before.index;
  });
}

function findTeasers({ blocks }: MeasuredPage, targets: LinkTargets): TeaserList[] {
  const lists = new Map<number, TeaserList>();
  let headline = blocks.length;
  let prose = blocks.length;
  let link = blocks.length;
  let target = '';
  for (let index = blocks.length - 1; index > 0; index--) {
    const block = blocks[index] as MeasuredBlock;
    if (targets[index] !== undefined) link = index;
    if (isHeadline(block) && link < block.end) {
      headline = index;
      target = targets[link] as string;
    } else if (ownProse(block) > 0) prose = index;
    if (target === '' || headline >= block.end || prose < headline) continue;
    if (block.text > limits.longestTeaser || block.paragraphs < 2) continue;
    if (tableParts.has(block.element.localName)) continue;
    const list = getOrInsert(lists, block.shape, (): TeaserList => ({
      boxes: [],
      targets: new Set(),
      withSentence: 0,
    }));
    list.boxes.push(block);
    list.targets.add(target);
    if (block.text - (blocks[headline]?.own.length ?? 0) >= limits.shortestText)
      list.withSentence++;
  }
  return [...lists.values()].filter(
    ({ boxes, targets: { size }, withSentence }) =>
      size >= limits.leastTeasers &&
      size >= 0.8 * boxes.length &&
      withSentence >= 0.5 * boxes.length,
  );
}

function isHeadline({ own }: MeasuredBlock): boolean {
  return own.length >= limits.shortestHeadline && own.linked >= 0.9 * own.length;
}

/** By index of the block: the page of the site that its own or its enclosing link leads to; '' for other sites. */
export type LinkTargets = readonly (string | undefined)[];

export function targetsOf({ blocks, facts }: MeasuredPage): LinkTargets {
  const site = hostOf(facts.url);
  const targets: (string | undefined)[] = [];
  for (const { element, parent, isLinked } of blocks) {
    const href = isLinked && element.localName === 'a' ? element.getAttribute('href') : null;
    if (href === null) targets.push(isLinked ? targets[parent?.index ?? 0] : undefined);
    else targets.push(hostOf(href, site) === site ? href.replace(/#.*/s, '') : '');
  }
  return targets;
}

/** The host of a URL; a relative URL has the host of the page. */
function hostOf(href: string, page = ''): string {
  const [, host] = /^(?:https?:)?\/\/(?:www\.)?([^/?#]+)/i.exec(href) ?? [];
  if (host !== undefined) return host.toLowerCase();
  return /^[a-z][a-z\d+.-]*:/i.test(href) ? '' : page;
}

const tableParts: ReadonlySet<string> = new Set(['table', 'tbody', 'tr', 'td', 'dl']);

/** The paragraphs of a page with their surroundings: features are computed from them. */
import type { DomElement } from '../../html/dom.ts';
import { Evidence, headingEvidence } from './evidence.ts';
import { type MeasuredBlock, headingLevel, measure, ownProse } from './measure.ts';
import type { IndexSet } from './index-set.ts';
import { findNavigationLinks } from './navigation-links.ts';
import { findBeside, findObvious, indexesIn } from './obvious.ts';
import type { PageFacts } from './page-facts.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

/** The measurements of a page. */
export interface MeasuredPage {
  readonly facts: PageFacts;
  /** All elements, the root first. */
  readonly blocks: readonly MeasuredBlock[];
  readonly root: MeasuredBlock;
  /** The outermost boxes that are not content. */
  readonly obvious: readonly MeasuredBlock[];
  /** Paragraphs that are skip links, by the index of the block. */
  readonly skipLinks: IndexSet;
  /** Elements with text of their own, in document order. */
  readonly paragraphs: readonly Paragraph[];
  /** The element whose children hold the most prose, as in Readability. */
  readonly centre: MeasuredBlock;
  /** Position of the page's own heading among the paragraphs, or -1. */
  readonly title: number;
  readonly articles: number;
  /** Prefix sums over the paragraphs, one longer than the list. */
  readonly sums: ParagraphSums;
  /** By index: the siblings of the block's shape, itself included; undefined for a block without text. */
  readonly siblings: readonly (RecordList | undefined)[];
}

interface ParagraphSums {
  readonly prose: Float64Array;
  readonly text: Float64Array;
  readonly link: Float64Array;
}

/** An element with text of its own. */
export interface Paragraph {
  readonly block: MeasuredBlock;
  /** Position in the list. */
  readonly position: number;
  /** The next larger ancestors, each with more text than the one before. */
  readonly around: readonly [MeasuredBlock, MeasuredBlock, MeasuredBlock, MeasuredBlock];
  /** The smallest element that holds it and the page's centre. */
  readonly meeting: MeasuredBlock;
  /** All paragraphs of the same shape. */
  readonly group: ParagraphGroup;
  /** The heading before it, itself included. */
  readonly heading: HeadingContext;
  /** Characters since that heading. */
  readonly sinceHeading: number;
  /** From the last heading to the next. */
  readonly section: PageSection;
  /** Sibling boxes of one shape: the innermost such list around the paragraph, and the next one around it. */
  readonly records: readonly [RecordList, RecordList];
  /** The number of paragraphs with the same text, this one included. */
  readonly copies: number;
  /** The number of such paragraphs before this one. */
  readonly earlierCopies: number;
  /** Inside a box that is not content, or in a navigation link. */
  readonly isObvious: boolean;
}

/** Sums over paragraphs of one shape. */
export interface ParagraphGroup {
  size: number;
  text: number;
  link: number;
  prose: number;
}

/** The paragraphs from a heading to the next, as positions. */
export interface PageSection {
  readonly start: number;
  end: number;
}

/** Siblings of one shape with text: the entries of a list, the cards of a shop, the posts of a thread. */
export interface RecordList {
  readonly members: MeasuredBlock[];
  size: number;
  text: number;
  link: number;
  prose: number;
  images: number;
  headings: number;
  prices: number;
  paragraphs: number;
}

interface HeadingContext {
  readonly position: number;
  readonly level: number;
  readonly length: number;
  /** Below a heading like "Related" or "Comments", up to the next one of its level. */
  readonly isAside: boolean;
}

/** Measures the tree under `root`. */
export function readParagraphs(root: DomElement, facts: PageFacts): MeasuredPage {
  const blocks = measure(root, facts.headWords);
  const page = blocks[0] as MeasuredBlock;
  const withText = blocks.filter(({ own }) => own.length > 0);
  const centre = findCentre(blocks);
  const larger = nextLarger(blocks);
  const meetings = meetingsWith(centre, blocks);
  const groups = groupByShape(withText);
  const obvious = findObvious(blocks);
  const insideObvious = indexesIn(obvious, blocks);
  const title = findTitle(withText, facts.titleWords);
  const beside = indexesIn(findBeside(blocks, facts), blocks);
  const navigation = findNavigationLinks(blocks, withText, facts);
  const paragraphs: Paragraph[] = [];
  const siblings = findSiblings(blocks);
  const records = findRecords(blocks, siblings);
  const counts = new Map<number, number>();
  for (const { own } of withText) counts.set(own.hash, (counts.get(own.hash) ?? 0) + 1);
  const seen = new Map<number, number>();
  let section: PageSection = { start: 0, end: withText.length };
  let heading: HeadingContext = { position: -1, level: 0, length: 0, isAside: false };
  let asideLevel = 7;
  let sinceHeading = 0;
  for (let position = 0; position < withText.length; position++) {
    const block = withText[position] as MeasuredBlock;
    const level = headingLevel(block);
    if (level > 0) {
      const isAside = block.text <= 60 && (headingEvidence(block.element) & asideHeadings) !== 0;
      if (isAside) asideLevel = level;
      else if (level <= asideLevel) asideLevel = 7;
      heading = { position, level, length: block.own.length, isAside: asideLevel < 7 };
      sinceHeading = 0;
      section.end = position;
      section = { start: position, end: withText.length };
    }
    const copies = counts.get(block.own.hash) ?? 1;
    const earlierCopies = copies === 1 ? 0 : (seen.get(block.own.hash) ?? 0);
    if (copies > 1) seen.set(block.own.hash, earlierCopies + 1);
    const first = larger[block.index] ?? page;
    const second = larger[first.index] ?? page;
    const third = larger[second.index] ?? page;
    paragraphs.push({
      block,
      position,
      around: [first, second, third, larger[third.index] ?? page],
      meeting: meetings[block.index] as MeasuredBlock,
      group: groups.get(block.shape) as ParagraphGroup,
      heading,
      sinceHeading,
      section,
      records: records[block.index] as [RecordList, RecordList],
      copies,
      earlierCopies,
      isObvious:
        insideObvious.has(block.index) ||
        beside.has(block.index) ||
        (navigation.all.has(block.index) && position !== title),
    });
    sinceHeading += block.own.length;
  }
  return {
    facts,
    blocks,
    root: page,
    obvious,
    skipLinks: navigation.skip,
    paragraphs,
    centre,
    title,
    articles: blocks.filter(({ evidence }) => (evidence & Evidence.article) !== 0).length,
    sums: sumUp(withText),
    siblings,
  };
}

const asideHeadings =
  Evidence.related | Evidence.comments | Evidence.commentForm | Evidence.promotion;

/** A paragraph counts fully for its parent, and half for its grandparent. */
function findCentre(blocks: readonly MeasuredBlock[]): MeasuredBlock {
  let centre = blocks[0] as MeasuredBlock;
  let best = 0;
  const scores = new Float64Array(blocks.length);
  const add = (block: MeasuredBlock | undefined, amount: number): void => {
    if (block === undefined) return;
    const score = (scores[block.index] as number) + amount;
    scores[block.index] = score;
    if (score <= best) return;
    best = score;
    centre = block;
  };
  for (const block of blocks) {
    const prose = ownProse(block);
    if (prose === 0) continue;
    if (!textElements.has(block.element.localName)) add(block, prose);
    add(block.parent, prose);
    add(block.parent?.parent, prose / 2);
  }
  return centre;
}

const textElements: ReadonlySet<string> = new Set(
  'p pre blockquote ul ol li table dl tbody tr td span'.split(' '),
);

/** By index: the nearest ancestor with a tenth more text; undefined for the last one. */
function nextLarger(blocks: readonly MeasuredBlock[]): (MeasuredBlock | undefined)[] {
  const larger: (MeasuredBlock | undefined)[] = [];
  for (const { parent, text } of blocks) {
    larger.push(
      parent === undefined || parent.text > 1.1 * text + 8 ? parent : larger[parent.index],
    );
  }
  return larger;
}

function meetingsWith(centre: MeasuredBlock, blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const meetings: MeasuredBlock[] = [];
  for (const block of blocks) {
    const holdsCentre = block.index <= centre.index && centre.index < block.end;
    meetings.push(
      holdsCentre || block.parent === undefined
        ? block
        : (meetings[block.parent.index] as MeasuredBlock),
    );
  }
  return meetings;
}

function findSiblings(blocks: readonly MeasuredBlock[]): (RecordList | undefined)[] {
  const lists = new Map<number, RecordList>();
  return blocks.map((block) => {
    const { parent, shape } = block;
    if (parent === undefined || block.text === 0) return undefined;
    const key = parent.index * 2 ** 32 + (shape >>> 0);
    const list = getOrInsert(lists, key, newRecords);
    list.members.push(block);
    list.size++;
    list.text += block.text;
    list.link += block.link;
    list.prose += block.prose;
    list.images += block.images;
    list.headings += block.headings;
    list.prices += block.prices;
    list.paragraphs += block.paragraphs;
    return list;
  });
}

/** By index: the two innermost lists of records around the block, itself included. */
function findRecords(
  blocks: readonly MeasuredBlock[],
  siblings: readonly (RecordList | undefined)[],
): [RecordList, RecordList][] {
  const around: [RecordList, RecordList][] = [];
  for (const { index, parent } of blocks) {
    const above =
      parent === undefined ? nowhere : (around[parent.index] as [RecordList, RecordList]);
    const list = siblings[index];
    around.push(list !== undefined && list.size >= leastRecords ? [list, above[0]] : above);
  }
  return around;
}

const leastRecords = 3;

const noRecords: RecordList = {
  members: [],
  size: 0,
  text: 0,
  link: 0,
  prose: 0,
  images: 0,
  headings: 0,
  prices: 0,
  paragraphs: 0,
};

const newRecords = (): RecordList => ({ ...noRecords, members: [] });

const nowhere: [RecordList, RecordList] = [noRecords, noRecords];

const newGroup = (): ParagraphGroup => ({ size: 0, text: 0, link: 0, prose: 0 });

function groupByShape(paragraphs: readonly MeasuredBlock[]): Map<number, ParagraphGroup> {
  const groups = new Map<number, ParagraphGroup>();
  for (const block of paragraphs) {
    const group = getOrInsert(groups, block.shape, newGroup);
    group.size++;
    group.text += block.own.length;
    group.link += block.own.linked;
    group.prose += ownProse(block);
  }
  return groups;
}

/** The heading that repeats most of `<title>`, an `<h1>` preferred; else the only `<h1>`. */
function findTitle(paragraphs: readonly MeasuredBlock[], titleWords: ReadonlySet<string>): number {
  let title = -1;
  let best = 0.5;
  const firsts: number[] = [];
  for (const [position, block] of paragraphs.entries()) {
    const level = headingLevel(block);
    if (level === 0 || block.text > 300 || isSiteName(block)) continue;
    if (level === 1) firsts.push(position);
    const shared = shareOf(titleWords, block.element.textContent ?? '');
    const score =
      shared * (level === 1 ? 1.5 : 1) * Math.min(1, block.own.length / 15) +
      (level === 1 ? 0.3 : 0);
    if (score > best) {
      best = score;
      title = position;
    }
  }
  return title === -1 && firsts.length === 1 ? (firsts[0] ?? -1) : title;
}

/** A heading that leads to the home page. */
function isSiteName({ own, link, element }: MeasuredBlock): boolean {
  if (link < 0.9 * own.length) return false;
  const href = element.querySelector('a[href]')?.getAttribute('href') ?? '';
  return /^(?:https?:\/\/[^/?#]+)?\/?(?:index\.\w+)?$/.test(href);
}

function shareOf(titleWords: ReadonlySet<string>, text: string): number {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = words.filter((word) => titleWords.has(word)).length;
  return words.length === 0 ? 0 : known / words.length;
}

function sumUp(paragraphs: readonly MeasuredBlock[]): ParagraphSums {
  return {
    prose: runningSums(paragraphs, ownProse),
    text: runningSums(paragraphs, ({ own }) => own.length),
    link: runningSums(paragraphs, ({ own }) => own.linked),
  };
}

function runningSums(
  paragraphs: readonly MeasuredBlock[],
  read: (block: MeasuredBlock) => number,
): Float64Array {
  const sums = new Float64Array(paragraphs.length + 1);
  let sum = 0;
  let end = 0;
  for (const block of paragraphs) sums[++end] = sum += read(block);
  return sums;
}

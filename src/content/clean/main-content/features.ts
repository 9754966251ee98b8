/** The features of a paragraph for the model: one number a line, in a fixed order, each with its name. */
import { Evidence } from './evidence.ts';
import { headingLevel, isStop, type MeasuredBlock } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

/**
 * Writes all features of a paragraph. Lengths are logarithms, positions and amounts are shares, so that pages
 * of all sizes compare. The model refers to features by name; their order has no meaning.
 */
export function readFeatures(row: FeatureRow, at: Paragraph, page: MeasuredPage): void {
  readNextFeatures(row, at, page);
  readPage(row, page);
}

/**
 * Like `readFeatures`, for a row that holds the paragraph `last` of the same page: features of the page, and
 * of elements that contain both, are already in the row.
 */
export function readNextFeatures(
  row: FeatureRow,
  at: Paragraph,
  page: MeasuredPage,
  last?: Paragraph,
): void {
  row.begin();
  readOwn(row, at);
  const { block, around } = at;
  if (last?.block.surroundings === block.surroundings && last.block.depth === block.depth) {
    row.keep(2 * kinds.length);
  } else readSurroundings(row, at, page);
  readAround(row, at, page);
  if (last?.around[0] === around[0]) row.keep(boxFeatures * levels.length);
  else readBoxes(row, at);
  readNeighbours(row, at, page);
  readPosition(row, at, page);
  readSection(row, at, page);
  readRecords(row, at, page);
}

/** The paragraph's own text and element. */
function readOwn(row: FeatureRow, { block }: Paragraph): void {
  const { own, element } = block;
  const { localName } = element;
  row.add('length', log(own.length));
  row.add('plainLength', log(own.length - own.linked));
  row.add('linkShare', own.linked / own.length);
  row.add('stops', Math.min(own.stops, 20));
  row.add('digitShare', own.digits / own.length);
  row.add('currencies', Math.min(3, own.currencies));
  row.add('capitalShare', own.capitals / own.length);
  row.add('commas', Math.min(20, own.commas));
  row.add('words', log(own.words));
  row.add('wordLength', own.length / Math.max(1, own.words));
  row.add('titleWords', own.titleWords / Math.max(1, own.words));
  row.add('describedWords', own.describedWords / Math.max(1, own.words));
  row.add('endsSentence', isStop(own.last) ? 1 : own.last === colon ? 2 : 0);
  row.add('headingLevel', headingLevel(block));
  row.add('isDiv', Number(localName === 'div'));
  row.add('isItem', Number(localName === 'li'));
  row.add('isCode', Number(localName === 'pre'));
  row.add('isCaption', Number(localName === 'figcaption'));
  row.add('depth', block.depth);
  row.add('children', block.children);
  row.add('images', Math.min(block.images, 5));
}

const colon = 0x3a;

/** Kinds of evidence with features; the others are rare, or obvious. */
const kinds = (
  [
    'structural',
    'main',
    'article',
    'navigation',
    'footer',
    'overlay',
    'related',
    'promotion',
    'comments',
    'reviews',
    'byline',
    'callout',
  ] as const
).map((kind) => ({
  index: Math.log2(Evidence[kind]),
  share: `${kind}Share`,
  distance: `${kind}Distance`,
}));

/** By kind of evidence: the size of the outermost box of the kind, and the distance of the innermost. */
function readSurroundings(
  row: FeatureRow,
  { block }: Paragraph,
  { blocks, root }: MeasuredPage,
): void {
  const { outermost, innermost } = block.surroundings;
  for (const { index, share, distance } of kinds) {
    const depth = innermost[index] as number;
    const isInside = depth !== -1;
    row.add(
      share,
      isInside ? (blocks[outermost[index] as number] as MeasuredBlock).text / root.text : 0,
    );
    row.add(distance, isInside ? Math.min(12, block.depth - depth + 1) : 0);
  }
}

const levels = ([0, 1, 2, 3] as const).map((level) => ({
  level,
  linkShare: `around${level}LinkShare`,
  prose: `around${level}Prose`,
  children: `around${level}Children`,
  headings: `around${level}Headings`,
  images: `around${level}Images`,
  controls: `around${level}Controls`,
  prices: `around${level}Prices`,
}));

/** The nearest larger element around the paragraph. */
function readAround(row: FeatureRow, { block, around }: Paragraph, { root }: MeasuredPage): void {
  const [nearest] = around;
  row.add('around0Text', log(nearest.text));
  row.add('around0ProseShare', nearest.prose / (root.prose || 1));
  row.add('around0ParagraphLength', nearest.text / nearest.paragraphs);
  row.add('around0Position', (block.start - nearest.start) / nearest.text);
}

const boxFeatures = 7; // the features of each level that `readBoxes` writes

/** What is in the elements around the paragraph, each larger than the one before. */
function readBoxes(row: FeatureRow, { around }: Paragraph): void {
  for (const names of levels) {
    const box = around[names.level];
    row.add(names.linkShare, box.link / box.text);
    row.add(names.prose, box.prose / box.text);
    row.add(names.children, Math.min(50, box.children));
    row.add(names.headings, box.headings / box.paragraphs);
    row.add(names.images, box.images / box.paragraphs);
    row.add(names.controls, box.controlElements / box.paragraphs);
    row.add(names.prices, box.prices / box.paragraphs);
  }
}

function readSection(row: FeatureRow, at: Paragraph, { sums }: MeasuredPage): void {
  const { start, end } = at.section;
  const text = sumOf(sums.text, start, end);
  row.add('copies', Math.min(10, at.copies));
  row.add('earlierCopies', Math.min(10, at.earlierCopies));
  row.add('sectionText', log(text));
  row.add('sectionParagraphs', Math.min(100, end - start));
  row.add('sectionLinkShare', sumOf(sums.link, start, end) / text);
  row.add('sectionProse', sumOf(sums.prose, start, end) / text);
  row.add('sectionPosition', at.position - start);
}

const lists = ([0, 1] as const).map((level) => ({
  level,
  size: `records${level}Size`,
  length: `records${level}Length`,
  linkShare: `records${level}LinkShare`,
  prose: `records${level}Prose`,
  images: `records${level}Images`,
  headings: `records${level}Headings`,
  prices: `records${level}Prices`,
  paragraphs: `records${level}Paragraphs`,
  share: `records${level}Share`,
}));

function readRecords(row: FeatureRow, { records }: Paragraph, { root }: MeasuredPage): void {
  for (const names of lists) {
    const list = records[names.level];
    const size = list.size || 1;
    const text = list.text || 1;
    row.add(names.size, log(list.size));
    row.add(names.length, log(list.text / size));
    row.add(names.linkShare, list.link / text);
    row.add(names.prose, list.prose / text);
    row.add(names.images, list.images / size);
    row.add(names.headings, list.headings / size);
    row.add(names.prices, list.prices / size);
    row.add(names.paragraphs, list.paragraphs / size);
    row.add(names.share, list.text / root.text);
  }
}

const spans = [4, 10, 25].map((size) => ({
  size,
  proseBefore: `proseOf${size}Before`,
  proseAfter: `proseOf${size}After`,
  linksBefore: `linksOf${size}Before`,
  linksAfter: `linksOf${size}After`,
}));

/** The paragraphs right before and after. */
function readNeighbours(
  row: FeatureRow,
  { position }: Paragraph,
  { paragraphs, sums }: MeasuredPage,
): void {
  const previous = paragraphs[position - 1]?.block.own;
  const next = paragraphs[position + 1]?.block.own;
  row.add('previousLength', previous === undefined ? -1 : log(previous.length));
  row.add('previousLinkShare', previous === undefined ? -1 : previous.linked / previous.length);
  row.add('nextLength', next === undefined ? -1 : log(next.length));
  row.add('nextLinkShare', next === undefined ? -1 : next.linked / next.length);
  for (const names of spans) {
    const before = position - names.size;
    const after = position + 1;
    const end = after + names.size;
    const { prose, link, text } = sums;
    row.add(names.proseBefore, sumOf(prose, before, position) / names.size);
    row.add(names.proseAfter, sumOf(prose, after, end) / names.size);
    row.add(
      names.linksBefore,
      sumOf(link, before, position) / (sumOf(text, before, position) || 1),
    );
    row.add(names.linksAfter, sumOf(link, after, end) / (sumOf(text, after, end) || 1));
  }
}

/** The position in the page, and paragraphs of the same shape. */
function readPosition(row: FeatureRow, at: Paragraph, page: MeasuredPage): void {
  const { block, position, heading, meeting, group } = at;
  const { root, paragraphs, sums, title, centre } = page;
  const proseBefore = sumOf(sums.prose, 0, position);
  const sinceTitle = title === -1 ? 999 : Math.max(-50, Math.min(200, position - title));
  const sinceHeading = heading.position === -1 ? 999 : Math.min(200, position - heading.position);
  row.add('position', position / paragraphs.length);
  row.add('textPosition', block.start / root.text);
  row.add('prosePosition', proseBefore / (root.prose || 1));
  row.add('proseLeft', log(root.prose - proseBefore));
  row.add('paragraphsLeft', Math.min(300, paragraphs.length - position));
  row.add('afterTitle', sinceTitle);
  row.add('headingDistance', sinceHeading);
  row.add('sinceHeading', log(at.sinceHeading));
  row.add('lastHeadingLevel', heading.level);
  row.add('lastHeadingLength', log(heading.length));
  row.add('belowAsideHeading', Number(heading.isAside));
  row.add('inCentre', Number(isWithin(block, centre)));
  row.add('besideCentre', block.index < centre.index ? -1 : block.index < centre.end ? 0 : 1);
  row.add('levelsToMeeting', block.depth - meeting.depth);
  row.add('levelsFromMeeting', Math.min(20, centre.depth - meeting.depth));
  row.add('meetingShare', meeting.text / root.text);
  row.add('centreDistance', distance(block, centre) / root.text);
  row.add('groupSize', log(group.size));
  row.add('groupLength', log(group.text / group.size));
  row.add('groupLinkShare', group.link / group.text);
  row.add('groupShare', group.text / root.text);
  row.add('groupProse', group.prose / (root.prose || 1));
}

function isWithin(block: MeasuredBlock, around: MeasuredBlock): boolean {
  return block.index >= around.index && block.index < around.end;
}

function distance(block: MeasuredBlock, centre: MeasuredBlock): number {
  if (block.index < centre.index) return centre.start - block.start;
  return block.index >= centre.end ? block.start - centre.start - centre.text : 0;
}

/** The sum over the paragraphs from a position up to, but not including, another. */
function sumOf(sums: Float64Array, from: number, to: number): number {
  const start = Math.max(0, from);
  const end = Math.min(sums.length - 1, to);
  return end > start ? (sums[end] ?? 0) - (sums[start] ?? 0) : 0;
}

/** Features shared by all paragraphs of a page: they separate articles from shops. */
function readPage(row: FeatureRow, page: MeasuredPage): void {
  const { root, paragraphs, articles, title, centre, facts } = page;
  row.add('pageText', log(root.text));
  row.add('pageLinkShare', root.link / root.text);
  row.add('pageProse', root.prose / root.text);
  row.add('pageParagraphs', log(paragraphs.length));
  row.add('pageLinks', log(root.links));
  row.add('pageImages', log(root.images));
  row.add('pageControls', Math.min(30, root.controlElements));
  row.add('pageArticles', Math.min(30, articles));
  row.add('pagePrices', Math.min(40, root.prices));
  row.add('titlePosition', title === -1 ? -1 : title / paragraphs.length);
  row.add('centreShare', centre.text / root.text);
  row.add('centreProse', centre.prose / (root.prose || 1));
  row.add('centreLinkShare', centre.link / (centre.text || 1));
  row.add('isArticle', Number(facts.isArticle));
  row.add('isProduct', Number(facts.isProduct));
  row.add('isDiscussion', Number(facts.isDiscussion));
  row.add('isList', Number(facts.isList));
  row.add('pathDepth', facts.pathDepth);
  row.add('lastPartLength', facts.lastPartLength);
  row.add('lastPartHyphens', facts.lastPartHyphens);
  row.add('pathSaysArticle', Number(facts.pathSuggestsArticle));
  row.add('pathSaysDocumentation', Number(facts.pathSuggestsDocumentation));
  row.add('pathSaysList', Number(facts.pathSuggestsList));
}

function log(count: number): number {
  if (count <= 0) return 0;
  return count < knownLogs.length && Number.isInteger(count)
    ? (knownLogs[count] as number)
    : Math.log1p(count);
}

/** A cache for the lengths of most paragraphs. */
const knownLogs: Float64Array = Float64Array.from({ length: 1024 }, (_, count) =>
  Math.log1p(count),
);

// The features of one paragraph: numbers in a fixed order, each with its name.

/** Reused for every paragraph, to avoid an allocation for each. */
export class FeatureRow {
  /** In the order in which features are added, which is always the same. */
  readonly names: string[] = [];
  /** 32 bits each, like the thresholds of the model. */
  readonly values: Float32Array = new Float32Array(mostFeatures);
  #next = 0;

  /** Starts over. */
  begin(): void {
    this.#next = 0;
  }

  /** Skips the next features, leaving their values. */
  keep(count: number): void {
    this.#next += count;
  }

  add(name: string, value: number): void {
    const at = this.#next;
    this.values[at] = value;
    if (at === this.names.length) this.names.push(name);
    this.#next = at + 1;
  }
}

const mostFeatures = 256;

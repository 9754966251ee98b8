/** What the model knows of a paragraph: one number a line. */
import { Evidence } from './evidence.ts';
import { type Block, headingLevel } from './measure.ts';
import { isStop } from './count-text.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';

/** Reads one number of a paragraph. */
export type Feature = (at: Paragraph, page: MeasuredPage) => number;

/** Kinds of evidence that are asked for; the others are rare, or obvious. */
const kinds = [
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
] as const;

const colon = 0x3a;

/**
 * The features by name. Lengths are logarithms, positions and amounts are shares, so that pages of
 * all sizes are alike. The model names the features it uses; nothing reads their order.
 */
export const features: Readonly<Record<string, Feature>> = {
  ...ownFeatures(),
  ...placeFeatures(),
  ...aroundFeatures(),
  ...neighbourFeatures(),
  ...pageFeatures(),
};

/** The paragraph's own text and element. */
function ownFeatures(): Record<string, Feature> {
  return {
    length: ({ block: { own } }) => log(own.length),
    plainLength: ({ block: { own } }) => log(own.length - own.linked),
    linkShare: ({ block: { own } }) => own.linked / own.length,
    stops: ({ block: { own } }) => Math.min(own.stops, 20),
    endsSentence: ({ block: { own } }) => (isStop(own.last) ? 1 : own.last === colon ? 2 : 0),
    headingLevel: ({ block }) => headingLevel(block),
    isDiv: ({ block }) => Number(block.element.localName === 'div'),
    isItem: ({ block }) => Number(block.element.localName === 'li'),
    isCode: ({ block }) => Number(block.element.localName === 'pre'),
    isCaption: ({ block }) => Number(block.element.localName === 'figcaption'),
    depth: ({ block }) => block.depth,
    children: ({ block }) => block.children,
    images: ({ block }) => Math.min(block.images, 5),
  };
}

/** By kind of evidence: how large the outermost box of the kind is, and how near the innermost. */
function placeFeatures(): Record<string, Feature> {
  const found: Record<string, Feature> = {};
  for (const kind of kinds) {
    const index = Math.log2(Evidence[kind]);
    found[`${kind}Share`] = ({ block }, { blocks, root }) => {
      const outermost = blocks[block.place.outermost[index] ?? -1];
      return outermost === undefined ? 0 : outermost.text / root.text;
    };
    found[`${kind}Distance`] = ({ block }) => {
      const innermost = block.place.innermost[index] ?? -1;
      return innermost === -1 ? 0 : Math.min(12, block.depth - innermost + 1);
    };
  }
  return found;
}

/** The elements around it, each larger than the one before. */
function aroundFeatures(): Record<string, Feature> {
  const found: Record<string, Feature> = {
    around0Text: ({ around: [box] }) => log(box.text),
    around0ProseShare: ({ around: [box] }, { root }) => box.prose / (root.prose || 1),
    around0ParagraphLength: ({ around: [box] }) => box.text / box.paragraphs,
    around0Position: ({ block, around: [box] }) => (block.start - box.start) / box.text,
  };
  for (const level of [0, 1, 2, 3] as const) {
    const measure = (name: string, read: (box: Block) => number): void => {
      found[`around${level}${name}`] = ({ around }) => read(around[level]);
    };
    measure('LinkShare', ({ link, text }) => link / text);
    measure('Prose', ({ prose, text }) => prose / text);
    measure('Children', ({ children }) => Math.min(50, children));
    measure('Headings', ({ headings, paragraphs }) => headings / paragraphs);
    measure('Images', ({ images, paragraphs }) => images / paragraphs);
    measure('Controls', ({ controls, paragraphs }) => controls / paragraphs);
  }
  return found;
}

/** What comes before and after, where it stands in the page, what looks like it. */
function neighbourFeatures(): Record<string, Feature> {
  const found: Record<string, Feature> = {
    position: ({ position }, { paragraphs }) => position / paragraphs.length,
    textPosition: ({ block }, { root }) => block.start / root.text,
    prosePosition: ({ position }, { sums, root }) =>
      sumOf(sums.prose, 0, position) / (root.prose || 1),
    proseLeft: ({ position }, { sums, root }) => log(root.prose - sumOf(sums.prose, 0, position)),
    paragraphsLeft: ({ position }, { paragraphs }) => Math.min(300, paragraphs.length - position),
    afterTitle: ({ position }, { title }) =>
      title === -1 ? 999 : Math.max(-50, Math.min(200, position - title)),
    headingDistance: ({ position, heading }) =>
      heading.position === -1 ? 999 : Math.min(200, position - heading.position),
    sinceHeading: ({ sinceHeading }) => log(sinceHeading),
    lastHeadingLevel: ({ heading }) => heading.level,
    lastHeadingLength: ({ heading }) => log(heading.length),
    belowAsideHeading: ({ heading }) => Number(heading.isAside),
    inCentre: ({ block }, { centre }) => Number(isWithin(block, centre)),
    besideCentre: ({ block }, { centre }) =>
      block.index < centre.index ? -1 : block.index < centre.end ? 0 : 1,
    levelsToMeeting: ({ block, meeting }) => block.depth - meeting.depth,
    levelsFromMeeting: ({ meeting }, { centre }) => Math.min(20, centre.depth - meeting.depth),
    meetingShare: ({ meeting }, { root }) => meeting.text / root.text,
    centreDistance: ({ block }, { centre, root }) => distance(block, centre) / root.text,
    groupSize: ({ group }) => log(group.size),
    groupLength: ({ group }) => log(group.text / group.size),
    groupLinkShare: ({ group }) => group.link / group.text,
    groupShare: ({ group }, { root }) => group.text / root.text,
    groupProse: ({ group }, { root }) => group.prose / (root.prose || 1),
  };
  for (const [name, offset] of [
    ['previous', -1],
    ['next', 1],
  ] as const) {
    found[`${name}Length`] = (at, page) => ofNeighbour(at, page, offset, (own) => log(own.length));
    found[`${name}LinkShare`] = (at, page) =>
      ofNeighbour(at, page, offset, (own) => own.linked / own.length);
  }
  for (const size of [4, 10, 25]) {
    found[`proseOf${size}Before`] = ({ position }, { sums }) =>
      sumOf(sums.prose, position - size, position) / size;
    found[`proseOf${size}After`] = ({ position }, { sums }) =>
      sumOf(sums.prose, position + 1, position + 1 + size) / size;
    found[`linksOf${size}Before`] = ({ position }, { sums }) =>
      sumOf(sums.link, position - size, position) /
      (sumOf(sums.text, position - size, position) || 1);
    found[`linksOf${size}After`] = ({ position }, { sums }) =>
      sumOf(sums.link, position + 1, position + 1 + size) /
      (sumOf(sums.text, position + 1, position + 1 + size) || 1);
  }
  return found;
}

function isWithin(block: Block, around: Block): boolean {
  return block.index >= around.index && block.index < around.end;
}

function distance(block: Block, centre: Block): number {
  if (block.index < centre.index) return centre.start - block.start;
  return block.index >= centre.end ? block.start - centre.start - centre.text : 0;
}

function ofNeighbour(
  { position }: Paragraph,
  { paragraphs }: MeasuredPage,
  offset: number,
  read: (own: Block['own']) => number,
): number {
  const neighbour = paragraphs[position + offset];
  return neighbour === undefined ? -1 : read(neighbour.block.own);
}

/** Of the paragraphs from a position up to, not including, another. */
function sumOf(sums: readonly number[], from: number, to: number): number {
  const start = Math.max(0, from);
  const end = Math.min(sums.length - 1, to);
  return end > start ? (sums[end] ?? 0) - (sums[start] ?? 0) : 0;
}

/** The same for every paragraph of a page: by these the model tells articles from shops. */
function pageFeatures(): Record<string, Feature> {
  return {
    pageText: (_at, { root }) => log(root.text),
    pageLinkShare: (_at, { root }) => root.link / root.text,
    pageProse: (_at, { root }) => root.prose / root.text,
    pageParagraphs: (_at, { paragraphs }) => log(paragraphs.length),
    pageLinks: (_at, { root }) => log(root.links),
    pageImages: (_at, { root }) => log(root.images),
    pageControls: (_at, { root }) => Math.min(30, root.controls),
    pageArticles: (_at, { articles }) => Math.min(30, articles),
    pagePrices: (_at, { prices }) => Math.min(40, prices),
    titlePosition: (_at, { title, paragraphs }) => (title === -1 ? -1 : title / paragraphs.length),
    centreShare: (_at, { centre, root }) => centre.text / root.text,
    centreProse: (_at, { centre, root }) => centre.prose / (root.prose || 1),
    centreLinkShare: (_at, { centre }) => centre.link / (centre.text || 1),
    isArticle: (_at, { facts }) => Number(facts.isArticle),
    isProduct: (_at, { facts }) => Number(facts.isProduct),
    isDiscussion: (_at, { facts }) => Number(facts.isDiscussion),
    isList: (_at, { facts }) => Number(facts.isList),
    pathDepth: (_at, { facts }) => facts.pathDepth,
    lastPartLength: (_at, { facts }) => facts.lastPartLength,
    lastPartHyphens: (_at, { facts }) => facts.lastPartHyphens,
    pathSaysArticle: (_at, { facts }) => Number(facts.pathSaysArticle),
    pathSaysDocumentation: (_at, { facts }) => Number(facts.pathSaysDocumentation),
    pathSaysList: (_at, { facts }) => Number(facts.pathSaysList),
  };
}

function log(count: number): number {
  return Math.log1p(Math.max(0, count));
}

/** Links for navigation in the page or the site, recognized by their targets and by repeated labels. */
import type { DomElement } from '../../html/dom.ts';
import { oneLine } from '../../text/plain-text.ts';
import { pageFragment } from '../../../core/url/links.ts';
import { IndexSet } from './index-set.ts';
import { countText, headingLevel, inlineElements, type MeasuredBlock, noText } from './measure.ts';
import type { PageFacts } from './page-facts.ts';

const limits = {
  longestLabel: 40, // characters
  several: 3, // two may be a coincidence
  leastSisters: 20, // a shorter list may be forms, or parts of a series
  sisterWords: 8, // on average: a service and a town
  skipLinks: 12,
  leastRows: 6, // of an index
  longestLine: 120, // characters: a longer line is a headline or a sentence
};

/** Paragraphs of links for navigation, by the index of the block. */
export interface NavigationLinks {
  /** Links that lead around the page or the site, skip links among them. */
  readonly all: IndexSet;
  /** "Skip to content" and the like. */
  readonly skip: IndexSet;
}

/** `paragraphs` are the elements with text of their own, in order. */
export function findNavigationLinks(
  blocks: readonly MeasuredBlock[],
  paragraphs: readonly MeasuredBlock[],
  { url, pathSuggestsDocumentation }: PageFacts,
): NavigationLinks {
  const indexSet = (found: readonly MeasuredBlock[]): IndexSet =>
    new IndexSet(
      blocks.length,
      found.map(({ index }) => index),
    );
  const links = readLinkLines(blocks);
  const lines = links.filter(({ isWhole }) => isWhole);
  const runs = runsOf(lines, paragraphs);
  const skip = findSkipLinks(links, url);
  const all = [
    ...skip,
    ...findRepeatedLabels(links, url),
    ...findNumberedContents(runs, paragraphs, url),
    ...(pathSuggestsDocumentation ? [] : findSisters(runs, blocks[0]?.prose ?? 0)),
    ...findFacets(lines, url),
    ...findClouds(blocks),
    ...findReferences(paragraphs),
  ];
  return { all: indexSet(all), skip: indexSet(skip) };
}

/**
 * "Add to basket", "Read more", "Back to top": the same words for several places. A repeated
 * name leads to the same place again, and dates differ.
 */
function findRepeatedLabels(links: readonly LinkLine[], url: string): MeasuredBlock[] {
  const uses = new Map<
    string,
    { readonly blocks: MeasuredBlock[]; readonly targets: Set<string> }
  >();
  for (const { block, text, href, isWhole } of links) {
    if (block.own.length > limits.longestLabel || block.own.currencies > 0) continue;
    if (!isWhole && text.length < 0.5 * block.own.length) continue;
    const label = text.toLowerCase().replace(leadingCount, '');
    if (!/\p{L}/u.test(label) || /\d|[.!?:]$/.test(label)) continue;
    const use = uses.get(label) ?? { blocks: [], targets: new Set() };
    uses.set(label, use);
    use.blocks.push(block);
    // "Back to top" leads to the same place each time.
    use.targets.add(pageFragment(href, url) === undefined ? href : `${use.blocks.length}`);
  }
  return [...uses.values()].flatMap(({ blocks, targets }) =>
    targets.size >= limits.several ? blocks : [],
  );
}

/** "12 reviews", but not "64 GB" and not "3 May". */
const leadingCount = /^\d[\d.,]* (?=\p{L}{5,}$)/u;

/** Lines of the same shape, one after the other. */
function runsOf(lines: readonly LinkLine[], paragraphs: readonly MeasuredBlock[]): LinkLine[][] {
  const byBlock = new Map(lines.map((line) => [line.block, line]));
  const runs: LinkLine[][] = [];
  let before: MeasuredBlock | undefined;
  for (const block of paragraphs) {
    const line = byBlock.get(block);
    if (line !== undefined) {
      if (before?.shape === block.shape) runs.at(-1)?.push(line);
      else runs.push([line]);
    }
    before = line?.block;
  }
  return runs;
}

/**
 * A numbered table of contents over headings without numbers: a script has generated
 * it. Other tables of contents are left to the model, since many pages have them in their text.
 */
function findNumberedContents(
  runs: readonly (readonly LinkLine[])[],
  paragraphs: readonly MeasuredBlock[],
  url: string,
): MeasuredBlock[] {
  const contents = runs.filter(
    (run) =>
      run.length >= limits.several &&
      run.every(({ text, href }) => /^\d/.test(text) && (pageFragment(href, url) ?? '') !== ''),
  );
  if (contents.length === 0) return [];
  const headings = new Set(
    paragraphs.filter((block) => headingLevel(block) > 0).map(({ element }) => lineOf(element)),
  );
  return contents
    .filter((run) => run.filter(({ text }) => headings.has(text)).length < 0.5 * run.length)
    .flatMap((run) => run.map(({ block }) => block));
}

/**
 * "Albany movers", "Buffalo movers": other pages of a site with the same text for every town.
 * A long list, all with the same first or last word, on a page that has more text of its own. Names of products
 * that list what they are made of are longer.
 */
function findSisters(runs: readonly (readonly LinkLine[])[], prose: number): MeasuredBlock[] {
  return runs
    .filter((run) => {
      if (run.length < limits.leastSisters) return false;
      const words = run.map(({ text }) => text.toLowerCase().match(/\p{L}+/gu) ?? []);
      return (
        words.reduce((sum, own) => sum + own.length, 0) <= limits.sisterWords * run.length &&
        run.reduce((sum, { text }) => sum + text.length, 0) <= prose &&
        Math.max(
          mostEqual(words.map((own) => own.at(0))),
          mostEqual(words.map((own) => own.at(-1))),
        ) >=
          0.8 * run.length
      );
    })
    .flatMap((run) => run.map(({ block }) => block));
}

/** The size of the largest group of equal words. */
function mostEqual(words: readonly (string | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Paragraphs of "Skip to content" and the like, which screen readers offer first. */
function findSkipLinks(links: readonly LinkLine[], url: string): MeasuredBlock[] {
  const lengths = new Map<MeasuredBlock, number>();
  for (const { block, text, href } of links.slice(0, limits.skipLinks)) {
    if (!skipLabels.test(text) || pageFragment(href, url) === undefined) continue;
    lengths.set(block, (lengths.get(block) ?? 0) + lengthOf(text) + 1);
  }
  return [...lengths].flatMap(([block, length]) => (length >= block.own.length ? [block] : []));
}

const skipLabels = new RegExp(
  `^(?:${[
    'skip\\b|jump to\\b|go to (?:main )?content|(?:direkt )?(?:zum|zur) (?:haupt)?(?:inhalt|navigation|suche|menü)',
    'aller (?:au|à la) |passer (?:au|à la) |(?:ir|saltar|pasar) al? |ir para o? ?conteúdo|pular para|saltar para',
    '(?:vai|salta|passa) al |(?:ga )?(?:direct )?naar (?:de )?(?:hoofd)?inhoud|hoppa till|gå til |siirry |przejdź do |перейти к',
  ].join('|')})`,
  'i',
);

/** Filters, orders and further pages of a list: the page's own address with more in its query. */
function findFacets(lines: readonly LinkLine[], url: string): MeasuredBlock[] {
  const page = parsed(url, undefined);
  if (page === undefined) return [];
  const parameters = [...page.searchParams].filter(([name]) => !tracking.test(name));
  return lines
    .filter(({ text, href }) => {
      if (text.length > limits.longestLabel || !href.includes('?')) return false;
      const target = parsed(href, url);
      return (
        target !== undefined &&
        target.host === page.host &&
        target.pathname === page.pathname &&
        target.search !== page.search &&
        parameters.every(([name, value]) => target.searchParams.get(name) === value)
      );
    })
    .map(({ block }) => block);
}

/** Query parameters that record where a visitor came from. */
const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid|srsltid|ref)$/;

function parsed(href: string, base: string | undefined): URL | undefined {
  try {
    return new URL(href, base);
  } catch {
    return undefined;
  }
}

/**
 * Tag clouds, lists of letters or of sections in one line; pictures with names are a gallery. The long rows of an
 * index are none: most rows of their shape are shorter.
 */
function findClouds(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const rows = [...countLinksInRow(blocks)].filter(
    ([{ own, images }, count]) => own.linked >= 0.8 * own.length && images < 0.5 * count,
  );
  const sizes = new Map<number, number>();
  for (const [{ shape }] of rows) sizes.set(shape, (sizes.get(shape) ?? 0) + 1);
  const clouds = rows.filter(([, count]) => count >= 8).map(([block]) => block);
  const cloudSizes = new Map<number, number>();
  for (const { shape } of clouds) cloudSizes.set(shape, (cloudSizes.get(shape) ?? 0) + 1);
  return clouds.filter(({ shape }) => {
    const size = sizes.get(shape) ?? 0;
    return size < limits.leastRows || (cloudSizes.get(shape) ?? 0) >= 0.5 * size;
  });
}

/** "Related: ..." between the paragraphs of an article. */
function findReferences(paragraphs: readonly MeasuredBlock[]): MeasuredBlock[] {
  return paragraphs.filter((block) => {
    const { own, text, element } = block;
    if (own.length > 250 || own.linked < 0.5 * own.length || text !== own.length) return false;
    if (headingLevel(block) > 2) return false;
    const [label = '', rest] = (element.textContent ?? '').slice(0, 60).split(':', 2);
    return (
      rest !== undefined && referenceLabels.has(label.trim().toLowerCase().replace(/\s+/g, ' '))
    );
  });
}

/** Without "see also", which is as often a part of the text. */
const referenceLabels: ReadonlySet<string> = new Set([
  'related',
  'related article',
  'related articles',
  'related story',
  'related stories',
  'related post',
  'related posts',
  'related reading',
  'related video',
  'read more',
  'also read',
  'read also',
  'read next',
  'must read',
  "don't miss",
  'don’t miss',
  'recommended',
  'auch interessant',
  'mehr zum thema',
  'lesen sie auch',
  'lire aussi',
  'à lire aussi',
  'lea también',
  'leia também',
  'leggi anche',
  'lees ook',
  'читайте также',
]);

// Short paragraphs that are links: menus, buttons and lists of other pages consist of them.

/** A paragraph and the link in it. */
interface LinkLine {
  /** The paragraph. */
  readonly block: MeasuredBlock;
  /** Text of the link, white space as single blanks. */
  readonly text: string;
  readonly href: string;
  /** The link is the whole paragraph. */
  readonly isWhole: boolean;
}

/** In document order, one for each link, without headings and table cells: a removed cell would change its row. */
function readLinkLines(blocks: readonly MeasuredBlock[]): LinkLine[] {
  const lines: LinkLine[] = [];
  const isInCell = findCells(blocks);
  for (const link of blocks) {
    const href = link.element.localName === 'a' ? link.element.getAttribute('href') : null;
    if (href === null) continue;
    const block = link.paragraphs === 0 ? paragraphAround(link) : onlyParagraph(link, blocks);
    if (block === undefined || block.own.length === 0 || block.own.length > limits.longestLine)
      continue;
    if (headingLevel(block) > 0 || isInCell[block.index] === true) continue;
    const text = lineOf(link.element);
    const isWhole = block.own.length - lengthOf(text) <= 1; // it may end in a blank
    if (text !== '') lines.push({ block, text, href, isWhole });
  }
  return lines;
}

/** By paragraph: the number of links, less the line breaks. */
function countLinksInRow(blocks: readonly MeasuredBlock[]): Map<MeasuredBlock, number> {
  const counts = new Map<MeasuredBlock, number>();
  for (const inner of blocks) {
    const name = inner.element.localName;
    const isLink = name === 'a' && inner.links > 0 && inner.paragraphs === 0;
    const around = name === 'br' ? inner.parent : isLink ? inner : undefined;
    if (around === undefined) continue;
    const block = paragraphAround(around);
    counts.set(block, (counts.get(block) ?? 0) + (isLink ? 1 : -1));
  }
  return counts;
}

/** By index: true inside table cells. */
function findCells(blocks: readonly MeasuredBlock[]): boolean[] {
  const isInCell: boolean[] = [];
  for (const { parent, element } of blocks) {
    const isCell = element.localName === 'td' || element.localName === 'th';
    isInCell.push(isCell || (parent !== undefined && isInCell[parent.index] === true));
  }
  return isInCell;
}

function paragraphAround(inline: MeasuredBlock): MeasuredBlock {
  let block = inline;
  while (block.parent !== undefined && inlineElements.has(block.element.localName)) {
    block = block.parent;
  }
  return block;
}

/** The only paragraph inside a link around other elements. */
function onlyParagraph(
  { index, end, paragraphs }: MeasuredBlock,
  blocks: readonly MeasuredBlock[],
): MeasuredBlock | undefined {
  if (paragraphs !== 1) return undefined;
  let inner = index;
  while (inner < end && blocks[inner]?.own.length === 0) inner++;
  return blocks[inner];
}

/** The text of an element, white space as single blanks. */
function lineOf(element: DomElement): string {
  return oneLine(element.textContent ?? '');
}

function lengthOf(text: string): number {
  const counts = noText();
  countText(text, counts, false);
  return counts.length;
}

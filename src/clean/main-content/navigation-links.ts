/**
 * Links that lead around the page or the site: known by where they lead and by what is said again
 * and again, whatever their box is called.
 */
import { pageFragment } from '../../url/page-fragment.ts';
import { countLinksInRow, lineOf, type LinkLine, readLinkLines } from './link-lines.ts';
import { type Block, headingLevel } from './measure.ts';
import type { PageFacts } from './page-facts.ts';

/** The indexes of such paragraphs. `paragraphs` are the elements with text of their own, in order. */
export function findNavigationLinks(
  blocks: readonly Block[],
  paragraphs: readonly Block[],
  { url, pathSaysDocumentation }: PageFacts,
): Set<number> {
  const links = readLinkLines(blocks);
  const lines = links.filter(({ isWhole }) => isWhole);
  const runs = runsOf(lines, paragraphs);
  const found = [
    ...findRepeatedLabels(links, url),
    ...findNumberedContents(runs, paragraphs, url),
    ...(pathSaysDocumentation ? [] : findSisters(runs, blocks[0]?.prose ?? 0)),
    ...findFacets(lines, url),
    ...findClouds(blocks),
    ...findReferences(paragraphs),
  ];
  return new Set(found.map(({ index }) => index));
}

/**
 * "Add to basket", "Read more", "Back to top": the same words for several places. A name that is
 * said again leads to the same place again, and dates differ.
 */
function findRepeatedLabels(links: readonly LinkLine[], url: string): Block[] {
  const uses = new Map<string, { readonly blocks: Block[]; readonly targets: Set<string> }>();
  for (const { block, text, href, isWhole } of links) {
    if (block.own.length > longestLabel || (!isWhole && text.length < 0.5 * block.own.length))
      continue;
    const label = text.toLowerCase().replace(leadingCount, '');
    if (!/\p{L}/u.test(label) || /\d|[.!?:]$/.test(label)) continue;
    const use = uses.get(label) ?? { blocks: [], targets: new Set() };
    uses.set(label, use);
    use.blocks.push(block);
    // "Back to top" leads to the same place each time.
    use.targets.add(pageFragment(href, url) === undefined ? href : `${use.blocks.length}`);
  }
  return [...uses.values()].flatMap(({ blocks, targets }) =>
    targets.size >= several ? blocks : [],
  );
}

/** Characters. */
const longestLabel = 40;

/** "12 reviews", but not "64 GB" and not "3 May". */
const leadingCount = /^\d[\d.,]* (?=\p{L}{5,}$)/u;

/** Two may be chance. */
const several = 3;

/** Lines of the same shape, one after the other. */
function runsOf(lines: readonly LinkLine[], paragraphs: readonly Block[]): LinkLine[][] {
  const byBlock = new Map(lines.map((line) => [line.block, line]));
  const runs: LinkLine[][] = [];
  let before: Block | undefined;
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
 * A table of contents that counts the headings, which do not count themselves: a script has made
 * it. Others are left to the model, many a page has them in its text.
 */
function findNumberedContents(
  runs: readonly (readonly LinkLine[])[],
  paragraphs: readonly Block[],
  url: string,
): Block[] {
  const contents = runs.filter(
    (run) =>
      run.length >= several &&
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
 * "Albany movers", "Buffalo movers": the other pages of a site that says the same of every town.
 * A long list, all with the same first or last word, on a page that has more text of its own.
 */
function findSisters(runs: readonly (readonly LinkLine[])[], prose: number): Block[] {
  return runs
    .filter((run) => {
      if (run.length < leastSisters) return false;
      const words = run.map(({ text }) => text.toLowerCase().match(/\p{L}+/gu) ?? []);
      return (
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

/** Fewer may be forms, or parts of a series. */
const leastSisters = 20;

/** How many are the same. */
function mostEqual(words: readonly (string | undefined)[]): number {
  const counts = new Map<string, number>();
  for (const word of words) if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(0, ...counts.values());
}

/** Filters, orders and further pages of a list: the page's own address with more in its query. */
function findFacets(lines: readonly LinkLine[], url: string): Block[] {
  const page = parsed(url, undefined);
  if (page === undefined) return [];
  const asked = [...page.searchParams].filter(([name]) => !tracking.test(name));
  return lines
    .filter(({ text, href }) => {
      if (text.length > longestLabel || !href.includes('?')) return false;
      const target = parsed(href, url);
      return (
        target !== undefined &&
        target.host === page.host &&
        target.pathname === page.pathname &&
        target.search !== page.search &&
        asked.every(([name, value]) => target.searchParams.get(name) === value)
      );
    })
    .map(({ block }) => block);
}

/** Parameters that say where a visitor came from. */
const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid|srsltid|ref)$/;

function parsed(href: string, base: string | undefined): URL | undefined {
  try {
    return new URL(href, base);
  } catch {
    return undefined;
  }
}

/** Tag clouds, lists of letters or of sections in one line; pictures with names are a gallery. */
function findClouds(blocks: readonly Block[]): Block[] {
  return [...countLinksInRow(blocks)]
    .filter(([{ own, images }, count]) => {
      return count >= 8 && own.linked >= 0.8 * own.length && images < 0.5 * count;
    })
    .map(([block]) => block);
}

/** "Related: ..." between the paragraphs of an article. */
function findReferences(paragraphs: readonly Block[]): Block[] {
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

/** "Read more" and "see also" are as often a part of the text. */
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

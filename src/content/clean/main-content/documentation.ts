/** The content of documentation, by the element names of its generator. */
import { isMain } from '../../html/dom.ts';
import { pageFragment } from '../../../core/url/links.ts';
import { contentsMarks, generators } from './documentation-generators.ts';
import { Evidence, generatorMark } from './evidence.ts';
import type { IndexSet } from './index-set.ts';
import { type MeasuredBlock, headingLevel, ownProse } from './measure.ts';
import { indexesIn } from './obvious.ts';
import type { MeasuredPage } from './paragraphs.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

/**
 * On a page by a known generator, keeps what it marks as content, and the title if it is outside. Reference
 * pages are full of names, signatures and lists of links, which resemble menus: the generator knows better.
 * False for other pages.
 */
export function keepDocumentation(page: MeasuredPage, retained: IndexSet): boolean {
  const generated = findGenerated(page.blocks, page.facts.url);
  if (generated === undefined || !holdsMost(page, generated.inside, retained)) return false;
  keepGenerated(page, generated, retained);
  return true;
}

/** True if most chosen sentences are inside: other sites use some of the names, too. */
function holdsMost({ paragraphs }: MeasuredPage, inside: IndexSet, retained: IndexSet): boolean {
  let all = 0;
  let held = 0;
  for (const { block } of paragraphs) {
    if (!retained.has(block.index)) continue;
    const prose = ownProse(block);
    all += prose;
    if (inside.has(block.index)) held += prose;
  }
  return held >= 0.5 * all;
}

function keepGenerated(
  { paragraphs, obvious, title }: MeasuredPage,
  { inside, added }: GeneratedContent,
  retained: IndexSet,
): void {
  for (const { index, end, evidence } of obvious) {
    if ((evidence & Evidence.structural) !== 0 && inside.has(index)) inside.deleteRange(index, end);
  }
  let hasTitle = false;
  for (const { block } of paragraphs) {
    if (!inside.has(block.index)) {
      retained.delete(block.index);
      continue;
    }
    retained.add(block.index);
    const level = headingLevel(block);
    hasTitle ||= level === 1 || level === 2;
  }
  const titleBlock = paragraphs[title]?.block;
  if (!hasTitle && titleBlock !== undefined) retained.add(titleBlock.index);
  // They may be within a retained line.
  for (const { element } of added) element.remove();
}

/** The parts of a page that a known generator of documentation has made. */
interface GeneratedContent {
  /** Indexes of everything in the content boxes, without the additions. */
  readonly inside: IndexSet;
  /** Additions of the generator: links to sources, buttons, lists of the page's own headings. */
  readonly added: readonly MeasuredBlock[];
}

/** The content that the generator marks; undefined for other pages. */
function findGenerated(
  blocks: readonly MeasuredBlock[],
  url: string,
): GeneratedContent | undefined {
  const marked = findMarks(blocks);
  if (marked.size < 2) return undefined;
  const find = (marks: readonly string[]): MeasuredBlock[] =>
    marks.flatMap((mark) => marked.get(mark) ?? []);
  for (const { boxes, signs, additions = [] } of generators) {
    if (!signs.some((sign) => marked.has(sign))) continue;
    const inside = indexesIn(find(boxes), blocks);
    const contents = find(contentsMarks).filter((box) => leadsToPage(box, blocks, url));
    const added = [...find(additions), ...contents].filter(({ index }) => inside.has(index));
    for (const { index, end } of added) inside.deleteRange(index, end);
    const length = blocks.reduce(
      (sum, { index, own }) => (inside.has(index) ? sum + own.length : sum),
      0,
    );
    if (length >= leastContent) return { inside, added };
  }
  return undefined;
}

const leastContent = 200; // characters; with fewer, the page is another one of the site

/** True for a table of contents of the page itself. */
function leadsToPage(
  { index, end }: MeasuredBlock,
  blocks: readonly MeasuredBlock[],
  url: string,
): boolean {
  let links = 0;
  let own = 0;
  for (const { element } of blocks.slice(index, end)) {
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    if (href === null) continue;
    links++;
    if (pageFragment(href, url) !== undefined) own++;
  }
  return own > 0 && own >= 0.8 * links;
}

/** The elements with known names, by `#id` and `.class`, and `main`. */
function findMarks(blocks: readonly MeasuredBlock[]): Map<string, MeasuredBlock[]> {
  const marked = new Map<string, MeasuredBlock[]>();
  const add = (mark: string, block: MeasuredBlock): void => {
    getOrInsert(marked, mark, () => []).push(block);
  };
  for (const block of blocks) {
    const { element, evidence } = block;
    if ((evidence & Evidence.main) !== 0 && isMain(element)) add('main', block);
    if ((evidence & generatorMark) === 0) continue;
    const id = element.getAttribute('id');
    if (id !== null) add(`#${id}`, block);
    for (const name of new Set(element.getAttribute('class')?.split(/\s+/))) add(`.${name}`, block);
  }
  return marked;
}

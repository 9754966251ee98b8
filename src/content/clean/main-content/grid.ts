/** The grid of a category page, a list of offers or articles: all entries stay, each with name and price. */
import type { DomElement } from '../../html/dom.ts';
import { IndexSet } from './index-set.ts';
import { headingLevel, type MeasuredBlock, ownProse } from './measure.ts';
import type { MeasuredPage, Paragraph } from './paragraphs.ts';
import { getOrInsert } from '../../../core/runtime/get-or-insert.ts';

const limits = {
  labelShare: 0.9, // of the texts in one column, or of the entries
  longestIntroduction: 2000, // characters of sentences; below a longer text the grid is secondary
  longestEntry: 600, // characters
  leastOffers: 4,
  leastHeadlines: 6,
};

/** Entries of one shape, anywhere on the page. */
interface Grid {
  readonly entries: MeasuredBlock[];
  text: number;
  prose: number;
  prices: number;
  /** Entries with a heading that is a link. */
  headlines: number;
  /** Entries below a heading such as "Related". */
  aside: number;
  isOffers: boolean;
}

/** Keeps the entries of the page's largest grid. */
export function keepGrid(page: MeasuredPage, retained: IndexSet): void {
  const grid = findGrid(page);
  if (grid === undefined) return;
  const { entries, isOffers } = grid;
  const inGrid = new Uint8Array(page.blocks.length);
  for (const { index, end } of entries) inGrid.fill(1, index, end);
  const values = findValues(entries, page.blocks);
  for (const { block, isObvious, copies } of page.paragraphs) {
    if (inGrid[block.index] !== 1 || (isObvious && block.prices === 0)) continue;
    // Labels that many entries have: "Quick view".
    const isLabel = copies >= 3 && block.own.digits === 0 && ownProse(block) === 0;
    if (isLabel && !values.has(block.index)) retained.delete(block.index);
    else if (isOffers || headingLevel(block) > 0 || ownProse(block) > 0) retained.add(block.index);
  }
  for (const entry of entries) linkOnce(entry, page.blocks);
}

/**
 * Texts that differ between entries at the same position, such as "In stock" and "Sold out", or a feature
 * that only some entries have. A text that nearly all share is a label; links and buttons are labels.
 */
function findValues(entries: readonly MeasuredBlock[], blocks: readonly MeasuredBlock[]): IndexSet {
  const positions = new Map<number, MeasuredBlock[]>();
  for (const { index, end, depth } of entries) {
    for (let at = index; at < end; at++) {
      const block = blocks[at] as MeasuredBlock;
      const { own, shape, controlElements } = block;
      if (own.length === 0 || own.linked > 0.5 * own.length || controlElements > 0) continue;
      const key = (block.depth - depth) * 2 ** 32 + (shape >>> 0);
      getOrInsert(positions, key, () => []).push(block);
    }
  }
  const values = new IndexSet(blocks.length);
  for (const blocksThere of positions.values()) {
    const counts = new Map<number, number>();
    for (const { own } of blocksThere) counts.set(own.hash, (counts.get(own.hash) ?? 0) + 1);
    for (const { index, own } of blocksThere) {
      if (
        (counts.get(own.hash) ?? 0) <
        limits.labelShare * Math.min(blocksThere.length, entries.length)
      )
        values.add(index);
    }
  }
  return values;
}

/**
 * Leaves only the name as a link where an entry links to one page several times: pictures, prices and review
 * counts are unlinked.
 */
function linkOnce({ index, end }: MeasuredBlock, blocks: readonly MeasuredBlock[]): void {
  const names = new Map<string, { readonly element: DomElement; readonly letters: number }>();
  for (let at = index; at < end; at++) {
    const block = blocks[at] as MeasuredBlock;
    const { element } = block;
    const href = element.localName === 'a' ? element.getAttribute('href') : null;
    if (href === null) continue;
    const target = href.replace(/#.*/s, '');
    const letters = lettersIn(block);
    const other = names.get(target);
    if (other === undefined || letters > other.letters) {
      other?.element.removeAttribute('href');
      names.set(target, { element, letters });
    } else element.removeAttribute('href');
  }
}

/** Letters of a name; headings count more than plain lines. */
function lettersIn({ element, headings, owner }: MeasuredBlock): number {
  const letters = (element.textContent ?? '').slice(0, 500).match(/\p{L}/gu)?.length ?? 0;
  return headings > 0 || (owner !== undefined && headingLevel(owner) > 0)
    ? letters + 1000
    : letters;
}

function findGrid({ blocks, paragraphs, root, sums }: MeasuredPage): Grid | undefined {
  const grids = new Map<number, Grid>();
  const about = new Map<number, Paragraph>(
    paragraphs.map((paragraph) => [paragraph.block.index, paragraph]),
  );
  let next: Paragraph | undefined;
  const first: (Paragraph | undefined)[] = [];
  for (let index = blocks.length - 1; index >= 0; index--) {
    next = about.get(index) ?? next;
    first[index] = next;
  }
  const headlines = countHeadlines(blocks);
  for (const block of blocks) {
    if (block.text === 0 || block.text > limits.longestEntry || block.paragraphs < 2) continue;
    if (block.links === 0 && !block.isLinked) continue;
    const hasHeadline = (headlines[block.end] as number) > (headlines[block.index] as number);
    if (block.prices === 0 && !hasHeadline) continue;
    const paragraph = first[block.index];
    if (paragraph === undefined || paragraph.isObvious) continue;
    const grid = getOrInsert(grids, block.shape, (): Grid => ({ ...noGrid, entries: [] }));
    if (block.index < (grid.entries.at(-1)?.end ?? 0)) continue;
    grid.entries.push(block);
    grid.text += block.text;
    grid.prose += block.prose;
    if (block.prices > 0) grid.prices++;
    if (hasHeadline) grid.headlines++;
    if (paragraph.heading.isAside) grid.aside++;
  }
  let best: Grid | undefined;
  for (const grid of grids.values()) {
    const size = grid.entries.length;
    if (grid.aside > 0.5 * size) continue;
    const proseBefore =
      sums.prose[first[(grid.entries[0] as MeasuredBlock).index]?.position ?? 0] ?? 0;
    if (proseBefore > limits.longestIntroduction) continue;
    grid.isOffers =
      grid.prices >= 0.5 * size && size >= limits.leastOffers && grid.text >= 0.1 * root.text;
    const isHeadlines =
      grid.headlines >= 0.8 * size &&
      size >= limits.leastHeadlines &&
      grid.text >= 0.3 * root.text &&
      proseBefore <= 600 &&
      root.prose - grid.prose <= grid.text;
    if ((grid.isOffers || isHeadlines) && grid.text > (best?.text ?? 0)) best = grid;
  }
  return best;
}

const noGrid = { text: 0, prose: 0, prices: 0, headlines: 0, aside: 0, isOffers: false };

/** By index: the number of linked headings before the block. */
function countHeadlines(blocks: readonly MeasuredBlock[]): number[] {
  let count = 0;
  const counts = blocks.map((block) => {
    const before = count;
    if (headingLevel(block) > 0 && (block.links > 0 || block.isLinked)) count++;
    return before;
  });
  return [...counts, count];
}

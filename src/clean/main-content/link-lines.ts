/** Short paragraphs that are links: menus, buttons and lists of other pages are made of them. */
import type { DomElement } from '../../html/dom.ts';
import { oneLine } from '../../text/one-line.ts';
import { countText, noText } from './count-text.ts';
import { type Block, headingLevel, inlineElements } from './measure.ts';

/** A paragraph and the link in it. */
export interface LinkLine {
  /** The paragraph. */
  readonly block: Block;
  /** Of the link, white space as single blanks. */
  readonly text: string;
  readonly href: string;
  /** The link is all there is. */
  readonly isWhole: boolean;
}

/** Characters: more is a headline or a sentence. */
const longestLine = 120;

/** In document order, one for each link. Headings are left out, and cells of tables: a row without one is another row. */
export function readLinkLines(blocks: readonly Block[]): LinkLine[] {
  const lines: LinkLine[] = [];
  const isInCell = findCells(blocks);
  for (const link of blocks) {
    const href = link.element.localName === 'a' ? link.element.getAttribute('href') : null;
    if (href === null) continue;
    const block = link.paragraphs === 0 ? paragraphAround(link) : onlyParagraph(link, blocks);
    if (block === undefined || block.own.length === 0 || block.own.length > longestLine) continue;
    if (headingLevel(block) > 0 || isInCell[block.index] === true) continue;
    const text = lineOf(link.element);
    const isWhole = block.own.length - lengthOf(text) <= 1; // it may end in a blank
    if (text !== '') lines.push({ block, text, href, isWhole });
  }
  return lines;
}

/** By paragraph: how many links are in it on a line. */
export function countLinksInRow(blocks: readonly Block[]): Map<Block, number> {
  const counts = new Map<Block, number>();
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

/** By index. */
function findCells(blocks: readonly Block[]): boolean[] {
  const isInCell: boolean[] = [];
  for (const { parent, element } of blocks) {
    const isCell = element.localName === 'td' || element.localName === 'th';
    isInCell.push(isCell || (parent !== undefined && isInCell[parent.index] === true));
  }
  return isInCell;
}

function paragraphAround(inline: Block): Block {
  let block = inline;
  while (block.parent !== undefined && inlineElements.has(block.element.localName)) {
    block = block.parent;
  }
  return block;
}

/** Inside of a link around other elements. */
function onlyParagraph(
  { index, end, paragraphs }: Block,
  blocks: readonly Block[],
): Block | undefined {
  if (paragraphs !== 1) return undefined;
  let inner = index;
  while (inner < end && blocks[inner]?.own.length === 0) inner++;
  return blocks[inner];
}

/** The text of an element, white space as single blanks. */
export function lineOf(element: DomElement): string {
  return oneLine(element.textContent ?? '');
}

function lengthOf(text: string): number {
  const counts = noText();
  countText(text, counts, false);
  return counts.length;
}

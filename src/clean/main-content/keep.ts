/** Cuts a tree down to the paragraphs that were chosen, and what belongs to them. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { Evidence } from './evidence.ts';
import { type Block, headingLevel } from './measure.ts';
import type { MeasuredPage } from './paragraphs.ts';

/**
 * Removes everything else. Tables, lists and code are kept or removed as one where most of them was
 * chosen; pictures and rules follow the text around them; a heading goes with what it stands over.
 */
export function keep(page: MeasuredPage, chosen: ReadonlySet<number>): void {
  const { blocks, root } = page;
  const kept = new Set(chosen);
  const title = page.paragraphs[page.title];
  if (title !== undefined) kept.add(title.block.index);
  fillWholes(blocks, kept);
  keepLabels(page, kept);
  dropEmptyHeadings(page, kept);
  const stays = markWhatStays(blocks, kept);
  for (let index = 1; index < blocks.length;) {
    const { element, own, end } = blocks[index] as Block;
    if (stays[index] === true) {
      if (own.length > 0 && !kept.has(index)) removeTexts(element);
      index++;
    } else {
      element.remove();
      index = end;
    }
  }
  if (root.own.length > 0 && !kept.has(root.index)) removeTexts(root.element);
  narrow(root.element);
}

/** Characters of text that is kept, by element. */
type KeptText = (block: Block) => number;

function sumKept(blocks: readonly Block[], kept: ReadonlySet<number>): KeptText {
  const sums = new Array<number>(blocks.length).fill(0);
  const textOf: KeptText = ({ index }) => sums[index] ?? 0;
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index] as Block;
    const sum = textOf(block) + (kept.has(index) ? block.own.length : 0);
    sums[index] = sum;
    if (block.parent !== undefined) sums[block.parent.index] = textOf(block.parent) + sum;
  }
  return textOf;
}

/** What makes no sense in pieces. */
const wholes: ReadonlySet<string> = new Set([
  'table',
  'ul',
  'ol',
  'dl',
  'pre',
  'figure',
  'blockquote',
]);

/** A table with headings or sentences may be there for the layout only. */
function isWhole({ element, text, headings, prose }: Block): boolean {
  if (text === 0 || !wholes.has(element.localName)) return false;
  return element.localName !== 'table' || (headings === 0 && prose <= 0.5 * text);
}

function fillWholes(blocks: readonly Block[], kept: Set<number>): void {
  const keptText = sumKept(blocks, kept);
  for (let index = 1; index < blocks.length; index++) {
    const block = blocks[index] as Block;
    if (!isWhole(block) || keptText(block) < 0.7 * block.text) continue;
    for (let inside = index; inside < block.end; inside++) {
      if ((blocks[inside] as Block).own.length > 0) kept.add(inside);
    }
    index = block.end - 1;
  }
}

/** A few words above code say what it is. */
function keepLabels({ paragraphs }: MeasuredPage, kept: Set<number>): void {
  for (const [position, { block, isObvious }] of paragraphs.entries()) {
    const next = paragraphs[position + 1]?.block;
    if (isObvious || next === undefined || block.own.length > longestLabel) continue;
    if (next.element.localName === 'pre' && kept.has(next.index)) kept.add(block.index);
  }
}

/** Characters. */
const longestLabel = 80;

/** A heading is dropped with the text below it, up to the next heading that is not below it. */
function dropEmptyHeadings({ paragraphs, title }: MeasuredPage, kept: Set<number>): void {
  const open: { level: number; index: number; had: boolean; has: boolean }[] = [];
  const close = (level: number): void => {
    for (let last = open.at(-1); last !== undefined && last.level >= level; last = open.at(-1)) {
      open.pop();
      if (last.had && !last.has) kept.delete(last.index);
    }
  };
  for (const { block, position, isObvious } of paragraphs) {
    if (isObvious) continue;
    const level = headingLevel(block);
    if (level > 0) {
      close(level);
      if (kept.has(block.index) && position !== title) {
        open.push({ level, index: block.index, had: false, has: false });
      }
    }
    for (const heading of open) {
      if (heading.index === block.index) continue;
      heading.had = true;
      if (kept.has(block.index)) heading.has = true;
    }
  }
  close(0);
}

/** By index: what was chosen, what belongs to it, and all that is around those. */
function markWhatStays(blocks: readonly Block[], kept: ReadonlySet<number>): boolean[] {
  const keptText = sumKept(blocks, kept);
  const first = blocks.findIndex(({ index }) => kept.has(index));
  const last = blocks.findLastIndex(({ index }) => kept.has(index));
  const stays = blocks.map((block) => {
    if (block.text > 0) return keptText(block) > 0;
    const isBetween = block.index > first && block.index < last;
    if (block.images > 0) {
      return pictures.has(block.element.localName) && isBetween && belongs(block, keptText);
    }
    // An inline element of the paragraph around it, a line between paragraphs.
    const around = nextWithText(block);
    if (around.own.length > 0) return kept.has(around.index);
    return isBetween && keptText(around) >= 0.5 * around.text;
  });
  for (let index = blocks.length - 1; index > 0; index--) {
    const { parent } = blocks[index] as Block;
    if (stays[index] === true && parent !== undefined) stays[parent.index] = true;
  }
  return stays;
}

const pictures: ReadonlySet<string> = new Set(['img', 'video']);

function nextWithText(block: Block): Block {
  let around = block;
  while (around.text === 0 && around.parent !== undefined) around = around.parent;
  return around;
}

/** Characters: a longer text beside a picture is no caption. */
const longestCaption = 300;

/** A picture belongs to the kept text around it, also where its caption is not kept. */
function belongs(picture: Block, keptText: KeptText): boolean {
  let around = nextWithText(picture);
  while (keptText(around) === 0 && around.parent !== undefined) {
    const { text, link, evidence, parent } = around;
    if (text > longestCaption || link > 0.5 * text || (evidence & aside) !== 0) return false;
    around = parent;
  }
  return keptText(around) >= 0.15 * around.text;
}

/** Boxes whose pictures are logos, portraits and covers. */
const aside =
  Evidence.navigation |
  Evidence.footer |
  Evidence.share |
  Evidence.related |
  Evidence.promotion |
  Evidence.byline |
  Evidence.comments;

/** The element's own text goes, the paragraphs inside of it stay. */
function removeTexts(element: DomElement): void {
  let node: DomNode | null = element.firstChild;
  while (node !== null) {
    const next: DomNode | null = node.nextSibling;
    if (isText(node)) element.removeChild(node);
    node = next;
  }
}

/** The innermost box around all that is left takes the place of the boxes around it. */
function narrow(root: DomElement): void {
  let box: DomElement | undefined;
  for (let only = onlyChild(root); only !== undefined; only = onlyChild(only)) {
    if (!wrappers.has(only.localName)) break;
    if (!tableParts.has(only.localName)) box = only;
  }
  if (box === undefined || box.parentNode === root) return;
  while (root.firstChild !== null) root.removeChild(root.firstChild);
  root.appendChild(box);
}

const tableParts: ReadonlySet<string> = new Set(['table', 'tbody', 'tr', 'td']);

const wrappers: ReadonlySet<string> = new Set([
  ...tableParts,
  ...['div', 'main', 'article', 'section', 'center', 'form'],
]);

function onlyChild(root: DomElement): DomElement | undefined {
  let only: DomElement | undefined;
  for (let node = root.firstChild; node !== null; node = node.nextSibling) {
    if (isText(node) && /\S/.test(node.data)) return undefined;
    if (!isElement(node)) continue;
    if (only !== undefined) return undefined;
    only = node;
  }
  return only;
}

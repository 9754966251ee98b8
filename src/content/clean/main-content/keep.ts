/** Reduces a tree to the retained paragraphs. */
import { type DomElement, type DomNode, isElement, isText } from '../../html/dom.ts';
import { Evidence, isInside } from './evidence.ts';
import { IndexSet } from './index-set.ts';
import type { MeasuredBlock } from './measure.ts';
import type { MeasuredPage } from './paragraphs.ts';

/** Removes everything else; pictures and rules follow the text around them. */
export function keep({ blocks, root }: MeasuredPage, retained: IndexSet): void {
  const stays = markWhatStays(blocks, retained);
  for (let index = 1; index < blocks.length;) {
    const { element, own, end } = blocks[index] as MeasuredBlock;
    if (stays.has(index)) {
      if (own.length > 0 && !retained.has(index)) removeTexts(element);
      index++;
    } else {
      element.remove();
      index = end;
    }
  }
  if (root.own.length > 0 && !retained.has(root.index)) removeTexts(root.element);
  narrowTree(root.element);
}

/** The chosen elements, the elements that belong to them, and their ancestors, by index. */
function markWhatStays(blocks: readonly MeasuredBlock[], retained: IndexSet): IndexSet {
  const retainedText = sumRetained(blocks, retained);
  const first = blocks.findIndex(({ index }) => retained.has(index));
  const last = blocks.findLast(({ index }) => retained.has(index));
  const withText = nearestWithText(blocks);
  const holders = holdersOf(blocks, retained);
  const staysByItself = (block: MeasuredBlock): boolean => {
    const { index, text, images, element, owner } = block;
    // An inline element's text counts for its owner; its own sum counts only the boxes in it.
    if (text > 0)
      return (
        (retainedText[index] as number) > 0 || (owner !== undefined && retained.has(owner.index))
      );
    const nearest = withText[index] as MeasuredBlock;
    const around = nearest.owner ?? nearest;
    const isBetween = index > first && index < (last?.end ?? 0);
    if (!isBetween && media.has(element.localName))
      return endsContent(block, around, holders, retainedText);
    if (images > 0) {
      return (
        pictureElements.has(element.localName) &&
        isBetween &&
        belongsToRetained(around, retainedText)
      );
    }
    // An inline element of its paragraph, or a line between paragraphs.
    if (around.own.length > 0) return retained.has(around.index);
    return isBetween && (retainedText[around.index] as number) >= 0.5 * around.text;
  };
  const stays = new IndexSet(blocks.length);
  for (let index = blocks.length - 1; index >= 0; index--) {
    const block = blocks[index] as MeasuredBlock;
    if (!stays.has(index) && !staysByItself(block)) continue;
    if (media.has(block.element.localName)) stays.addRange(index, block.end);
    stays.add(index);
    if (block.parent !== undefined) stays.add(block.parent.index);
  }
  return stays;
}

const pictureElements: ReadonlySet<string> = new Set(['img', 'video']);

/** Content without words. */
const media: ReadonlySet<string> = new Set('audio embed iframe img math object video'.split(' '));

/**
 * True for media before the first or after the last retained text that belong to it: in the main part of the
 * page, or in a box with retained text of its own. Elsewhere they are logos and banners.
 */
function endsContent(
  block: MeasuredBlock,
  around: MeasuredBlock,
  holdsRetained: IndexSet,
  retainedText: RetainedText,
): boolean {
  let outer = block;
  for (let box: MeasuredBlock | undefined = block; box !== undefined && box !== around;) {
    if ((box.evidence & (asideElements | besideContent)) !== 0) return false;
    outer = box;
    box = box.parent;
  }
  const { surroundings, element } = block;
  const names = namesOf(element);
  if (/logo/i.test(names)) return false;
  if (isInside(surroundings, Evidence.main) || isInside(surroundings, Evidence.article))
    return belongsToRetained(around, retainedText);
  // Directly in the body, any box may be a banner.
  if (around.parent === undefined && boxElements.has(outer.element.localName)) return false;
  return holdsRetained.has(around.index) && !/banner|brand/i.test(names);
}

const besideContent = Evidence.aside | Evidence.overlay | Evidence.consent;

const boxElements: ReadonlySet<string> = new Set('div header section'.split(' '));

function namesOf(element: DomElement): string {
  const values = ['src', 'alt', 'class', 'id'].map((name) => element.getAttribute(name) ?? '');
  return values.join(' ').slice(0, 1_000);
}

/** Elements that are the parent of a retained paragraph. */
function holdersOf(blocks: readonly MeasuredBlock[], retained: IndexSet): IndexSet {
  const holders = new IndexSet(blocks.length);
  for (const { index, parent } of blocks) {
    if (retained.has(index) && parent !== undefined) holders.add(parent.index);
  }
  return holders;
}

/** By index: the element itself, or its nearest ancestor that has text. */
function nearestWithText(blocks: readonly MeasuredBlock[]): MeasuredBlock[] {
  const nearest: MeasuredBlock[] = [];
  for (const block of blocks) {
    const { text, parent } = block;
    nearest.push(
      text > 0 || parent === undefined ? block : (nearest[parent.index] as MeasuredBlock),
    );
  }
  return nearest;
}

const longestCaption = 300; // characters; a longer text beside a picture is not a caption

/** A picture belongs to the retained text around it, even if its caption is dropped. */
function belongsToRetained(nearest: MeasuredBlock, retainedText: RetainedText): boolean {
  let around = nearest;
  while (retainedText[around.index] === 0 && around.parent !== undefined) {
    const { text, link, evidence, parent } = around;
    if (text > longestCaption || link > 0.5 * text || (evidence & asideElements) !== 0)
      return false;
    around = parent;
  }
  return (retainedText[around.index] as number) >= 0.05 * around.text;
}

/** Boxes whose pictures are logos, portraits and covers. */
const asideElements =
  Evidence.navigation |
  Evidence.footer |
  Evidence.share |
  Evidence.related |
  Evidence.promotion |
  Evidence.byline |
  Evidence.comments;

/** Removes the element's own text; the paragraphs inside it stay. */
function removeTexts(element: DomElement): void {
  let node: DomNode | null = element.firstChild;
  while (node !== null) {
    const next: DomNode | null = node.nextSibling;
    if (isText(node)) element.removeChild(node);
    node = next;
  }
}

/** Replaces the boxes around the remaining content by the innermost one. */
function narrowTree(root: DomElement): void {
  let box: DomElement | undefined;
  for (let only = onlyChild(root); only !== undefined; only = onlyChild(only)) {
    if (!wrapperElements.has(only.localName)) break;
    if (!tableParts.has(only.localName)) box = only;
  }
  if (box === undefined || box.parentNode === root) return;
  while (root.firstChild !== null) root.removeChild(root.firstChild);
  root.appendChild(box);
}

const tableParts: ReadonlySet<string> = new Set(['table', 'tbody', 'tr', 'td']);

const wrapperElements: ReadonlySet<string> = new Set([
  ...tableParts,
  'div',
  'main',
  'article',
  'section',
  'center',
  'form',
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

// The amount of retained text in each element.

/** Characters of retained text, by the index of the element. */
export type RetainedText = Float64Array;

/** Sums up retained text for all elements. */
export function sumRetained(blocks: readonly MeasuredBlock[], retained: IndexSet): RetainedText {
  const sums = new Float64Array(blocks.length);
  for (let index = blocks.length - 1; index >= 0; index--) {
    const { own, parent } = blocks[index] as MeasuredBlock;
    const sum = (sums[index] as number) + (retained.has(index) ? own.length : 0);
    sums[index] = sum;
    if (parent !== undefined) sums[parent.index] = (sums[parent.index] as number) + sum;
  }
  return sums;
}

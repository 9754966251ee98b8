/** Drops text that the page has twice: for phones and desktops, in tickers, in quotes of earlier posts. */
import type { IndexSet } from './index-set.ts';
import type { MeasuredBlock } from './measure.ts';
import type { MeasuredPage } from './paragraphs.ts';

/**
 * Of kept paragraphs, drops those that repeat the ones right before them, and those that an element for
 * small screens or a quotation repeats from further above. Code, tables and the lines of a poem may
 * repeat themselves, and so may paragraphs of a reference.
 */
export function dropCopies({ paragraphs, title, root }: MeasuredPage, kept: IndexSet): void {
  const texts = paragraphs
    .filter(({ block }) => kept.has(block.index))
    .map((paragraph, place) => ({ ...paragraph, place }))
    .filter(({ block, copies, position }) => copies > 1 && position !== title && mayBeCopy(block));
  const last = new Map<number, number>();
  for (let at = 0; at < texts.length;) {
    const { block } = texts[at] as CopiedText;
    const before = last.get(block.own.hash);
    const size = before === undefined ? 0 : copiedRun(texts, before, at);
    for (const copy of texts.slice(at, at + Math.max(1, size))) {
      const isCopy =
        size > 0 ||
        (before !== undefined &&
          copy.block.own.length >= leastCopy &&
          isSecondPlace(copy.block, root));
      if (isCopy) kept.delete(copy.block.index);
      last.set(copy.block.own.hash, at++);
    }
  }
}

interface CopiedText {
  readonly block: MeasuredBlock;
  /** Among the kept paragraphs. */
  readonly place: number;
}

function mayBeCopy({ element: { localName } }: MeasuredBlock): boolean {
  return localName !== 'pre' && localName !== 'td' && localName !== 'th';
}

/** The number of texts from `before` up to `at` if as many from `at` on repeat them, else 0. */
function copiedRun(texts: readonly CopiedText[], before: number, at: number): number {
  const size = at - before;
  const copied = texts.slice(before, at);
  const placeOf = (index: number): number => texts[index]?.place ?? 0;
  if (size > longestRun || placeOf(at) - placeOf(before) !== size) return 0;
  if (placeOf(at + size - 1) - placeOf(at) !== size - 1) return 0;
  let length = 0;
  for (const [offset, { block }] of copied.entries()) {
    if (block.own.hash !== texts[at + offset]?.block.own.hash) return 0;
    length += block.own.length;
  }
  if (length < leastCopy) return 0;
  const { block } = texts[at] as CopiedText;
  const isLine =
    size === 1 && block.element.localName === 'p' && block.parent === copied[0]?.block.parent;
  return isLine ? 0 : size;
}

/** Paragraphs of a card, of a ticker. */
const longestRun = 30;

/** Characters: shorter texts repeat by chance. */
const leastCopy = 25;

/** A quotation, or a box for one kind of screen. */
function isSecondPlace(block: MeasuredBlock, page: MeasuredBlock): boolean {
  for (
    let around: MeasuredBlock | undefined = block, levels = 0;
    around !== undefined && levels < 6;
    around = around.parent, levels++
  ) {
    if (around.element.localName === 'blockquote') return true;
    if (around.text > 0.3 * page.text) return false;
    if (screenNames.test(around.element.getAttribute('class') ?? '')) return true;
  }
  return false;
}

const screenNames =
  /(?:^|[\s_-])(?:mobile|phone|tablet|desktop|(?:hidden|visible)-(?:xs|sm|md|lg))(?:$|[\s_-])/i;

/** Which element holds the content: a landmark, or the smallest one with most of the prose. */
import { Evidence } from './evidence.ts';
import { type Block, ownProse, restore } from './measure.ts';
import { removeTeasers } from './remove-boilerplate.ts';

/** What was chosen. */
export interface Choice {
  readonly content: Block;
  /** True when one element is the parent of most paragraphs, as in an article. */
  readonly running: boolean;
}

/**
 * The content's root. A page of running text is narrowed down to it; where the prose is scattered
 * over cards and sections (listings, products, landing pages), everything in `main` belongs.
 */
export function chooseContent(blocks: readonly Block[]): Choice {
  const page = blocks[0] as Block;
  const teasers = removeTeasers(blocks);
  let content = chooseLandmark(blocks);
  const running = isRunningText(blocks, content);
  if (!running) {
    restore(blocks, teasers);
    content = chooseLandmark(blocks);
    if (content !== page) return { content, running };
  }
  for (;;) {
    const child = dominantChild(blocks, content, running);
    if (child === undefined) return { content: wholeTable(content), running };
    content = child;
  }
}

/** Old pages are laid out in tables: a cell can hold the content, a row cannot stand alone. */
function wholeTable(content: Block): Block {
  let whole = content;
  while (tableParts.has(whole.element.localName) && whole.parent !== undefined) {
    whole = whole.parent;
  }
  return whole;
}

const tableParts: ReadonlySet<string> = new Set(['tbody', 'thead', 'tfoot', 'tr']);

function chooseLandmark(blocks: readonly Block[]): Block {
  const page = blocks[0] as Block;
  const main = landmark(blocks, page, Evidence.main, 0.3) ?? page;
  return landmark(blocks, main, Evidence.article, 0.6) ?? main;
}

/** The outermost element of a kind that holds at least `share` of the prose. */
function landmark(
  blocks: readonly Block[],
  within: Block,
  kind: number,
  share: number,
): Block | undefined {
  for (let index = within.index + 1; index < within.end; index++) {
    const block = blocks[index] as Block;
    if (block.removed) index = block.end - 1;
    else if ((block.evidence & kind) !== 0) {
      if (block.text >= 0.25 * within.text && block.prose >= share * within.prose) return block;
      // A listing's `main` may hold less prose than a legal notice below it.
      if (kind === Evidence.main && block.text >= 0.3 * within.text) return block;
      index = block.end - 1;
    }
  }
  return undefined;
}

/** Less than a few sentences is no running text. */
const shortestRunning = 300;

/** Paragraphs count for their parent in full, and half for the parent's parent. */
function isRunningText(blocks: readonly Block[], within: Block): boolean {
  const scores = new Map<Block, number>();
  let best = 0;
  const add = (holder: Block | undefined, amount: number): void => {
    if (holder === undefined) return;
    const score = (scores.get(holder) ?? 0) + amount;
    scores.set(holder, score);
    if (score > best) best = score;
  };
  for (let index = within.index; index < within.end; index++) {
    const block = blocks[index] as Block;
    if (block.removed) {
      index = block.end - 1;
      continue;
    }
    const prose = ownProse(block);
    if (prose === 0) continue;
    if (!textElements.has(block.element.localName)) add(block, prose);
    add(block.parent, prose);
    add(block.parent?.parent, prose / 2);
  }
  return (
    best >= shortestRunning &&
    best >= 0.35 * within.prose &&
    best >= 0.3 * (within.text - within.link) &&
    best >= 0.15 * within.text
  );
}

function dominantChild(
  blocks: readonly Block[],
  block: Block,
  running: boolean,
): Block | undefined {
  let found: Block | undefined;
  for (let index = block.index + 1; index < block.end;) {
    const child = blocks[index] as Block;
    if (!child.removed) {
      if (dominates(child, block, running)) found = child;
      // A paragraph beside it is part of the same text.
      else if (child.prose >= longParagraph && textElements.has(child.element.localName))
        return undefined;
    }
    index = child.end;
  }
  return found;
}

const longParagraph = 100;

/** Outside running text a child must hold the headings too: prose may be a fraction of the page. */
function dominates(child: Block, parent: Block, running: boolean): boolean {
  return (
    child.prose > 0 &&
    child.prose >= (running ? 0.75 : 0.85) * parent.prose &&
    (running || child.headings >= 0.5 * parent.headings) &&
    (child.evidence & (Evidence.reviews | Evidence.comments)) === 0 &&
    (!textElements.has(child.element.localName) || (running && isTable(child)))
  );
}

function isTable({ element }: Block): boolean {
  const name = element.localName;
  return name === 'table' || name === 'td' || tableParts.has(name);
}

const textElements: ReadonlySet<string> = new Set(
  'p pre blockquote ul ol li table dl tbody tr td span'.split(' '),
);

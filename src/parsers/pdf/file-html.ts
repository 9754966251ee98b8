/** The pages of a file as one text: what repeats is removed, what pages break off is joined. */
import type { Block } from './blocks.ts';
import { bodyStyleOf } from './body-style.ts';
import type { PageContent, TextRun } from './geometry.ts';
import { joinBlocks, joinTables } from './join-blocks.ts';
import { vocabularyOf } from './line-text.ts';
import { blocksOfPage, type PageBlocks } from './page-blocks.ts';
import type { BlockContext } from './paragraphs.ts';
import { withoutRunningHeads } from './running-heads.ts';
import { blocksOfTree, contentOf, saysMore } from './tagged-blocks.ts';
import { writeHtml } from './write-html.ts';

/** How the text is made. */
export interface TextOptions {
  readonly isTagged: boolean;
  /** Tell where each page begins. */
  readonly pageMarkers: boolean;
}

/** Of a tagged page, how much of its text its tree must name to be believed. */
const leastNamed = 0.85;

export function htmlOfPages(
  pages: readonly PageContent[],
  { isTagged, pageMarkers }: TextOptions,
): string {
  const body = bodyStyleOf(allRuns(pages));
  const plain = withoutRunningHeads(pages, body.size);
  const context: BlockContext = { body, words: vocabularyOf(allRuns(pages)) };
  const usesTrees = isTagged && pages.some(({ tree }) => tree !== undefined && saysMore(tree));
  const blocks: Block[] = [];
  const notes: Block[] = [];
  for (const page of plain) {
    const made = usesTrees ? blocksOfTagged(page, context) : blocksOfPage(page, context);
    const [first, ...rest] = made.blocks;
    if (pageMarkers) blocks.push({ kind: 'page', number: page.number });
    const table = first === undefined ? undefined : joinedTable(blocks, first, pageMarkers);
    if (table === undefined) blocks.push(...made.blocks);
    else {
      const marker = pageMarkers ? blocks.pop() : undefined;
      blocks[blocks.length - 1] = table;
      if (marker !== undefined) blocks.push(marker);
      blocks.push(...rest);
    }
    notes.push(...made.notes);
  }
  return writeHtml([...joinBlocks(withTitle(blocks), context.words), ...notes]);
}

/** Authors and dates below a title are larger than the text, and no headings. */
function withTitle(blocks: readonly Block[]): Block[] {
  const first = blocks.findIndex(({ kind }) => kind !== 'page');
  const title = blocks[first];
  if (title?.kind !== 'heading' || title.level !== 1) return [...blocks];
  let isTitle = true;
  return blocks.map((block, at) => {
    if (at <= first || !isTitle) return block;
    isTitle = block.kind === 'heading' && block.content.every(({ isBold }) => !isBold);
    return isTitle && block.kind === 'heading'
      ? { kind: 'paragraph', content: block.content }
      : block;
  });
}

function joinedTable(
  blocks: readonly Block[],
  first: Block,
  hasMarker: boolean,
): Block | undefined {
  const before = blocks.at(hasMarker ? -2 : -1);
  return before === undefined ? undefined : joinTables(before, first);
}

/** By its tree; text that the tree does not name comes after it. */
function blocksOfTagged(page: PageContent, context: BlockContext): PageBlocks {
  if (page.tree === undefined || !isNamed(page, contentOf(page.tree))) {
    return blocksOfPage(page, context);
  }
  const { blocks, notes, rest } = blocksOfTree(page, page.tree, context);
  if (rest.length === 0) return { blocks, notes };
  const others = blocksOfPage({ ...page, runs: rest }, context);
  return { blocks: [...blocks, ...others.blocks], notes: [...notes, ...others.notes] };
}

function isNamed({ runs }: PageContent, named: ReadonlySet<string>): boolean {
  let [all, found] = [0, 0];
  for (const { text, content, isArtifact } of runs) {
    if (isArtifact) continue;
    all += text.length;
    if (content !== undefined && named.has(content)) found += text.length;
  }
  return found >= all * leastNamed;
}

function* allRuns(pages: readonly PageContent[]): Generator<TextRun> {
  for (const { runs } of pages) for (const run of runs) if (!run.isArtifact) yield run;
}

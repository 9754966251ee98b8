/** Joins the pages of a file into one text: removes headers and footers, joins blocks across page breaks. */
import { type Block, type Inline, textOf, writeHtml } from './blocks.ts';
import { bodyStyleOf } from './body-style.ts';
import type { PageContent, TextRun } from './geometry.ts';
import { HeadersFooters, nearbyPages, type PageEdges } from './headers-footers.ts';
import { joinText, type Vocabulary, vocabularyOf } from './line-text.ts';
import { blocksOfPage, type PageBlocks } from './page-blocks.ts';
import type { BlockContext } from './paragraphs.ts';
import { blocksOfTree, contentOf, hasStructure } from './tagged-blocks.ts';

const limits = {
  basis: 100, // pages that determine the styles of text and headings, and the text area
  openBlocks: 12, // that the next page may continue: the look-back of `joinBlocks`, and some more
  words: 200_000, // in the vocabulary
  leastNamed: 0.85, // share of a tagged page's text that its structure tree must contain to be used
  between: 4,
  columnTolerance: 4, // points
};

/** Options for the text. */
export interface TextOptions {
  readonly isTagged: boolean;
  /** Mark the start of each page. */
  readonly pageMarkers: boolean;
}

/** The decisions from the first pages. */
interface FileDecisions {
  readonly context: BlockContext;
  readonly headersFooters: HeadersFooters;
  readonly usesTrees: boolean;
}

/**
 * Takes the pages of a file in order, and writes each as soon as its neighbours are known: of written pages
 * only the HTML is stored.
 */
export class FileHtml {
  readonly #options: TextOptions;
  readonly #words = new Set<string>();
  readonly #html: string[] = [];
  readonly #notes: string[] = [];
  readonly #first: PageContent[] = [];
  #decided: FileDecisions | undefined;
  /** The edge lines of the most recently written pages. */
  #before: PageEdges[] = [];
  readonly #waiting: { readonly page: PageContent; readonly edges: PageEdges }[] = [];
  /** The last blocks in their page's form, which a table may continue. */
  #raw: Block[] = [];
  /** The blocks before those, joined but not written yet. */
  #joined: Block[] = [];
  #title: 'expected' | 'open' | 'closed' = 'expected';

  constructor(options: TextOptions) {
    this.#options = options;
  }

  add(page: PageContent): void {
    for (const word of vocabularyOf(runsOf([page]))) {
      if (this.#words.size < limits.words) this.#words.add(word);
    }
    if (this.#decided !== undefined) return this.#wait(page, this.#decided);
    this.#first.push(page);
    if (this.#first.length >= limits.basis) this.#decide();
  }

  /** The whole HTML, with notes at the end, and the number of lines left out as headers and footers. */
  end(): { readonly html: string; readonly repeatedLines: number } {
    const decided = this.#decided ?? this.#decide();
    while (this.#waiting.length > 0) this.#writeNext(decided);
    this.#join(0);
    this.#write(0);
    const html = [...this.#html, ...this.#notes].join('\n');
    return { html, repeatedLines: decided.headersFooters.removed };
  }

  #decide(): FileDecisions {
    const pages = this.#first.splice(0);
    const body = bodyStyleOf(pages);
    const decided: FileDecisions = {
      context: { body, words: this.#words },
      headersFooters: new HeadersFooters(pages, body.size),
      usesTrees:
        this.#options.isTagged &&
        pages.some(({ tree }) => tree !== undefined && hasStructure(tree)),
    };
    this.#decided = decided;
    for (const page of pages) this.#wait(page, decided);
    return decided;
  }

  #wait(page: PageContent, decided: FileDecisions): void {
    this.#waiting.push({ page, edges: decided.headersFooters.edgesOf(page) });
    if (this.#waiting.length > nearbyPages) this.#writeNext(decided);
  }

  #writeNext({ context, headersFooters, usesTrees }: FileDecisions): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const others = [...this.#before, ...this.#waiting.map(({ edges }) => edges)];
    const page = headersFooters.without(next.page, next.edges, others);
    this.#before = [...this.#before, next.edges].slice(-nearbyPages);
    const made = usesTrees ? blocksOfTagged(page, context) : blocksOfPage(page, context);
    const blocks = made.blocks.map((block): Block => ({ ...block, page: page.number }));
    const [first, ...rest] = blocks;
    const last = this.#raw.at(-1);
    const table = first && last && joinTables(last, first);
    if (table !== undefined) this.#raw[this.#raw.length - 1] = table;
    if (this.#options.pageMarkers) this.#raw.push({ kind: 'page', number: page.number });
    this.#raw.push(...(table === undefined ? blocks : rest));
    if (made.notes.length > 0) this.#notes.push(writeHtml(made.notes));
    this.#join(1);
    this.#write(limits.openBlocks);
  }

  /** Joins all blocks except the last ones. */
  #join(open: number): void {
    const ready = this.#raw.splice(0, Math.max(0, this.#raw.length - open));
    if (ready.length === 0) return;
    const blocks = ready.map((block) => this.#belowTitle(block));
    this.#joined = joinBlocks([...this.#joined, ...blocks], this.#words);
  }

  #write(open: number): void {
    const ready = this.#joined.splice(0, Math.max(0, this.#joined.length - open));
    if (ready.length > 0) this.#html.push(writeHtml(ready));
  }

  /** Authors and dates below a title are larger than the text, but not headings. */
  #belowTitle(block: Block): Block {
    if (this.#title === 'expected' && block.kind !== 'page') {
      this.#title = block.kind === 'heading' && block.level === 1 ? 'open' : 'closed';
    } else if (this.#title === 'open') {
      const isAuthor = block.kind === 'heading' && block.content.every(({ isBold }) => !isBold);
      if (isAuthor) return { kind: 'paragraph', content: block.content };
      this.#title = 'closed';
    }
    return block;
  }
}

/** Blocks by the structure tree; text outside the tree follows. */
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
  return found >= all * limits.leastNamed;
}

function* runsOf(pages: readonly PageContent[]): Generator<TextRun> {
  for (const { runs } of pages) for (const run of runs) if (!run.isArtifact) yield run;
}

// Joins paragraphs, lists and tables across page and column breaks.

/** Joins the blocks of all pages: a text continues after tables and pictures in between. */
function joinBlocks(blocks: readonly Block[], words: Vocabulary): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    const between: Block[] = [];
    while (between.length < limits.between && interruptsText(joined.at(-1))) {
      const last = joined.pop();
      if (last !== undefined) between.unshift(last);
    }
    const before = joined.at(-1);
    const isFar = between.some(({ kind }) => kind !== 'page');
    const whole =
      before === undefined || (isFar && block.kind !== 'paragraph')
        ? undefined
        : joinTwo(before, block, words);
    if (whole !== undefined) joined.pop();
    // The marker of a page that begins within a block follows the block.
    joined.push(...(whole === undefined ? [...between, block] : [whole, ...between]));
  }
  return joined;
}

function interruptsText(block: Block | undefined): boolean {
  if (block === undefined) return false;
  if (block.kind === 'page' || block.kind === 'table' || block.kind === 'figure') return true;
  return block.kind === 'paragraph' && caption.test(textOf(block.content));
}

const caption = /^(?:table|figure|fig\.|tab\.)\s?\d+[.:]/i;

/** Joins two blocks; undefined if they are separate. */
function joinTwo(a: Block, b: Block, words: Vocabulary): Block | undefined {
  if (a.kind === 'paragraph' && b.kind === 'paragraph') {
    if (a.page === b.page && startsBold(a.content, b.content)) return undefined;
    const content = joinContent(a.content, b.content, words);
    return content === undefined ? undefined : { kind: 'paragraph', content };
  }
  if (a.kind === 'code' && b.kind === 'code') return undefined;
  if (a.kind === 'heading' && b.kind === 'heading') return joinHeadings(a, b);
  if (a.kind === 'list' && b.kind === 'list') {
    const isNext =
      a.start === undefined ? b.start === undefined : b.start === a.start + a.items.length;
    return isNext ? { ...a, items: [...a.items, ...b.items] } : undefined;
  }
  if (a.kind === 'list' && b.kind === 'paragraph') {
    const item = a.items.at(-1);
    const end = item?.blocks.at(-1);
    if (item === undefined || end?.kind !== 'paragraph') return undefined;
    const content = joinContent(end.content, b.content, words);
    if (content === undefined) return undefined;
    const whole = {
      blocks: [...item.blocks.slice(0, -1), { kind: 'paragraph', content } as const],
    };
    return { ...a, items: [...a.items.slice(0, -1), whole] };
  }
  return undefined;
}

/** True for a term in bold after its neighbour's definition. */
function startsBold(a: readonly Inline[], b: readonly Inline[]): boolean {
  return b[0]?.isBold === true && a.at(-1)?.isBold === false;
}

type Heading = Extract<Block, { kind: 'heading' }>;

/** `Chapter 1` above the chapter's title, which is at least as large. */
function joinHeadings(a: Heading, b: Heading): Heading | undefined {
  const isNumber =
    /^\p{L}+\s(?:\d{1,3}|[IVXLC]{1,6}|[A-Z])[.:]?$|^第\s?[\d一二三四五六七八九十]+\s?[章部編]$/u;
  if (b.level > a.level || !isNumber.test(textOf(a.content).trim())) return undefined;
  const [last] = a.content.slice(-1);
  if (last === undefined) return undefined;
  const content = [...a.content.slice(0, -1), { ...last, text: `${last.text.trimEnd()} ` }];
  return { ...b, content: [...content, ...b.content] };
}

type Table = Extract<Block, { kind: 'table' }>;

/**
 * Joins a table that continues on the next page: its header is repeated, or its columns are aligned. The
 * first ends its page, the second begins the next.
 */
export function joinTables(a: Block, b: Block): Block | undefined {
  if (a.kind !== 'table' || b.kind !== 'table') return undefined;
  if (widthOf(a) !== widthOf(b)) return undefined;
  const header = rowText(a.rows[0]);
  const isRepeated = header.trim() !== '' && header === rowText(b.rows[0]);
  if (!isRepeated && !areAligned(a, b)) return undefined;
  const rest = isRepeated ? b.rows.slice(1) : b.rows;
  return {
    ...a,
    rows: [...a.rows, ...rest.map((row) => row.map((cell) => ({ ...cell, isHeader: false })))],
  };
}

function widthOf({ rows }: Table): number {
  return (rows[0] ?? []).reduce((sum, { columns }) => sum + columns, 0);
}

function rowText(row: Table['rows'][number] | undefined): string {
  return (row ?? []).map(({ content }) => textOf(content)).join('\n');
}

/** Left and right pages may have different margins. A tagged table marks its own start. */
function areAligned(a: Table, b: Table): boolean {
  if (a.columns === undefined || b.columns === undefined) {
    return a.columns === b.columns && b.rows[0]?.some(({ isHeader }) => isHeader) !== true;
  }
  const shift = (b.columns[0]?.left ?? 0) - (a.columns[0]?.left ?? 0);
  const others = b.columns;
  return (
    a.columns.length === others.length &&
    a.columns.every(({ left, right }, at) => {
      const other = others[at] ?? { left: Infinity, right: Infinity };
      const [start, end] = [other.left - shift - left, other.right - shift - right];
      // Numbers may be right-aligned or centered.
      return [start, end, (start + end) / 2].some((gap) => Math.abs(gap) < limits.columnTolerance);
    })
  );
}

function joinContent(
  a: readonly Inline[],
  b: readonly Inline[],
  words: Vocabulary,
): Inline[] | undefined {
  const [end, next] = [textOf(a).trimEnd(), textOf(b).trimStart()];
  if (end === '' || !/[\p{L}\p{N},;)\]–—‐\u00ad-]$/u.test(end)) return undefined;
  const isCjk = equallyWide.test(end.slice(-1)) && equallyWide.test(next.slice(0, 1));
  if (!/^[\p{Ll}\p{N}(]/u.test(next) && !isCjk) return undefined;
  if (/^\p{N}/u.test(next) && !/[\p{Ll},]$/u.test(end)) return undefined;
  const last = a.at(-1);
  if (last === undefined) return undefined;
  const text = last.text.trimEnd();
  const joined = joinText(text, next, words);
  return [...a.slice(0, -1), { ...last, text: joined ?? `${text} ` }, ...b];
}

const equallyWide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

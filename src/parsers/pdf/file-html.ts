/** The pages of a file as one text: what repeats is removed, what pages break off is joined. */
import type { Block } from './blocks.ts';
import { bodyStyleOf } from './body-style.ts';
import type { PageContent, TextRun } from './geometry.ts';
import { joinBlocks, joinTables } from './join-blocks.ts';
import { vocabularyOf } from './line-text.ts';
import { blocksOfPage, type PageBlocks } from './page-blocks.ts';
import type { BlockContext } from './paragraphs.ts';
import { type Edges, reach, RunningHeads } from './running-heads.ts';
import { blocksOfTree, contentOf, saysMore } from './tagged-blocks.ts';
import { writeHtml } from './write-html.ts';

/** How the text is made. */
export interface TextOptions {
  readonly isTagged: boolean;
  /** Tell where each page begins. */
  readonly pageMarkers: boolean;
}

/** Pages by which it is decided what text and headings look like, and where pages begin and end. */
const basis = 100;
/** Blocks that the next page may go on with: what `joinBlocks` looks back on, and a page's beginning. */
const openBlocks = 12;
/** Words that are remembered. */
const maxWords = 200_000;
/** Of a tagged page, how much of its text its tree must name to be believed. */
const leastNamed = 0.85;

/** A page that waits for those after it. */
interface Waiting {
  readonly page: PageContent;
  readonly edges: Edges;
}

/** What is decided by the first pages. */
interface Decided {
  readonly context: BlockContext;
  readonly heads: RunningHeads;
  readonly usesTrees: boolean;
}

/**
 * Takes the pages of a file in their order, and writes each as soon as those nearby are known: of what
 * was written nothing but HTML is kept.
 */
export class FileHtml {
  readonly #options: TextOptions;
  readonly #words = new Set<string>();
  readonly #html: string[] = [];
  readonly #notes: string[] = [];
  readonly #first: PageContent[] = [];
  #decided: Decided | undefined;
  /** The lines at the edges of pages that were written last. */
  #before: Edges[] = [];
  readonly #waiting: Waiting[] = [];
  /** The last blocks as pages gave them, which a table may go on from. */
  #raw: Block[] = [];
  /** The blocks before those, joined; not written yet. */
  #joined: Block[] = [];
  #title: 'expected' | 'open' | 'closed' = 'expected';

  constructor(options: TextOptions) {
    this.#options = options;
  }

  add(page: PageContent): void {
    for (const word of vocabularyOf(runsOf([page]))) {
      if (this.#words.size < maxWords) this.#words.add(word);
    }
    if (this.#decided !== undefined) return this.#wait(page, this.#decided);
    this.#first.push(page);
    if (this.#first.length >= basis) this.#decide();
  }

  /** All of it, notes last. */
  end(): string {
    const decided = this.#decided ?? this.#decide();
    while (this.#waiting.length > 0) this.#writeNext(decided);
    this.#join(0);
    this.#write(0);
    return [...this.#html, ...this.#notes].join('\n');
  }

  #decide(): Decided {
    const pages = this.#first.splice(0);
    const body = bodyStyleOf(runsOf(pages));
    const decided: Decided = {
      context: { body, words: this.#words },
      heads: new RunningHeads(pages, body.size),
      usesTrees:
        this.#options.isTagged && pages.some(({ tree }) => tree !== undefined && saysMore(tree)),
    };
    this.#decided = decided;
    for (const page of pages) this.#wait(page, decided);
    return decided;
  }

  #wait(page: PageContent, decided: Decided): void {
    this.#waiting.push({ page, edges: decided.heads.edgesOf(page) });
    if (this.#waiting.length > reach) this.#writeNext(decided);
  }

  #writeNext({ context, heads, usesTrees }: Decided): void {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const others = [...this.#before, ...this.#waiting.map(({ edges }) => edges)];
    const page = heads.without(next.page, next.edges, others);
    this.#before = [...this.#before, next.edges].slice(-reach);
    const made = usesTrees ? blocksOfTagged(page, context) : blocksOfPage(page, context);
    const [first, ...rest] = made.blocks;
    const last = this.#raw.at(-1);
    const table = first && last && joinTables(last, first);
    if (table !== undefined) this.#raw[this.#raw.length - 1] = table;
    if (this.#options.pageMarkers) this.#raw.push({ kind: 'page', number: page.number });
    this.#raw.push(...(table === undefined ? made.blocks : rest));
    if (made.notes.length > 0) this.#notes.push(writeHtml(made.notes));
    this.#join(1);
    this.#write(openBlocks);
  }

  /** Joins all blocks but the last ones. */
  #join(kept: number): void {
    const ready = this.#raw.splice(0, Math.max(0, this.#raw.length - kept));
    if (ready.length === 0) return;
    const blocks = ready.map((block) => this.#belowTitle(block));
    this.#joined = joinBlocks([...this.#joined, ...blocks], this.#words);
  }

  #write(kept: number): void {
    const ready = this.#joined.splice(0, Math.max(0, this.#joined.length - kept));
    if (ready.length > 0) this.#html.push(writeHtml(ready));
  }

  /** Authors and dates below a title are larger than the text, and no headings. */
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

function* runsOf(pages: readonly PageContent[]): Generator<TextRun> {
  for (const { runs } of pages) for (const run of runs) if (!run.isArtifact) yield run;
}

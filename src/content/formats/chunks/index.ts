/** The chunks format: the page as passages for retrieval. */
import { loadModule } from '../../../core/runtime/load-module.ts';
import type { Page } from '../../../core/model/page.ts';
import { preview, refuseUnknown } from '../../../core/checks/option-errors.ts';
import { builtInModule, type FinishContext, type Format } from '../format.ts';
import { computeHere } from '../computations.ts';
import { markdownOf, markdownOptionNames, parseMarkdownOptions } from '../markdown.ts';
import type { MarkdownOptions } from '../../markdown/own-elements.ts';
import type { Chunk, MarkdownSource } from './cut-markdown.ts';

export type { Chunk } from './cut-markdown.ts';

/** Options for a worker. */
interface RunOptions {
  /** Undefined to return the markdown, which the caller's thread cuts. */
  readonly sizes: ChunkSizes | undefined;
  readonly style: MarkdownOptions | undefined;
}

/**
 * Passages of the page's markdown, for search and retrieval. Together they contain all its text.
 *
 * A passage does not extend into the next section, unless it has less than a quarter of
 * `maxTokens`: then it joins its neighbours under the same heading. Long sections are cut into parts
 * of about the same size: between blocks, then between items of lists, then at the ends of
 * sentences, in any language. A heading stays with the text after it.
 *
 * In a reference a term with an id (`<dt id>`) and its definition are a passage of their own.
 *
 * A table with more than `maxTokens` is cut between its rows, and each part repeats the header. No block of
 * code is cut: one with more than `maxTokens` is a passage of its own.
 *
 * @example
 * const { chunks } = await scrape(url, { formats: [{ type: 'chunks', maxTokens: 300, overlap: 30 }] });
 * chunks[0]; // { id, number: 0, text, headingPath: ['Guide', 'Install'], anchor: 'https://…#install', start: 0, end: 840, tokens: 212 }
 */
export const chunks: Format<
  'chunks',
  Chunk[],
  ChunkOptions | undefined,
  Chunk[] | MarkdownSource,
  RunOptions
> = {
  name: 'chunks',
  needs: 'content',
  showsContent: true,
  worker: builtInModule,
  parseOptions: parseChunkOptions,
  runOptions: (options) => {
    const { countTokens, style, ...sizes } = complete(options);
    return { sizes: countTokens === undefined ? sizes : undefined, style };
  },
  run: read,
  finish,
};

async function read(page: Page, { sizes, style }: RunOptions): Promise<Chunk[] | MarkdownSource> {
  const source = await readSource(page, style);
  if (sizes === undefined || source.markdown.length > longMarkdown) return source;
  return computeHere('chunks', source, sizes);
}

const longMarkdown = 16 * 1024; // characters that take milliseconds to cut

async function readSource(page: Page, style: MarkdownOptions | undefined): Promise<MarkdownSource> {
  const { body: markdown, definitions } = await markdownOf(page, style);
  if (page.kind === 'text') return { markdown, ids: [], url: page.url };
  const { readHeadingIds, readPageBlocks } = await loadModule(() => import('./headings.ts'));
  const pages = page.file?.pages && readPageBlocks(page.root, page.file.pages);
  return { markdown, ids: readHeadingIds(page.root, page.url), url: page.url, pages, definitions };
}

async function finish(
  found: Chunk[] | MarkdownSource,
  options: ChunkOptions | undefined,
  { compute }: FinishContext,
): Promise<Chunk[]> {
  if (Array.isArray(found)) return found;
  const { countTokens, style: _, ...sizes } = complete(options);
  if (countTokens === undefined) return compute('chunks', found, sizes);
  const { cutMarkdown } = await loadModule(() => import('./cut-markdown.ts'));
  return cutMarkdown(found, { ...sizes, countTokens: numbersOnly(countTokens) });
}

/** Throws when `count` does not return a number, which would cut the text anywhere. */
function numbersOnly(count: (text: string) => unknown): (text: string) => number {
  return (text) => {
    const tokens = count(text);
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens;
    throw new TypeError(`countTokens: expected a number of at least 0, got ${preview(tokens)}`);
  };
}

/** Adds the defaults, also for the format's name alone. */
function complete(
  options: ChunkOptions | undefined,
): ReturnType<typeof parseChunkOptions> & { readonly style: MarkdownOptions | undefined } {
  const { links, images, handlers, ...sizes } = parseChunkOptions({ ...options });
  return { ...sizes, style: parseMarkdownOptions({ links, images, handlers }) };
}

/** Options of the chunks format. */
export interface ChunkOptions extends MarkdownOptions {
  /**
   * Tokens of a passage at most, 16 to 1000000. Only a single block of code or row of a table may exceed it.
   * Most embedding models take 512, which is small enough to be about one thing.
   * @default 512
   */
  readonly maxTokens?: number | undefined;
  /**
   * Tokens of the previous passage to repeat where a section was cut, in whole sentences: up to half
   * of `maxTokens`, and counted in it.
   * @default 0
   */
  readonly overlap?: number | undefined;
  /**
   * Counts the tokens of a text exactly, for example with the tokenizer of your model. It is called
   * on your thread, which then also cuts. `HOOK_FAILED` when it does not return a number. Without it
   * tokens are estimated.
   */
  readonly countTokens?: ((text: string) => number) | undefined;
}

/** The options with defaults, without the function, which cannot be sent to a worker. */
interface ChunkSizes {
  readonly maxTokens: number;
  readonly overlap: number;
}

/** Checks the object form. Throws an `Error` that names the problem. */
function parseChunkOptions(options: Readonly<Record<string, unknown>>): ChunkOptions & ChunkSizes {
  const {
    maxTokens = 512,
    overlap = 0,
    countTokens,
    links,
    images,
    handlers,
    ...unknown
  } = options;
  refuseUnknown(unknown, ['maxTokens', 'overlap', 'countTokens', ...markdownOptionNames]);
  if (!isInteger(maxTokens) || maxTokens < 16 || maxTokens > 1_000_000) {
    throw wrongOption('maxTokens', 'an integer from 16 to 1000000', maxTokens);
  }
  if (!isInteger(overlap) || overlap < 0 || overlap > maxTokens / 2) {
    throw wrongOption('overlap', 'an integer from 0 to half of maxTokens', overlap);
  }
  const sizes = { ...parseMarkdownOptions({ links, images, handlers }), maxTokens, overlap };
  if (countTokens === undefined) return sizes;
  if (typeof countTokens !== 'function') {
    throw wrongOption('countTokens', 'a function from a text to a number', countTokens);
  }
  return { ...sizes, countTokens: countTokens as (text: string) => number };
}

function wrongOption(name: string, expected: string, value: unknown): Error {
  return new Error(`${name}: expected ${expected}, got ${preview(value)}`);
}

function isInteger(value: unknown): value is number {
  return Number.isInteger(value);
}

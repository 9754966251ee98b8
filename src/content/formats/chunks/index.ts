/** The chunks format: the page as passages for retrieval. */
import { loadModule } from '../../../core/runtime/load-module.ts';
import type { Page } from '../../../core/model/page.ts';
import { z } from 'zod';
import { check } from '../../../core/checks/check.ts';
import { preview } from '../../../core/checks/option-errors.ts';
import { builtInModule, type FinishContext, type Format } from '../format.ts';
import { computeHere } from '../computations.ts';
import { withoutInvisible } from '../../text/plain-text.ts';
import { markdownSchemas } from '../markdown.ts';
import type { MarkdownOptions } from '../../markdown/markdown-options.ts';
import type { Chunk, MarkdownSource } from './cut-markdown.ts';

export type { Chunk } from './cut-markdown.ts';

/** Options for a worker. */
interface RunOptions {
  /** Undefined to return the markdown, which the caller's thread cuts. */
  readonly sizes: ChunkSizes | undefined;
  readonly style: MarkdownOptions;
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
    const { countTokens, maxTokens, overlap, ...style } = parseChunkOptions(options);
    return { sizes: countTokens === undefined ? { maxTokens, overlap } : undefined, style };
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

async function readSource(page: Page, style: MarkdownOptions): Promise<MarkdownSource> {
  const { url } = page;
  if (page.kind === 'text') return { markdown: withoutInvisible(page.markdown), ids: [], url };
  const { writeMarkdown } = await loadModule(() => import('../../markdown/to-markdown.ts'));
  const { readHeadingIds, readPageBlocks } = await loadModule(() => import('./headings.ts'));
  const pages = page.file?.pages && readPageBlocks(page.root, page.file.pages);
  return { ...writeMarkdown(page, style), ids: readHeadingIds(page.root, url), url, pages };
}

async function finish(
  found: Chunk[] | MarkdownSource,
  options: ChunkOptions | undefined,
  { compute }: FinishContext,
): Promise<Chunk[]> {
  if (Array.isArray(found)) return found;
  const { countTokens, maxTokens, overlap } = parseChunkOptions(options);
  if (countTokens === undefined) return compute('chunks', found, { maxTokens, overlap });
  const { cutMarkdown } = await loadModule(() => import('./cut-markdown.ts'));
  return cutMarkdown(found, { maxTokens, overlap, countTokens: numbersOnly(countTokens) });
}

/** Throws when `count` does not return a number, which would cut the text anywhere. */
function numbersOnly(count: (text: string) => unknown): (text: string) => number {
  return (text) => {
    const tokens = count(text);
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens;
    throw new TypeError(`countTokens: expected a number of at least 0, got ${preview(tokens)}`);
  };
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

const optionsSchema = z
  .strictObject({
    ...markdownSchemas,
    maxTokens: z.int().min(16).max(1_000_000).default(512),
    overlap: z.int().min(0).default(0),
    countTokens: z
      .custom<NonNullable<ChunkOptions['countTokens']>>(
        (value) => typeof value === 'function',
        'expected a function from a text to a number',
      )
      .optional(),
  })
  .refine(({ maxTokens, overlap }) => overlap <= maxTokens / 2, {
    path: ['overlap'],
    error: 'expected an integer from 0 to half of maxTokens',
  });

/** Checks the options and adds the defaults, also for the format's name alone. */
function parseChunkOptions(options: object = {}): z.output<typeof optionsSchema> {
  return check('chunks', optionsSchema, options);
}

/** The chunks format: the page as passages for retrieval. */
import type { Page } from '../../model/page.ts';
import { preview } from '../../text/preview.ts';
import type { TwoStepFormat } from '../format.ts';
import { markdown as markdownFormat } from '../markdown/index.ts';
import type { FormatContext } from '../format.ts';
import { type ChunkOptions, type ChunkSizes, parseChunkOptions } from './chunk-options.ts';
import type { Chunk, MarkdownSource } from './cut-markdown.ts';

export type { ChunkOptions } from './chunk-options.ts';
export type { Chunk } from './cut-markdown.ts';

/** What a thread is told: sizes, or only to give the markdown, which is cut where the caller is. */
type PlainOptions = ChunkSizes | undefined;

/**
 * Passages of the page's markdown, for search and retrieval. Nothing of the markdown is missing.
 *
 * A passage does not go over into the next section, unless it has less than a quarter of
 * `maxTokens`: then it joins its neighbours under the same heading. Long sections are cut into parts
 * of about the same size: between blocks, then between items of lists, then at the ends of
 * sentences, in any language. A heading stays with what follows it.
 *
 * No table and no block of code is cut: one with more than `maxTokens` is a passage of its own.
 *
 * @example
 * const { chunks } = await scrape(url, { formats: [{ type: 'chunks', maxTokens: 300, overlap: 30 }] });
 * chunks[0]; // { text, headingPath: ['Guide', 'Install'], anchor: 'https://…#install', tokens: 212 }
 */
export const chunks: TwoStepFormat<
  'chunks',
  Chunk[],
  ChunkOptions | undefined,
  Chunk[] | MarkdownSource,
  PlainOptions
> = {
  name: 'chunks',
  needs: 'content',
  parseOptions: parseChunkOptions,
  run: async (page, options, context) => {
    const source = await readSource(page, context);
    return finish(source, options);
  },
  reading: { name: 'chunks', needs: 'content', run: read },
  plainOptions: (options) => {
    const { countTokens, ...sizes } = complete(options);
    return countTokens === undefined ? sizes : undefined;
  },
  finish,
};

async function read(
  page: Page,
  sizes: PlainOptions,
  context: FormatContext,
): Promise<Chunk[] | MarkdownSource> {
  const source = await readSource(page, context);
  return sizes === undefined ? source : cut(source, sizes);
}

async function readSource(page: Page, context: FormatContext): Promise<MarkdownSource> {
  const markdown = await markdownFormat.run(page, undefined, context);
  if (page.kind === 'text') return { markdown, ids: [], url: page.url };
  const { readHeadingIds } = await import('./heading-ids.ts');
  return { markdown, ids: readHeadingIds(page.root, page.url), url: page.url };
}

async function finish(
  found: Chunk[] | MarkdownSource,
  options: ChunkOptions | undefined,
): Promise<Chunk[]> {
  return Array.isArray(found) ? found : cut(found, complete(options));
}

async function cut(
  source: MarkdownSource,
  options: ChunkSizes & Pick<ChunkOptions, 'countTokens'>,
): Promise<Chunk[]> {
  const { cutMarkdown } = await import('./cut-markdown.ts');
  const { countTokens, ...sizes } = options;
  return cutMarkdown(source, { ...sizes, countTokens: countTokens && numbersOnly(countTokens) });
}

/** What is no number would cut the text anywhere. */
function numbersOnly(count: (text: string) => unknown): (text: string) => number {
  return (text) => {
    const tokens = count(text);
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens;
    throw new TypeError(`countTokens: expected a number from 0 on, got ${preview(tokens)}`);
  };
}

/** The name alone asks for the defaults. */
function complete(
  options: ChunkOptions | undefined,
): ReturnType<typeof parseChunkOptions> & ChunkSizes {
  return parseChunkOptions({ ...options });
}

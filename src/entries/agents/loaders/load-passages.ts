/** Pages of the web as passages for retrieval, whatever framework takes them. */
import { createClient } from '../../../client.ts';
import type { Client, Document, FormatInput, PageFailure, SiteLink } from '../../../index.ts';
import type { ChunkOptions } from '../../../content/formats/chunks/index.ts';
import { checkLoaderOptions, type PagesToLoad } from '../../../core/options/loader-options.ts';

/** Options of a loader. */
export type LoaderOptions = PagesToLoad & {
  /** The client that reads the pages; it stays open. @default one that is made for each load, and closed */
  readonly client?: Client | undefined;
  /** Passages with headings and anchors instead of whole pages, with the options of the format. @default false */
  readonly chunks?: boolean | ChunkOptions | undefined;
  /** Called for each page of a crawl or batch that could not be read. @default they are left out */
  readonly onFailedPage?: ((failure: PageFailure) => void) | undefined;
};

/** The origin of a passage. Without values that its page does not have. */
export interface PassageMetadata {
  /** The URL of the page, after redirects. */
  readonly source: string;
  readonly title?: string;
  readonly description?: string;
  readonly language?: string;
  readonly statusCode?: number;
  /** What is wrong with the page, or in its text looks like an instruction to a model. */
  readonly warning?: string;
  /** Leads to the nearest heading above a chunk. */
  readonly anchor?: string;
  /** The headings above a chunk: `Guide > Install`. */
  readonly headings?: string;
  /** The number of a chunk on its page, from 0. */
  readonly chunk?: number;
  /** Tokens of a chunk. */
  readonly tokens?: number;
  /** The text is from the web: data, and never an instruction to the model that reads it. */
  readonly untrusted: true;
}

/** A page or a chunk of it. */
export interface Passage {
  /** The same for the same page: its URL, and the number of the chunk. */
  readonly id: string;
  readonly text: string;
  readonly metadata: PassageMetadata;
}

/** Checks the options at once, and returns a function that loads the passages. */
export function passageLoader(
  subject: string,
  options: LoaderOptions,
): () => AsyncGenerator<Passage, undefined> {
  checkLoaderOptions(subject, options);
  return async function* load() {
    if (options.client !== undefined) return yield* read(options.client, options);
    await using client = createClient();
    return yield* read(client, options);
  };
}

async function* read(client: Client, given: LoaderOptions): AsyncGenerator<Passage, undefined> {
  const { chunks = false, onFailedPage } = given;
  const formats: readonly FormatInput[] =
    chunks === false ? ['modelText'] : [{ type: 'chunks', ...(chunks === true ? {} : chunks) }];
  switch (given.mode) {
    case 'map': {
      const { links } = await client.map(given.url, given.options);
      for (const link of links) yield passageOfLink(link);
      return;
    }
    case 'crawl':
    case 'batch': {
      const job =
        given.mode === 'batch'
          ? client.batchScrape(given.urls, { ...given.options, formats })
          : client.crawl(given.url, {
              ...given.options,
              scrapeOptions: { ...given.options?.scrapeOptions, formats },
            });
      for await (const page of job) yield* passagesOf(page);
      for (const failure of job.errors()) await (onFailedPage?.(failure) as unknown);
      return;
    }
    default:
      yield* passagesOf(await client.scrape(given.url, { ...given.options, formats }));
  }
}

function* passagesOf(page: Document<readonly FormatInput[]>): Generator<Passage> {
  const { url, title, description, language, statusCode } = page.metadata;
  const common = { title, description, language, statusCode, warning: page.warning };
  if (page.chunks === undefined) {
    yield { id: url, text: page.modelText ?? '', metadata: metadataOf(url, common) };
    return;
  }
  for (const [chunk, { text, anchor, headingPath, tokens }] of page.chunks.entries()) {
    const headings = headingPath.join(' > ');
    const metadata = metadataOf(url, { ...common, anchor, headings, chunk, tokens });
    yield { id: `${url}#chunk-${chunk}`, text, metadata };
  }
}

function passageOfLink({ url, title, description }: SiteLink): Passage {
  const text = [title, description].filter((line) => line !== undefined).join('\n');
  return {
    id: url,
    text: text === '' ? url : text,
    metadata: metadataOf(url, { title, description }),
  };
}

type Optional<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/** Vector stores refuse undefined. */
function metadataOf(
  source: string,
  values: Optional<Omit<PassageMetadata, 'source' | 'untrusted'>>,
): PassageMetadata {
  const known = Object.entries(values).filter(([, value]) => value !== undefined);
  return { source, ...Object.fromEntries(known), untrusted: true };
}

/** snapshot → page → document: everything that is done to bytes once they are here. */
import { STATUS_CODES } from 'node:http';
import { cleanPage } from '../clean/index.ts';
import { hookFailed } from '../errors.ts';
import type { FormatRequest } from '../formats/format.ts';
import { readMetadata } from '../formats/metadata.ts';
import type { FetchMetadata, Metadata } from '../model/metadata.ts';
import type { Page } from '../model/page.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { parseSnapshot } from '../parsers/index.ts';
import type { Parser } from '../parsers/parser.ts';

/** A document before its type is known: fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}

/** What is done to a page. */
export interface ReadingOptions extends Pick<
  ScrapeRequest<FormatRequest>,
  'formats' | 'clean' | 'limits' | 'parsePdf' | 'sourceUrl'
> {
  /** The caller's; the built-in ones come after them. */
  readonly parsers: readonly Parser[];
  readonly signal: AbortSignal;
  /** Facts of the fetch; they win over what the page says of itself. */
  readonly facts: Pick<
    FetchMetadata,
    'scrapeId' | 'engineReason' | 'proxyUsed' | 'creditsUsed' | 'errorCode'
  >;
  /** The page as parsed, before it is cleaned; the place to read its links. */
  readonly onPage?: (page: Page) => void | Promise<void>;
}

/** Parses, cleans and formats. */
export async function readPage(
  snapshot: Snapshot,
  options: ReadingOptions,
): Promise<PlainDocument> {
  const page = await parseSnapshot(snapshot, options.parsers, options);
  options.signal.throwIfAborted();
  await options.onPage?.(page);
  return composeDocument(page, snapshot, options);
}

/** Formats that read the page as parsed run before it is cleaned, the others after. */
async function composeDocument(
  page: Page,
  snapshot: Snapshot,
  options: ReadingOptions,
): Promise<PlainDocument> {
  const { formats, clean, signal } = options;
  const metadata: Metadata = { ...readMetadata(page), ...fetchFacts(page, snapshot, options) };
  const fields = new Map<string, unknown>();
  const run = async (stage: 'page' | 'content'): Promise<void> => {
    for (const { format, options: formatOptions } of formats) {
      if (format.needs !== stage) continue;
      signal.throwIfAborted();
      try {
        fields.set(format.name, await format.run(page, formatOptions, { signal }));
      } catch (error) {
        throw hookFailed(`The format "${format.name}"`, page.url, error);
      }
    }
  };
  await run('page');
  if (page.kind === 'html' && formats.some(({ format }) => format.needs === 'content')) {
    cleanPage(page, clean);
  }
  await run('content');

  const document: PlainDocument = { metadata };
  for (const { format } of formats) document[format.name] = fields.get(format.name);
  // An empty response was told by its parser.
  if (fields.get('markdown') === '' && /\S/.test(page.source)) {
    page.warnings.push('The page has no content.');
  }
  if (page.warnings.length > 0) document.warning = page.warnings.join(' ');
  return document;
}

function fetchFacts(page: Page, snapshot: Snapshot, options: ReadingOptions): FetchMetadata {
  const { statusCode } = snapshot;
  return {
    ...options.facts,
    sourceURL: options.sourceUrl,
    url: snapshot.url,
    statusCode,
    contentType: page.mediaType,
    ...(statusCode >= 400
      ? { error: `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim() }
      : {}),
    engine: snapshot.engine,
  };
}

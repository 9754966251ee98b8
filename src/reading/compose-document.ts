/** What was read of a page, with the facts of its fetch, as the document that the caller gets. */
import { STATUS_CODES } from 'node:http';
import type { FetchMetadata, Metadata } from '../model/metadata.ts';
import type { ScrapeRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { FormatRequest } from '../formats/format.ts';
import { summary } from '../formats/registry.ts';
import type { PageReading } from './read-page.ts';

/** A document before its type is known: fields by format name, metadata, perhaps a warning. */
export interface PlainDocument {
  [field: string]: unknown;
  warning?: string;
  metadata: Metadata;
}

/** What the pipeline knows of the fetch. */
export interface DocumentFacts extends Pick<ScrapeRequest<FormatRequest>, 'formats' | 'sourceUrl'> {
  /** They win over what the page says of itself. */
  readonly facts: Pick<
    FetchMetadata,
    'scrapeId' | 'engineReason' | 'proxyUsed' | 'creditsUsed' | 'errorCode'
  >;
}

/** The document has its fields in the order in which they were asked for. */
export function composeDocument(
  { url, statusCode, engine }: Snapshot,
  { metadata, mediaType, values, warnings }: PageReading,
  { formats, sourceUrl, facts }: DocumentFacts,
): PlainDocument {
  const document: PlainDocument = {
    metadata: {
      ...metadata,
      ...facts,
      sourceURL: sourceUrl,
      url,
      statusCode,
      contentType: mediaType,
      ...(statusCode >= 400
        ? { error: `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim() }
        : {}),
      engine,
      ...(formats.some(({ format }) => format === summary) ? { summaryMethod: 'extractive' } : {}),
    },
  };
  for (const { format } of formats) document[format.name] = values.get(format.name);
  if (warnings.length > 0) document.warning = warnings.join(' ');
  return document;
}

/** The interface of all outputs for documents. */
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { isRecord } from '../../core/runtime/json.ts';

/** Documents from anywhere: a job, `readJsonl()`, a list. */
export type Documents<Document = PlainDocument> = AsyncIterable<Document> | Iterable<Document>;

/** An open output for documents. After a rejected call, only `abandon` is called. */
export interface DocumentSink<Document = PlainDocument> {
  /** The file of the first document, where each has its own. */
  readonly first?: string | undefined;
  /** Resolves when there is room for the next document. */
  write(document: Document): Promise<void>;
  /** Resolves when all documents are written. */
  finish(): Promise<void>;
  /** Removes incomplete output; never rejects. */
  abandon(): Promise<void>;
}

/** Writes all documents; returns their number. The next one is requested from the source after each write. */
export async function writeAll(
  documents: Documents,
  open: () => Promise<DocumentSink>,
): Promise<number> {
  const sink = await open();
  let count = 0;
  try {
    for await (const document of documents) {
      if (!isDocument(document)) throw noDocument(count);
      await sink.write(document);
      count += 1;
    }
    await sink.finish();
    return count;
  } catch (error) {
    await sink.abandon();
    throw error;
  }
}

function noDocument(index: number): PagewrightError {
  return new PagewrightError(
    'BAD_REQUEST',
    `Entry ${index} is not a document: it has no metadata with a url. Pass documents as scrape() and crawl() return them.`,
  );
}

// The check that a value from outside is a document.

/** True for an object whose metadata has an absolute URL. */
export function isDocument(value: unknown): value is PlainDocument {
  if (!isRecord(value) || !isRecord(value['metadata'])) return false;
  const { url } = value['metadata'];
  return typeof url === 'string' && canParseUrl(url);
}

/** Documents as a web archive. */
import { PagewrightError } from '../errors.ts';
import type { PlainDocument } from '../model/document.ts';
import {
  informationRecord,
  recordBytes,
  responseRecord,
  warcRecord,
  type WrittenRecord,
} from '../warc/write-record.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { createFile } from './open-file.ts';

/**
 * Writes a `response` record for each document, of its `rawHtml`, and a `conversion` record where it has
 * `markdown`. What is there of the response is its status, its content type and its text as UTF-8. A file
 * whose name ends in `.gz` is compressed, record by record, as archives are. Gives the number of
 * documents; rejects with `BAD_REQUEST` when one has no `rawHtml`, with `STORAGE`.
 *
 * @example
 * const job = crawl('https://example.com', { scrapeOptions: { formats: ['rawHtml'] } });
 * await writeWarc(job, 'site.warc.gz');
 */
export async function writeWarc(documents: Documents, file: string): Promise<number> {
  return writeAll(documents, () => warcSink(file));
}

/** Opens the file. */
export async function warcSink(path: string): Promise<DocumentSink> {
  const file = await createFile(path);
  const isPacked = path.endsWith('.gz');
  const write = async (record: WrittenRecord): Promise<void> => {
    await file.write(await recordBytes(isPacked, record));
  };
  await write(informationRecord());
  return {
    async write(document) {
      const { url, statusCode, contentType } = document.metadata;
      const date = dateOf(document);
      const text = rawHtmlOf(document);
      const response = responseRecord({
        url,
        date,
        statusCode,
        headers: { 'content-type': `${contentType || 'text/html'}; charset=utf-8` },
        body: Buffer.from(text),
        // Of what is no text, rawHtml is empty: the record says that something is missing.
        fields: text === '' ? { 'WARC-Truncated': 'unspecified' } : {},
      });
      await write(response);
      if (typeof document['markdown'] !== 'string') return;
      await write(
        warcRecord({
          type: 'conversion',
          contentType: 'text/markdown; charset=utf-8',
          block: document['markdown'],
          url,
          date,
          fields: { 'WARC-Refers-To': response.id },
        }),
      );
    },
    finish: () => file.finish(),
    abandon: () => file.abandon(),
  };
}

function rawHtmlOf(document: PlainDocument): string {
  const { url } = document.metadata;
  if (typeof document['rawHtml'] === 'string') return document['rawHtml'];
  throw new PagewrightError(
    'BAD_REQUEST',
    `The document of ${url} has no rawHtml, which a web archive holds. Scrape with formats: ['rawHtml'].`,
    { url },
  );
}

/** A document of a cache says when it was fetched; any other is taken to be new. */
function dateOf({ metadata: { cachedAt } }: PlainDocument): Date {
  const date = new Date(typeof cachedAt === 'string' ? cachedAt : NaN);
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

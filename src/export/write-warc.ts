/** Documents as a web archive. */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { PagewrightError } from '../errors.ts';
import type { PlainDocument } from '../model/document.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { createFile } from './open-file.ts';
import { responseRecord, warcRecord } from './warc-record.ts';

const compress = promisify(gzip);

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
  const write = async ({ bytes }: { readonly bytes: Uint8Array }): Promise<void> => {
    await file.write(isPacked ? await compress(bytes) : bytes);
  };
  const contentType = 'application/warc-fields';
  const about = 'software: pagewright\r\nformat: WARC File Format 1.1\r\n';
  await write(warcRecord({ type: 'warcinfo', contentType, date: new Date() }, Buffer.from(about)));
  return {
    async write(document) {
      const { url, statusCode, contentType } = document.metadata;
      const date = dateOf(document);
      const text = rawHtmlOf(document);
      const page = {
        url,
        status: statusCode,
        headers: {
          'content-type':
            contentType === '' ? 'text/html; charset=utf-8' : `${contentType}; charset=utf-8`,
        },
        body: Buffer.from(text),
        date,
      };
      // Of what is no text, rawHtml is empty: the record says that something is missing.
      const record = responseRecord(page, text === '' ? { 'WARC-Truncated': 'unspecified' } : {});
      await write(record);
      if (typeof document['markdown'] !== 'string') return;
      await write(
        warcRecord(
          {
            type: 'conversion',
            contentType: 'text/markdown; charset=utf-8',
            date,
            url,
            more: { 'WARC-Refers-To': record.id },
          },
          Buffer.from(document['markdown']),
        ),
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

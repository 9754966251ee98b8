/** Writes documents as a web archive (WARC), and reads the responses of one. */
import { BodyReader } from '../../core/http/body-reader.ts';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import {
  type ExportSettings,
  parseExportOptions,
  type ReadWarcOptions,
  type WriteWarcOptions,
} from '../../core/options/export-options.ts';
import { ByteQueue, DamagedFile, fileBytes } from './warc/byte-queue.ts';
import { longestHead, readRecordHead, type RecordHead, responseIn } from './warc/read-record.ts';
import {
  informationRecord,
  recordBytes,
  responseRecord,
  warcRecord,
  type WrittenRecord,
} from './warc/write-record.ts';
import { assetsOf } from './document-assets.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { createFile } from './open-file.ts';
import { cannotRead, damaged } from './storage-error.ts';

/**
 * Writes a `response` record for each document, of its `rawHtml`, and a `conversion` record if it has
 * `markdown`. With `readAsset` each file in `document.assets` has a `resource` record. The response has its status, its content type and its text as UTF-8. A file
 * whose name ends in `.gz` is compressed record by record, as is usual for archives. Returns the number of
 * documents; rejects with `BAD_REQUEST` if one has no `rawHtml`, with `STORAGE`.
 *
 * @example
 * const job = crawl('https://example.com', { scrapeOptions: { formats: ['rawHtml'] } });
 * await writeWarc(job, 'site.warc.gz');
 */
export async function writeWarc(
  documents: Documents,
  file: string,
  options: WriteWarcOptions = {},
): Promise<number> {
  const settings = parseExportOptions('writeWarc', options);
  return writeAll(documents, () => warcSink(file, settings));
}

/** Opens the file. */
export async function warcSink(
  path: string,
  { readAsset }: WriteWarcOptions = {},
): Promise<DocumentSink> {
  const file = await createFile(path);
  const isPacked = path.endsWith('.gz');
  const write = async (record: WrittenRecord): Promise<void> => {
    await file.write(await recordBytes(isPacked, record));
  };
  await write(informationRecord());
  const written = new Set<string>();
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
        // rawHtml is empty for binary content: the record marks the body as missing.
        fields: text === '' ? { 'WARC-Truncated': 'unspecified' } : {},
      });
      await write(response);
      for await (const asset of assetsOf(document, readAsset)) {
        if (written.has(asset.url)) continue;
        written.add(asset.url);
        const { bytes: block, contentType: type } = asset;
        await write(
          warcRecord({ type: 'resource', contentType: type, block, url: asset.url, date }),
        );
      }
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
    `The document of ${url} has no rawHtml, which a web archive needs. Scrape with formats: ['rawHtml'].`,
    { url },
  );
}

/** The time of the fetch for a cached document, else now. */
function dateOf({ metadata: { cachedAt } }: PlainDocument): Date {
  const date = new Date(typeof cachedAt === 'string' ? cachedAt : NaN);
  return Number.isNaN(date.getTime()) ? new Date() : date;
}

// The responses of a web archive.

/** A response in an archive. */
export interface ArchivedPage {
  /** The requested URL. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Without chunks and decompressed; data that cannot be decompressed stays, with its `content-encoding`. */
  readonly body: Uint8Array;
  /** The time of the response. */
  readonly date: Date;
}

/**
 * The `response` and `resource` records of a WARC file, compressed or not, one after the other; `parse()`
 * makes documents of them. Rejects with `STORAGE` if the file is damaged, with `BODY_TOO_LARGE`.
 *
 * @example
 * for await (const { url, headers, body } of readWarc('site.warc.gz')) {
 *   const page = await parse(body, { url, contentType: headers['content-type'] });
 * }
 */
export function readWarc(
  file: string,
  options: ReadWarcOptions = {},
): AsyncIterableIterator<ArchivedPage> {
  return readPages(file, parseExportOptions('readWarc', options));
}

async function* readPages(
  file: string,
  { maxBodyBytes }: ExportSettings<'readWarc'>,
): AsyncGenerator<ArchivedPage, void, undefined> {
  const bytes = fileBytes(file);
  const queue = new ByteQueue(bytes);
  let number = 1;
  const where = (): string => `${file}, record ${number}`;
  try {
    for (; ; number += 1) {
      const head = await readRecordHead(queue, number);
      if (head === undefined) return;
      const { length } = head;
      const isPage = /^(?:response|resource)$/.test(head.type) && /^https?:/i.test(head.url);
      if (isPage && length > maxBodyBytes + longestHead)
        throw tooLarge(where(), head, maxBodyBytes);
      const block = isPage ? await queue.take(length) : undefined;
      const found = block?.length ?? (await queue.skip(length));
      if (found < length) {
        throw damaged(where(), `is cut off: ${found} of ${length} bytes are there.`);
      }
      const page = block && (await pageOf(head, block, where(), maxBodyBytes));
      if (page !== undefined) yield page;
    }
  } catch (error) {
    throw error instanceof DamagedFile
      ? damaged(where(), `is not a WARC record: the file ${error.message}.`, error)
      : cannotRead(file, error);
  } finally {
    await bytes.return(undefined);
  }
}

async function pageOf(
  head: RecordHead,
  block: Buffer,
  where: string,
  maxBodyBytes: number,
): Promise<ArchivedPage | undefined> {
  const message = responseIn(head, block);
  if (message === undefined) return undefined;
  const {
    'transfer-encoding': _transfer,
    'content-length': _length,
    'content-encoding': contentEncoding = '',
    ...headers
  } = message.headers;
  const { url } = head;
  const date = new Date(head.fields['warc-date'] ?? NaN);
  const page = { url, status: message.statusCode, date };
  const limits = { bodyBytes: maxBodyBytes, compressionRatio: Infinity };
  const reader = new BodyReader(
    { url, limits, contentEncoding, contentLength: undefined, unpackUndeclared: false },
    { onStop: () => undefined, onDrain: () => undefined },
  );
  try {
    reader.write(message.body);
    const { body } = await reader.end();
    return { ...page, headers, body };
  } catch (error) {
    const code = error instanceof PagewrightError ? error.code : undefined;
    if (code === 'BODY_TOO_LARGE') throw tooLarge(where, head, maxBodyBytes);
    if (code !== 'DECOMPRESSION') throw error;
    // Damaged data stays as it is, with its header: the pages after it can still be read.
    return {
      ...page,
      headers: { ...headers, 'content-encoding': contentEncoding },
      body: message.body,
    };
  } finally {
    reader.destroy();
  }
}

function tooLarge(where: string, { url }: RecordHead, maxBodyBytes: number): PagewrightError {
  const message = `${where} (${url}) has a body of more than ${maxBodyBytes} bytes. Raise maxBodyBytes.`;
  return new PagewrightError('BODY_TOO_LARGE', message, { url });
}

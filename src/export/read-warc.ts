/** The responses of a web archive. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { PagewrightError } from '../errors.ts';
import {
  type ExportSettings,
  parseExportOptions,
  type ReadWarcOptions,
} from '../options/export-options.ts';
import { ByteReader } from './byte-reader.ts';
import { BodyTooLarge, headersOf, readHttpMessage } from './http-message.ts';
import { cannotRead, damaged } from './storage-error.ts';
import type { ArchivedPage } from './warc-record.ts';

/** Bytes of the headers of a record, and of those of a response. */
const maxHeadBytes = 256 * 1024;

/**
 * The `response` and `resource` records of a WARC file, compressed or not, one after the other; `parse()`
 * makes documents of them. Rejects with `STORAGE` when the file is damaged, with `BODY_TOO_LARGE`.
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
  const chunks = bytesOf(file);
  const reader = new ByteReader(chunks);
  try {
    for (let number = 1; await reader.toText(); number += 1) {
      const where = `${file}, record ${number}`;
      const record = await readHead(reader, where);
      const { length, isPage, url } = record;
      if (isPage && length > maxBodyBytes + maxHeadBytes) throw tooLarge(where, url, maxBodyBytes);
      const block = isPage ? await reader.take(length) : undefined;
      const found = block === undefined ? await reader.skip(length) : block.length;
      if (found < length) {
        throw damaged(where, `is cut off: ${found} of ${length} bytes are there.`);
      }
      const page = block && (await pageOf(record, block, where, maxBodyBytes));
      if (page !== undefined) yield page;
    }
  } catch (error) {
    throw cannotRead(file, error);
  } finally {
    await chunks.return(undefined);
  }
}

interface RecordHead {
  readonly type: string;
  readonly url: string;
  readonly length: number;
  readonly isPage: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

async function readHead(reader: ByteReader, where: string): Promise<RecordHead> {
  const head = (await reader.until('\r\n\r\n', maxHeadBytes))?.toString() ?? '';
  const [version = '', ...lines] = head.split('\r\n');
  const headers = headersOf(lines);
  const length = headers['content-length'] ?? '';
  if (!/^WARC\/\d/.test(version) || !/^\d{1,15}$/.test(length)) {
    throw damaged(where, 'is no WARC record: the file is damaged or something else.');
  }
  const type = headers['warc-type'] ?? '';
  // Some writers put the URL between angle brackets, as the grammar of WARC 1.0 had it.
  const url = (headers['warc-target-uri'] ?? '').replace(/^<(.*)>$/, '$1');
  const isPage = (type === 'response' || type === 'resource') && /^https?:/i.test(url);
  return { type, url, length: Number(length), isPage, headers };
}

async function pageOf(
  { type, url, headers }: RecordHead,
  block: Buffer,
  where: string,
  maxBodyBytes: number,
): Promise<ArchivedPage | undefined> {
  const date = new Date(headers['warc-date'] ?? NaN);
  if (type === 'resource') {
    const contentType = headers['content-type'] ?? 'application/octet-stream';
    return { url, status: 200, headers: { 'content-type': contentType }, body: block, date };
  }
  try {
    const message = await readHttpMessage(block, maxBodyBytes);
    return message && { url, ...message, date };
  } catch (error) {
    throw error instanceof BodyTooLarge ? tooLarge(where, url, maxBodyBytes) : error;
  }
}

function tooLarge(where: string, url: string, maxBodyBytes: number): PagewrightError {
  const message = `${where} (${url}) has a body of more than ${maxBodyBytes} bytes. Raise maxBodyBytes.`;
  return new PagewrightError('BODY_TOO_LARGE', message, { url });
}

/** The bytes of the file, decompressed when it begins as gzip does. */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array, undefined, undefined> {
  const isPacked = await beginsAsGzip(file);
  const source = createReadStream(file);
  if (isPacked) yield* pipeline(source, createGunzip(), () => undefined);
  else yield* source as AsyncIterable<Buffer>;
  return undefined;
}

async function beginsAsGzip(file: string): Promise<boolean> {
  await using handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  return buffer[0] === 0x1f && buffer[1] === 0x8b;
}

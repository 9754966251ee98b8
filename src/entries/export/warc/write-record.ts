/** Records of a WARC file (WARC 1.1, ISO 28500:2017) as bytes. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { headerName } from '../../../content/text/http-headers.ts';
import type { PageRequest } from '../../../core/model/request.ts';
import { canParseUrl } from '../../../core/url/normalize-url.ts';
import { sha256Of } from '../../../core/runtime/identifiers.ts';

type Fields = Readonly<Record<string, string>>;

/** The content of a record. */
export interface RecordContent {
  readonly type: 'warcinfo' | 'request' | 'response' | 'resource' | 'metadata' | 'conversion';
  readonly contentType: string;
  readonly block: string | Uint8Array;
  /** The part of the block that is content: the body of a response. */
  readonly payload?: Uint8Array | undefined;
  readonly url?: string | undefined;
  /** @default now */
  readonly date?: Date | undefined;
  /** Further fields of the head. */
  readonly fields?: Fields | undefined;
}

/** A record with the id that others may refer to. */
export interface WrittenRecord {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Head, block and the end of the record. */
export function warcRecord(content: RecordContent): WrittenRecord {
  const { type, contentType, payload, url, date = new Date(), fields } = content;
  const id = `<urn:uuid:${randomUUID()}>`;
  const block = typeof content.block === 'string' ? Buffer.from(content.block) : content.block;
  const head = headOf('WARC/1.1', {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    'WARC-Date': date.toISOString(),
    ...(url === undefined ? {} : { 'WARC-Target-URI': canParseUrl(url) ? new URL(url).href : url }),
    ...fields,
    'WARC-Block-Digest': digest(block),
    ...(payload === undefined ? {} : { 'WARC-Payload-Digest': digest(payload) }),
    'Content-Type': contentType,
    'Content-Length': String(block.length),
  });
  return { id, bytes: Buffer.concat([head, block, Buffer.from('\r\n\r\n')]) };
}

/** The first record of a file: the software that wrote it. */
export function informationRecord(more: Fields = {}): WrittenRecord {
  const fields = { software: 'pagewright', format: 'WARC File Format 1.1', ...more };
  const block = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return warcRecord({
    type: 'warcinfo',
    contentType: 'application/warc-fields',
    block: block.join(''),
  });
}

/** The record of a request; its body is left out. */
export function requestRecord(
  { url, method, headers }: Pick<PageRequest, 'url' | 'method' | 'headers'>,
  fields: Fields,
): WrittenRecord {
  const { host, pathname, search } = new URL(url);
  const block = headOf(`${method ?? 'GET'} ${pathname}${search} HTTP/1.1`, { host, ...headers });
  const contentType = 'application/http; msgtype=request';
  return warcRecord({ type: 'request', contentType, block, payload: Buffer.alloc(0), url, fields });
}

/** A response and its source. */
export interface WrittenResponse extends Pick<RecordContent, 'url' | 'date' | 'fields'> {
  readonly statusCode: number;
  /** Lower-case names. */
  readonly headers: Fields;
  /** Without chunks and content codings. */
  readonly body: Uint8Array;
}

/** The record of a response; headers about the encoding of its body are left out. */
export function responseRecord(response: WrittenResponse): WrittenRecord {
  const { statusCode, headers, body, ...rest } = response;
  const code =
    Number.isInteger(statusCode) && statusCode >= 100 && statusCode <= 999 ? statusCode : 200;
  const {
    'content-encoding': _encoding,
    'transfer-encoding': _transfer,
    'content-length': _length,
    ...retained
  } = headers;
  const head = headOf(`HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}`, {
    ...retained,
    'content-length': String(body.length),
  });
  const contentType = 'application/http; msgtype=response';
  const block = Buffer.concat([head, body]);
  return warcRecord({ ...rest, type: 'response', contentType, block, payload: body });
}

/** The bytes of the records in a file; packed, each is a gzip member of its own. */
export async function recordBytes(
  isPacked: boolean,
  ...records: readonly WrittenRecord[]
): Promise<Uint8Array> {
  const parts = records.map(({ bytes }) => bytes);
  const pack = promisify(gzip);
  return Buffer.concat(isPacked ? await Promise.all(parts.map((part) => pack(part))) : parts);
}

/** The head: values cannot end their line; a name that is not an HTTP token is left out. */
function headOf(firstLine: string, headers: Fields): Buffer {
  const lines = Object.entries(headers)
    .filter(([name]) => headerName.test(name))
    .map(([name, value]) => `${name}: ${value.replace(/\p{Cc}+/gu, ' ').trim()}\r\n`);
  return Buffer.from(`${firstLine}\r\n${lines.join('')}\r\n`);
}

function digest(bytes: Uint8Array): string {
  return `sha256:${sha256Of(bytes)}`;
}

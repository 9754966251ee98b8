/** One record of a WARC file as bytes (WARC 1.1, ISO 28500:2017). */
import { createHash, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';

/** A response as an archive keeps it. */
export interface ArchivedPage {
  /** The URL that was asked for. */
  readonly url: string;
  readonly status: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  /** Without chunks and decompressed. */
  readonly body: Uint8Array;
  /** When it was received. */
  readonly date: Date;
}

/** What stands before the block of a record. */
export interface WarcHead {
  readonly type: 'warcinfo' | 'response' | 'conversion';
  readonly contentType: string;
  readonly date: Date;
  readonly url?: string;
  /** Further headers of the record. */
  readonly more?: Readonly<Record<string, string>>;
}

/** A record with the id that others may refer to. */
export interface WarcRecord {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** Head, block and the end of the record. */
export function warcRecord(head: WarcHead, ...block: readonly Uint8Array[]): WarcRecord {
  const id = `<urn:uuid:${randomUUID()}>`;
  const body = Buffer.concat(block);
  const lines = headerLines({
    'WARC-Type': head.type,
    'WARC-Record-ID': id,
    'WARC-Date': head.date.toISOString(),
    ...(head.url === undefined ? {} : { 'WARC-Target-URI': new URL(head.url).href }),
    ...head.more,
    'WARC-Block-Digest': digest(body),
    'Content-Type': head.contentType,
    'Content-Length': String(body.length),
  });
  const bytes = Buffer.concat([Buffer.from(`WARC/1.1\r\n${lines}\r\n`), body, recordEnd]);
  return { id, bytes };
}

/** The record of a response, as a server would have sent it without any coding. */
export function responseRecord(
  page: ArchivedPage,
  more: Readonly<Record<string, string>> = {},
): WarcRecord {
  const { url, status, date, body } = page;
  const code = Number.isInteger(status) && status >= 100 && status <= 999 ? status : 200;
  const headers = { ...page.headers, 'content-length': String(body.length) };
  const head = `HTTP/1.1 ${code} ${STATUS_CODES[code] ?? ''}\r\n${headerLines(headers)}\r\n`;
  return warcRecord(
    {
      type: 'response',
      contentType: 'application/http; msgtype=response',
      date,
      url,
      more: { ...more, 'WARC-Payload-Digest': digest(body) },
    },
    Buffer.from(head),
    body,
  );
}

const recordEnd = Buffer.from('\r\n\r\n');

/** No value can end its line; a name that is no token is left out. */
function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .filter(([name]) => /^[\w!#$%&'*+.^|~-]+$/.test(name))
    .map(([name, value]) => `${name}: ${value.replace(/\p{Cc}+/gu, ' ').trim()}\r\n`)
    .join('');
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

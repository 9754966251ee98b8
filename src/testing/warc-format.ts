/** A recording as a WARC file (ISO 28500, WARC 1.1), for the tools of web archives. */
import { createHash, randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { unpackBytes } from './recorded-bytes.ts';
import type { RecordedExchange, RecordedHead } from './recorded-exchange.ts';
import { type RecordingFormat, recordingVersion } from './recording-format.ts';

/** Types of the records that hold what HTTP cannot say. */
export const exchangeType = 'application/vnd.pagewright.exchange+json';
export const engineType = 'application/vnd.pagewright.engine+json';

interface WarcRecord {
  readonly type: 'warcinfo' | 'request' | 'response' | 'resource' | 'metadata';
  readonly id: string;
  readonly contentType: string;
  readonly block: Uint8Array;
  readonly url?: string;
  readonly concurrentTo?: string;
  /** Where in the block the payload begins. */
  readonly payloadAt?: number;
}

/**
 * Writes of each exchange a request, its response (a resource for a page that a browser rendered) and a
 * metadata record with all the rest; of a failure the latter only. With `isGzip` each record is a gzip
 * member of its own.
 */
export function warcFormat(isGzip: boolean): RecordingFormat {
  const pack = async (records: readonly WarcRecord[]): Promise<Uint8Array> => {
    const members = records.map(serialize);
    return Buffer.concat(
      isGzip ? await Promise.all(members.map((member) => promisify(gzip)(member))) : members,
    );
  };
  const information = `software: pagewright\r\nformat: WARC File Format 1.1\r\npagewright-recording: ${recordingVersion}\r\n`;
  return {
    start: () => pack([record('warcinfo', 'application/warc-fields', information)]),
    engine: (engine) => pack([record('metadata', engineType, JSON.stringify(engine))]),
    exchange: async (exchange) => pack(await recordsOf(exchange)),
  };
}

function record(
  type: WarcRecord['type'],
  contentType: string,
  block: string | Uint8Array,
): WarcRecord {
  const id = `<urn:uuid:${randomUUID()}>`;
  return { type, id, contentType, block: typeof block === 'string' ? Buffer.from(block) : block };
}

async function recordsOf(exchange: RecordedExchange): Promise<WarcRecord[]> {
  const { request, response, rendered = false } = exchange;
  const { url } = request;
  if (response === undefined) {
    return [{ ...record('metadata', exchangeType, JSON.stringify(exchange)), url }];
  }
  const { body: packed, ...head } = response;
  const body = (await unpackBytes(packed, Infinity)) ?? Buffer.alloc(0);
  // What a browser made of a page is not what a server sent.
  const answer = rendered ? resourceOf(head.headers, body) : responseOf(head, body);
  const rest = JSON.stringify({ ...exchange, response: { ...head, body: '' } });
  return [
    { ...requestOf(request), url, concurrentTo: answer.id },
    { ...answer, url: head.url },
    { ...record('metadata', exchangeType, rest), url, concurrentTo: answer.id },
  ];
}

function requestOf({ url, headers }: RecordedExchange['request']): WarcRecord {
  const { host, pathname, search } = new URL(url);
  const block = httpHead(`GET ${pathname}${search} HTTP/1.1`, { host, ...headers });
  return {
    ...record('request', 'application/http; msgtype=request', block),
    payloadAt: block.length,
  };
}

function resourceOf(headers: Readonly<Record<string, string>>, body: Uint8Array): WarcRecord {
  const type = headers['content-type'] ?? 'text/html; charset=utf-8';
  return { ...record('resource', oneLine(type), body), payloadAt: 0 };
}

/** The body stands as it was unpacked, so what was said about its packing is left out. */
function responseOf({ statusCode, headers }: RecordedHead, body: Uint8Array): WarcRecord {
  const {
    'content-encoding': _encoding,
    'transfer-encoding': _transfer,
    'content-length': _length,
    ...kept
  } = headers;
  const length = { 'content-length': String(body.length) };
  const status = `HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trimEnd();
  const head = httpHead(status, { ...kept, ...length });
  const block = Buffer.concat([head, body]);
  return {
    ...record('response', 'application/http; msgtype=response', block),
    payloadAt: head.length,
  };
}

function httpHead(firstLine: string, headers: Readonly<Record<string, string>>): Buffer {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${oneLine(value)}`);
  return Buffer.from(`${[firstLine, ...lines].join('\r\n')}\r\n\r\n`);
}

function serialize({ type, id, contentType, block, ...more }: WarcRecord): Buffer {
  const { url, concurrentTo, payloadAt } = more;
  const fields = [
    ['WARC-Type', type],
    ['WARC-Record-ID', id],
    ['WARC-Date', new Date().toISOString()],
    ['WARC-Target-URI', url],
    ['WARC-Concurrent-To', concurrentTo],
    ['WARC-Block-Digest', digest(block)],
    [
      'WARC-Payload-Digest',
      payloadAt === undefined ? undefined : digest(block.subarray(payloadAt)),
    ],
    ['Content-Type', contentType],
    ['Content-Length', String(block.length)],
  ] as const;
  const lines = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}: ${value}`],
  );
  const head = Buffer.from(`WARC/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  return Buffer.concat([head, block, Buffer.from('\r\n\r\n')]);
}

function digest(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** A value that starts no line of its own. */
function oneLine(value: string): string {
  return value.replace(/[\r\n\0]+/g, ' ');
}

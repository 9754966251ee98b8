/** A recording as a WARC file (ISO 28500, WARC 1.1), for the tools of web archives. */
import {
  informationRecord,
  recordBytes,
  requestRecord,
  responseRecord,
  warcRecord,
  type WrittenRecord,
} from '../warc/write-record.ts';
import { unpackBytes } from './recorded-bytes.ts';
import type { RecordedExchange } from './recorded-exchange.ts';
import { type RecordingFormat, recordingVersion } from './recording-format.ts';

/** Types of the records that hold what HTTP cannot say. */
export const exchangeType = 'application/vnd.pagewright.exchange+json';
export const engineType = 'application/vnd.pagewright.engine+json';

/**
 * Writes of each exchange a request, its response (a resource for a page that a browser rendered) and a
 * metadata record with all the rest; of a failure the latter only. With `isGzip` each record is a gzip
 * member of its own.
 */
export function warcFormat(isGzip: boolean): RecordingFormat {
  const version = { 'pagewright-recording': String(recordingVersion) };
  return {
    start: () => recordBytes(isGzip, informationRecord(version)),
    engine: (engine) => recordBytes(isGzip, metadataRecord(engineType, engine)),
    exchange: async (exchange) => recordBytes(isGzip, ...(await recordsOf(exchange))),
  };
}

async function recordsOf(exchange: RecordedExchange): Promise<readonly WrittenRecord[]> {
  const { request, response, rendered = false } = exchange;
  const { url } = request;
  if (response === undefined) return [metadataRecord(exchangeType, exchange, { url })];
  const { body: packed, ...head } = response;
  const { statusCode, headers } = head;
  const body = (await unpackBytes(packed, Infinity)) ?? Buffer.alloc(0);
  // What a browser made of a page is not what a server sent.
  const contentType = headers['content-type'] ?? 'text/html; charset=utf-8';
  const answer = rendered
    ? warcRecord({ type: 'resource', contentType, block: body, payload: body, url: head.url })
    : responseRecord({ url: head.url, statusCode, headers, body });
  const rest = { ...exchange, response: { ...head, body: '' } };
  const fields = { 'WARC-Concurrent-To': answer.id };
  return [
    requestRecord(url, request.headers, fields),
    answer,
    metadataRecord(exchangeType, rest, { url, fields }),
  ];
}

/** What HTTP cannot say. */
function metadataRecord(
  contentType: string,
  value: unknown,
  more: { readonly url?: string; readonly fields?: Readonly<Record<string, string>> } = {},
): WrittenRecord {
  return warcRecord({ type: 'metadata', contentType, block: JSON.stringify(value), ...more });
}

/** Writes the requests of documents as an HTTP archive (HAR 1.2), which browsers and other tools open. */
import { STATUS_CODES } from 'node:http';
import { PagewrightError } from '../../core/runtime/errors.ts';
import type { PlainDocument } from '../../core/model/document.ts';
import type { NetworkRequest } from '../../core/model/network-request.ts';
import { packageVersion } from '../../core/runtime/package-version.ts';
import { canParseUrl } from '../../core/url/normalize-url.ts';
import { type Documents, type DocumentSink, writeAll } from './document-sink.ts';
import { plainJson } from './jsonl.ts';
import { createFile } from './open-file.ts';
import { isoTime } from '../../core/runtime/clock.ts';

/**
 * Writes a page for each document and an entry for each of its `requests`, with the bodies that they have.
 * There are no headers but Content-Type and Location, no cookies, and one duration in place of phases. Returns
 * the number of documents; rejects with `BAD_REQUEST` if one has no `requests`, with `STORAGE`.
 *
 * @example
 * const page = await scrape('https://example.com', { formats: ['requests'] });
 * await writeHar([page], 'page.har');
 */
export async function writeHar(documents: Documents, file: string): Promise<number> {
  return writeAll(documents, () => harSink(file));
}

/** Opens the file. Entries are written as they come, pages at the end. */
export async function harSink(path: string): Promise<DocumentSink> {
  const file = await createFile(path);
  const creator = { name: 'pagewright', version: packageVersion() };
  await file.write(`{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`);
  const pages: string[] = [];
  let separator = '\n';
  return {
    async write(document) {
      const { url, title } = document.metadata;
      const requests = requestsOf(document);
      const id = `page_${pages.length + 1}`;
      const startedDateTime = isoTime(requests[0]?.startedAt ?? Date.now());
      pages.push(JSON.stringify({ startedDateTime, id, title: title ?? url, pageTimings: {} }));
      for (const request of requests) {
        await file.write(separator + plainJson({ pageref: id, ...entryOf(request) }, url));
        separator = ',\n';
      }
    },
    async finish() {
      await file.write(`\n],"pages":[\n${pages.join(',\n')}\n]}}\n`);
      await file.finish();
    },
    abandon: () => file.abandon(),
  };
}

function requestsOf(document: PlainDocument): readonly NetworkRequest[] {
  const { requests } = document;
  if (Array.isArray(requests) && requests.every(isRequest)) return requests;
  const { url } = document.metadata;
  throw new PagewrightError(
    'BAD_REQUEST',
    `The document of ${url} has no requests, which an HTTP archive needs. Scrape with formats: ['requests'].`,
    { url },
  );
}

/** A file of documents may hold anything. */
function isRequest(value: unknown): value is NetworkRequest {
  const { method, url, startedAt } = (value ?? {}) as Partial<NetworkRequest>;
  const isTimed = typeof startedAt === 'number' && !Number.isNaN(new Date(startedAt).getTime());
  return typeof method === 'string' && typeof url === 'string' && isTimed;
}

const unknown = { httpVersion: 'unknown', cookies: [], headersSize: -1 };

function entryOf(request: NetworkRequest): object {
  const { startedAt, duration = 0, type, failure, blocked } = request;
  const error = failure ?? (blocked === undefined ? undefined : `blocked: ${blocked}`);
  return {
    startedDateTime: isoTime(startedAt),
    time: duration,
    request: requestPart(request),
    response: responsePart(request),
    cache: {},
    timings: { send: 0, wait: duration, receive: 0 },
    _resourceType: type,
    ...(error === undefined ? {} : { _error: error }),
  };
}

function requestPart({ method, url, postData, requestBytes = -1 }: NetworkRequest): object {
  const query = canParseUrl(url) ? [...new URL(url).searchParams] : [];
  const isText = typeof postData === 'string';
  return {
    ...unknown,
    method,
    url,
    headers: [],
    queryString: query.map(([name, value]) => ({ name, value })),
    bodySize: requestBytes,
    ...(postData === undefined
      ? {}
      : {
          postData: {
            mimeType: isText ? '' : 'application/json',
            text: isText ? postData : JSON.stringify(postData),
          },
        }),
  };
}

/** HAR has status 0 for a request without a response. */
function responsePart(request: NetworkRequest): object {
  const { status = 0, contentType = '', redirectsTo = '', bytes = -1, json } = request;
  const text = json === undefined ? request.text : JSON.stringify(json);
  const headers = Object.entries({ 'content-type': contentType, location: redirectsTo });
  return {
    ...unknown,
    status,
    statusText: STATUS_CODES[status] ?? '',
    headers: headers.flatMap(([name, value]) => (value === '' ? [] : [{ name, value }])),
    content: {
      size: text === undefined ? Math.max(0, bytes) : Buffer.byteLength(text),
      mimeType: contentType,
      ...(text === undefined ? {} : { text }),
    },
    redirectURL: redirectsTo,
    bodySize: bytes,
  };
}

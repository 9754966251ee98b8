/** One request and its response on one connection, over HTTP/1.1 or HTTP/2. */
import http from 'node:http';
import type { ClientHttp2Session, IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { BrowserConnection } from './browser-connections.ts';
import type { HeaderPairs } from './browser-identity.ts';
import { exchangeEnding } from '../exchange-ending.ts';
import { countInterim } from '../interim-responses.ts';
import { checkHeaderSize, gatherHeaders } from '../raw-headers.ts';
import type { BodyTaker, ResponseHead, TransportRequest, TransportResult } from '../transport.ts';

/** Failed without a response. */
export class NoAnswer extends Error {
  constructor(cause: unknown) {
    super('no answer', { cause });
  }
}

/**
 * Sends a GET and settles when its body is complete, cut off or not wanted. Rejects with the
 * signal's reason at once when it aborts, and with `NoAnswer` when there is no response.
 */
export function browserExchange(
  connection: BrowserConnection,
  headers: HeaderPairs,
  { url, signal, headerBytes, onHead }: TransportRequest,
): Promise<Pick<TransportResult, 'head' | 'cut'>> {
  return new Promise((resolve, reject) => {
    let head: ResponseHead | undefined;
    const ending = exchangeEnding(connection, signal, { resolve, reject });
    const { fail, done, drop } = ending;
    const broken = (error: Error): void => {
      if (head === undefined) fail(new NoAnswer(error));
      else done(head, error);
    };
    const answer = ({ statusCode, rawHeaders, body, isComplete }: RawAnswer): void => {
      if (ending.isOver) return;
      const answered = { statusCode, headers: gatherHeaders(rawHeaders) };
      head = answered;
      let taker: BodyTaker | undefined;
      try {
        checkHeaderSize(rawHeaders, headerBytes);
        taker = onHead(answered, { resume: () => void body.resume(), fail });
      } catch (error) {
        return fail(error as Error);
      }
      body.on('data', (chunk: Buffer) => {
        if (!ending.isOver && taker?.write(chunk) === false) body.pause();
      });
      const end = (): void => done(answered, isComplete() ? undefined : earlyEnd());
      body.on('end', end).on('close', end).on('error', broken);
      if (taker === undefined) setImmediate(drop, answered);
    };

    if (ending.isOver) return;
    const events = { answer, broken, interim: countInterim(url, fail) };
    try {
      if (connection.session === undefined) {
        overHttp1(connection.socket, url, { headers, headerBytes }, events);
      } else overHttp2(connection.session, headers, events);
    } catch (error) {
      fail(error as Error);
    }
  });
}

interface RawAnswer {
  readonly statusCode: number;
  /** Names and values by turns. */
  readonly rawHeaders: readonly string[];
  readonly body: Readable;
  /** Whether the body came to its end. */
  readonly isComplete: () => boolean;
}

interface ExchangeEvents {
  answer(answer: RawAnswer): void;
  broken(error: Error): void;
  interim(): void;
}

function overHttp1(
  socket: Socket,
  url: URL,
  { headers, headerBytes }: { readonly headers: HeaderPairs; readonly headerBytes: number },
  { answer, broken, interim }: ExchangeEvents,
): void {
  const request = http.request({
    createConnection: () => socket,
    path: url.pathname + url.search,
    // As a list they are sent as they are.
    headers: headers.flat(),
    maxHeaderSize: headerBytes,
    insecureHTTPParser: false,
  });
  request.maxHeadersCount = 0;
  request.on('response', (response) => {
    answer({
      statusCode: response.statusCode ?? 0,
      rawHeaders: response.rawHeaders,
      body: response,
      isComplete: () => response.complete,
    });
  });
  request.on('information', interim);
  request.on('upgrade', () => broken(new Error('bad upgrade')));
  request.on('error', broken);
  request.end();
}

function overHttp2(
  session: ClientHttp2Session,
  headers: HeaderPairs,
  { answer, broken, interim }: ExchangeEvents,
): void {
  const stream = session.request(Object.fromEntries(headers), {
    endStream: true,
  });
  let hasAnswer = false;
  const onResponse = (
    fields: IncomingHttpHeaders,
    _: number,
    rawHeaders: readonly string[],
  ): void => {
    hasAnswer = true;
    answer({
      statusCode: Number(fields[':status']),
      rawHeaders,
      body: stream,
      isComplete: () => stream.readableEnded && !stream.aborted && stream.rstCode === 0,
    });
  };
  // Node hands over the raw headers too, which its types do not say.
  stream.on('response', onResponse as never);
  stream.on('headers', interim);
  stream.on('error', broken);
  stream.on('close', () => {
    if (!hasAnswer) broken(earlyEnd());
  });
}

function earlyEnd(): Error {
  return Object.assign(new Error('the connection ended early'), { code: 'ECONNRESET' });
}

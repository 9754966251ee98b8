/** Makes one hop: a request to one URL, its body decoded and counted. */
import { PagewrightError, withStatus } from '../runtime/errors.ts';
import type { PageRequest } from '../model/request.ts';
import { withSignal } from '../runtime/deadline.ts';
import { tidyHeader } from '../../content/text/http-headers.ts';
import { type DownloadHead, isDownload } from './download.ts';
import { isEarlyEnd, networkFailure } from './failure.ts';
import { BodyReader, type DecodedBody } from './body-reader.ts';
import { type RedirectHead, redirectTarget } from './redirect.ts';
import type {
  BodyTaker,
  ResponseFlow,
  ResponseHead,
  Transport,
  TransportResult,
} from './transport.ts';

/** How a hop differs from the request of the page. */
export interface HopRequest extends Pick<
  PageRequest,
  'headers' | 'method' | 'body' | 'skipTlsVerification'
> {
  readonly url: URL;
  /** Do not read the body of a response that a browser would save. @default false */
  readonly skipsDownload?: boolean;
}

/** The response of one hop. The body of a redirect is not read. */
export interface HopResponse {
  readonly head: HopResponseHead;
  readonly body: Uint8Array;
  readonly warnings: readonly string[];
  /** True when the body ended early. */
  readonly isCut: boolean;
  /** The problem of this hop's certificate. */
  readonly doubt: string | undefined;
  /** Requests sent. */
  readonly requests: number;
  /** Body bytes as received over the wire. */
  readonly bytes: number;
}

/** Status and headers. */
export interface HopResponseHead extends DownloadHead, RedirectHead {
  readonly setCookies: readonly string[];
}

/** Fetches one URL without following its redirect. */
export async function fetchOnce(
  transport: Transport,
  request: PageRequest,
  hop: HopRequest,
): Promise<HopResponse> {
  const { limits, signal, routeOf } = request;
  const { url, method, headers, skipsDownload } = hop;
  const route = routeOf === undefined ? request.route : routeOf(url);
  const length = method === undefined ? {} : { 'content-length': String(hop.body?.length ?? 0) };
  let head: HopResponseHead | undefined;
  let received: ResponseHead | undefined;
  let reader: BodyReader | undefined;
  let bytes = 0;
  const onHead = (response: ResponseHead, flow: ResponseFlow): BodyTaker | undefined => {
    received = response;
    head = hopResponseHead(response);
    if (redirectTarget(head, url) !== undefined) return undefined;
    if (skipsDownload === true && isDownload(head)) return undefined;
    const body = openBody(head, request, url, flow);
    reader = body;
    return {
      write: (chunk) => {
        bytes += chunk.length;
        return body.write(chunk);
      },
    };
  };
  try {
    const sent = await transport
      .send({
        ...request,
        ...hop,
        method: method ?? 'GET',
        headers: { ...headers, ...length },
        route,
        headerBytes: limits.headerBytes,
        onHead,
      })
      .catch((error: unknown): TransportResult => {
        // The connection was closed because the needed part of the body has arrived.
        if (received === undefined || reader?.isFull !== true) throw error;
        return { head: received, cut: undefined, requests: 1, certificateError: undefined };
      });
    const { requests } = sent;
    const doubt = certificateDoubt(sent, url);
    const answer = {
      head: head ?? hopResponseHead(sent.head),
      requests,
      bytes: sent.bytes ?? bytes,
      doubt,
    };
    if (reader === undefined) {
      return { ...answer, body: new Uint8Array(0), warnings: [], isCut: false };
    }
    const decoded = await withSignal(reader.end(), signal);
    const cut = bodiless.has(sent.head.statusCode) ? undefined : sent.cut;
    const missing = shortfall(decoded, cut, url);
    const warnings = [
      ...decoded.warnings,
      ...unrequestedPart(answer.head, headers),
      ...(missing === undefined ? [] : [missing]),
    ];
    return { ...answer, body: decoded.body, warnings, isCut: missing !== undefined };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const failure = networkFailure(error, url);
    throw head === undefined ? failure : withStatus(failure, head.statusCode);
  } finally {
    reader?.destroy();
  }
}

/** Responses that end with their head, whatever length it declares (RFC 9112, 6.3). */
const bodiless: ReadonlySet<number> = new Set([204, 304]);

/** A server may send a part only on request (RFC 9110, 15.3.7). */
function unrequestedPart(
  { statusCode, headers }: HopResponseHead,
  requestHeaders: Readonly<Record<string, string>>,
): readonly string[] {
  if (statusCode !== 206 || requestHeaders['range'] !== undefined) return [];
  const range = headers['content-range'] ?? 'it does not say which';
  const [, last = '', size = ''] = /^bytes 0-(\d+)\/(\d+)$/.exec(range.trim()) ?? [];
  if (size !== '' && Number(last) + 1 === Number(size)) return [];
  return [`The server sent only a part of the page (${range.slice(0, 100)}).`];
}

function certificateDoubt({ certificateError }: TransportResult, url: URL): string | undefined {
  if (certificateError === undefined) return undefined;
  return `The certificate of ${url.host} does not verify (${certificateError}).`;
}

function openBody(
  head: HopResponseHead,
  { limits, truncatesBody }: PageRequest,
  url: URL,
  flow: ResponseFlow,
): BodyReader {
  const options = {
    contentEncoding: head.headers['content-encoding'] ?? '',
    contentLength: head.headers['content-length'],
    unpackUndeclared: isTextType(head.headers['content-type'] ?? '', url),
    limits,
    truncates: truncatesBody,
    url: url.href,
  };
  return new BodyReader(options, {
    onStop: (reason) => flow.fail(reason),
    onDrain: () => flow.resume(),
  });
}

/** True for text, by its type: the server does not mean gzip data. Downloads stay unchanged. */
function isTextType(contentType: string, url: URL): boolean {
  if (contentType.trim() === '') return !/gz$/i.test(url.pathname);
  return /^\s*(?:text\/|[\w.-]+\/(?:[\w.-]+\+)?(?:xml|xhtml|json|javascript)\b)/i.test(contentType);
}

function hopResponseHead({ statusCode, headers: received }: ResponseHead): HopResponseHead {
  const headers: Record<string, string> = {};
  // Runs for every response: Object.entries and fromEntries take five times as long.
  for (const name in received) {
    const given = received[name] ?? '';
    const value = tidyHeader(typeof given === 'string' ? given : given.join(', '));
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(headers, name, { value, enumerable: true });
    else headers[name] = value;
  }
  return {
    statusCode,
    headers,
    locations: valuesOf(received['location']),
    setCookies: valuesOf(received['set-cookie']),
  };
}

function valuesOf(header: string | string[] | undefined): readonly string[] {
  return header === undefined ? [] : typeof header === 'string' ? [header] : header;
}

/** A warning for a partial body; an error if it is empty, or we stopped it. */
function shortfall(decoded: DecodedBody, cut: Error | undefined, url: URL): string | undefined {
  if (cut === undefined && !decoded.truncated) return undefined;
  const { length } = decoded.body;
  if (cut !== undefined) {
    const failure = networkFailure(cut, url);
    const isOurs = ['TIMEOUT', 'CANCELLED', 'HOOK_FAILED'].includes(failure.code);
    if (isOurs || (length === 0 && !isEarlyEnd(cut))) throw failure;
  }
  if (length > 0) return `The body ended early, after ${length} bytes.`;
  throw new PagewrightError(
    'TRUNCATED_BODY',
    `The connection to ${url.host} ended before the body of ${url.href} arrived. Try again later.`,
    { url: url.href, cause: cut },
  );
}

/** Maps the errors of sockets, TLS, the HTTP parser and Chromium to the table of codes. */
import { setImmediate } from 'node:timers/promises';
import { type ErrorCode, hookFailed, messageOf, PagewrightError } from '../errors.ts';
import { isOutOfDescriptors, tooManyOpenFiles } from '../file-descriptors.ts';
import { answerTooLong } from './browser/message-filter.ts';

/**
 * A `PagewrightError` that says what failed on which URL and what to change. An error that did not
 * come from the network, such as a bug, is `HOOK_FAILED`, with the error as its cause.
 */
export function networkFailure(error: unknown, url: URL): PagewrightError {
  const isKnown = error instanceof PagewrightError;
  if (isKnown && (error.code !== 'TOO_MANY_OPEN_FILES' || error.url !== undefined)) return error;
  if (isFetchFailure(error)) return networkFailure(error.cause, url);
  if (isOutOfDescriptors(error)) return tooManyOpenFiles(isKnown ? error.cause : error, url.href);
  const kind =
    error instanceof Error ? networkFailureKinds.find(({ fits }) => fits(error)) : undefined;
  if (kind === undefined) return hookFailed('The code that fetches', url.href, error);
  const { code, what, remedy } = kind;
  const failure = error as NodeJS.ErrnoException;
  const detail = failure.code ?? failure.message;
  const reason =
    failure.code === 'ERR_ASSERTION' ? 'an unexpected status 101' : failure.message.trim();
  return new PagewrightError(code, `${what(url, reason)} (${detail}). ${remedy}`, {
    url: url.href,
    cause: error,
  });
}

/** The error of `fetch` without a response: a `TypeError` around the network error. */
export function isFetchFailure(error: unknown): error is TypeError & { readonly cause: Error } {
  const { message, cause } = (error ?? {}) as Partial<Error>;
  return error instanceof TypeError && message === 'fetch failed' && cause instanceof Error;
}

/** True for errors that JavaScript itself throws, unlike errors of libraries. */
export function isMistake(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** True for the error of a kept-alive connection that its server had closed before the request. */
export function isDeadConnection(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_HTTP2_\w+)$/.test(code);
}

/** True when a body stopped because the connection ended, not because its framing is invalid. */
export function isEarlyEnd(error: Error): boolean {
  // undici compares the length before it checks whether more could have come.
  return (error as NodeJS.ErrnoException).code === lengthMismatch || !isBadHttp(error);
}

interface NetworkFailureKind {
  readonly fits: (error: NodeJS.ErrnoException) => boolean;
  readonly code: ErrorCode;
  readonly what: (url: URL, message: string) => string;
  readonly remedy: string;
}

const lengthMismatch = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** The first match counts. */
const networkFailureKinds: readonly NetworkFailureKind[] = [
  {
    fits: ({ syscall }) => syscall === 'getaddrinfo',
    code: 'DNS',
    what: ({ hostname, href }) => `The host name "${hostname}" of ${href} was not found`,
    remedy: 'Check its spelling and that DNS works on this machine.',
  },
  {
    fits: withCode(
      'ECONNREFUSED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL EACCES EPERM',
    ),
    code: 'CONNECTION_REFUSED',
    what: ({ host, href }) => `No connection to ${host} for ${href}`,
    remedy: 'Check the host and port, and that a server listens there.',
  },
  {
    fits: withCode(
      'ETIMEDOUT UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT UND_ERR_BODY_TIMEOUT',
    ),
    code: 'TIMEOUT',
    what: ({ host, href }) => `${host} did not answer in time for ${href}`,
    remedy: 'Try again later.',
  },
  {
    fits: withCode('UND_ERR_HEADERS_OVERFLOW HPE_HEADER_OVERFLOW'),
    code: 'PROTOCOL_ERROR',
    what: ({ href }) => `The response headers of ${href} are larger than the limit`,
    remedy: 'Raise limits.headerBytes to read it all the same.',
  },
  {
    fits: withCode(
      'UND_ERR_INVALID_ARG UND_ERR_NOT_SUPPORTED ERR_INVALID_CHAR ERR_INVALID_HTTP_TOKEN ERR_HTTP_INVALID_HEADER_VALUE ERR_HTTP2_INVALID_CONNECTION_HEADERS ERR_HTTP2_HEADER_SINGLE_VALUE',
    ),
    code: 'BAD_REQUEST',
    what: ({ href }, message) => `The request for ${href} cannot be sent: ${message}`,
    remedy: 'Correct the headers option.',
  },
  {
    fits: withCode('UND_ERR_DESTROYED UND_ERR_CLOSED ABORT_ERR'),
    code: 'CANCELLED',
    what: ({ href }) => `The client was closed while ${href} was fetched`,
    remedy: 'Close it after the work is done.',
  },
  {
    // TLS alerts that a server sends about the client (RFC 8446, 6.2).
    fits: ({ code = '' }) =>
      /_ALERT_(?:BAD_CERTIFICATE|CERTIFICATE_\w+|UNSUPPORTED_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(
        code,
      ),
    code: 'TLS',
    what: ({ host, href }) => `${host} did not accept the TLS connection for ${href}`,
    remedy: 'It may ask for a client certificate: createClient({ tls: { cert, key, hosts } }).',
  },
  {
    fits: isTlsFailure,
    code: 'TLS',
    what: ({ host, href }, message) =>
      `The TLS connection to ${host} for ${href} failed: ${message}`,
    remedy:
      'Check that the server speaks TLS. skipTlsVerification: true accepts certificates that do not verify, tls: { ca } trusts an authority of your own, tls: { http2: true } is for servers that speak HTTP/2 only.',
  },
  {
    fits: isBadHttp2,
    code: 'PROTOCOL_ERROR',
    what: ({ href }, message) => `${href} was not answered in valid HTTP/2: ${message}`,
    remedy: 'It may work over HTTP/1.1.',
  },
  {
    fits: isBadHttp,
    code: 'PROTOCOL_ERROR',
    what: ({ href }, message) => `${href} was not answered in valid HTTP/1.1: ${message}`,
    remedy: 'Check that a web server listens on this port, and for http or https as in the URL.',
  },
  {
    fits: isConnectionLoss,
    code: 'CONNECTION_RESET',
    what: ({ host, href }) => `The connection to ${host} was closed before ${href} was answered`,
    remedy: 'Try again later.',
  },
];

function withCode(codes: string): NetworkFailureKind['fits'] {
  const list = codes.split(' ');
  return ({ code = '' }) => list.includes(code);
}

/** OpenSSL names a failed verification after the problem of the certificate. */
function isTlsFailure({ code = '', message }: NodeJS.ErrnoException): boolean {
  return (
    /^(?:ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code) ||
    /CERT|SIGNED|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH/.test(code) ||
    /\bssl routines\b/i.test(message)
  );
}

/**
 * An early end is not bad HTTP; an unexpected 100 or 101 response has no code of its own in undici.
 */
function isBadHttp({ name, code, message }: NodeJS.ErrnoException): boolean {
  if (name === 'HTTPParserError') return !message.includes('EOF');
  // undici asserts that only a request for an upgrade is answered with 101.
  if (code === 'ERR_ASSERTION') return true;
  if (code?.startsWith('HPE_') === true) return code !== 'HPE_INVALID_EOF_STATE';
  return code === lengthMismatch || message === 'bad response' || message === 'bad upgrade';
}

/** Errors of sockets and their readers, by their codes; a system call on a socket failed. */
function isConnectionLoss({ name, code = '', syscall = '' }: NodeJS.ErrnoException): boolean {
  return (
    /^(?:ECONNRESET|ECONNABORTED|EPIPE|ENOTCONN|ESHUTDOWN|ENETRESET|HPE_INVALID_EOF_STATE)$/.test(
      code,
    ) ||
    /^(?:UND_ERR_(?:SOCKET|INFO|ABORTED)|ERR_HTTP2_\w+|ERR_SOCKET_\w+|ERR_STREAM_\w+)$/.test(
      code,
    ) ||
    /^(?:connect|read|write|writev|shutdown)$/.test(syscall) ||
    name === 'HTTPParserError'
  );
}

/** Errors that nghttp2 raises; other resets are the server's decision. */
function isBadHttp2({ code, message }: NodeJS.ErrnoException): boolean {
  if (code === 'ERR_HTTP2_ERROR') return true;
  const isReset = code === 'ERR_HTTP2_STREAM_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR';
  return isReset && /NGHTTP2_(?:PROTOCOL|FLOW_CONTROL|FRAME_SIZE|COMPRESSION)_ERROR/.test(message);
}

// Maps Chromium's navigation errors to the table of codes.

interface NavigationFailureKind {
  /** Names of `net::ERR_…`, without that prefix. */
  readonly names: RegExp;
  readonly code: ErrorCode;
  readonly what: string;
  readonly remedy: string;
}

/** The first match counts. */
const navigationFailureKinds: readonly NavigationFailureKind[] = [
  {
    names: /^NAME_(?:NOT_RESOLVED|RESOLUTION_FAILED)/,
    code: 'DNS',
    what: 'its host name was not found',
    remedy: 'Check its spelling.',
  },
  {
    names: /^TOO_MANY_REDIRECTS/,
    code: 'TOO_MANY_REDIRECTS',
    what: 'it redirects without end',
    remedy: 'Raise limits.redirects if it is not a loop.',
  },
  {
    names: /^(?:UNSAFE_REDIRECT|INVALID_REDIRECT|UNKNOWN_URL_SCHEME|DISALLOWED_URL_SCHEME)/,
    code: 'BAD_REDIRECT',
    what: 'it redirects to something that is not a web page',
    remedy: 'Open it in a browser to see where it leads.',
  },
  {
    names: /^(?:CERT_|SSL_|BAD_SSL|ECH_|QUIC_HANDSHAKE)/,
    code: 'TLS',
    what: 'the TLS connection failed',
    remedy: 'skipTlsVerification: true accepts certificates that do not verify.',
  },
  {
    names: /^(?:CONTENT_DECODING)/,
    code: 'DECOMPRESSION',
    what: 'its body cannot be decompressed',
    remedy: 'Try again later.',
  },
  {
    names: /^(?:CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED)/,
    code: 'TRUNCATED_BODY',
    what: 'its body ended early',
    remedy: 'Try again later.',
  },
  {
    names: /^(?:INVALID_|RESPONSE_HEADERS|HTTP2_|MALFORMED|UNEXPECTED|METHOD_NOT)/,
    code: 'PROTOCOL_ERROR',
    what: 'it was not answered in valid HTTP',
    remedy: 'Check that a web server listens there.',
  },
  {
    names: /^UNSAFE_PORT/,
    code: 'CONNECTION_REFUSED',
    what: 'browsers do not connect to its port',
    remedy: "Use engine: 'http'.",
  },
  {
    names: /^(?:PROXY_|TUNNEL_|SOCKS_|NO_SUPPORTED_PROXIES)/,
    code: 'PROXY_FAILED',
    what: 'the proxy did not let it through',
    remedy: 'Check createClient({ proxy }).',
  },
  {
    names: /^(?:CONNECTION_REFUSED|ADDRESS_|INTERNET_DISCONNECTED|NETWORK_ACCESS)/,
    code: 'CONNECTION_REFUSED',
    what: 'there is no connection to its host',
    remedy: 'Check the host and port.',
  },
  {
    names: /^(?:TIMED_OUT|CONNECTION_TIMED_OUT)/,
    code: 'TIMEOUT',
    what: 'its host did not answer in time',
    remedy: 'Try again later.',
  },
  {
    names: /^(?:OUT_OF_MEMORY|INSUFFICIENT_RESOURCES)/,
    code: 'BROWSER_CRASHED',
    what: 'the browser has no memory left for it',
    remedy: 'Open fewer pages at once: createClient({ browser: { maxPages } }).',
  },
];

/**
 * The error for a failed navigation to `url`. A bug, which neither Chromium nor Playwright reports,
 * is `HOOK_FAILED`, with the error as its cause.
 */
export function navigationFailure(error: unknown, url: string): PagewrightError {
  if (error instanceof PagewrightError) return error;
  if (isMistake(error)) return hookFailed('The code that drives the browser', url, error);
  if (messageOf(error).includes(answerTooLong)) {
    const message = `${url} has more content than is read of a browser at once. ${answerTooLong}.`;
    return new PagewrightError('BODY_TOO_LARGE', message, { url, cause: error });
  }
  const [, name = ''] = /net::ERR_([A-Z0-9_]+)/.exec(messageOf(error)) ?? [];
  const kind = navigationFailureKinds.find(({ names }) => names.test(name));
  const shown = name === '' ? (messageOf(error).split('\n')[0] ?? '').slice(0, 200) : name;
  if (kind === undefined) {
    return new PagewrightError(
      'CONNECTION_RESET',
      `The browser did not get an answer for ${url} (${shown}). Try again later.`,
      { url, cause: error },
    );
  }
  const message = `The browser did not open ${url}: ${kind.what} (${shown}). ${kind.remedy}`;
  return new PagewrightError(kind.code, message, { url, cause: error });
}

/** The error for a page or a browser that died. */
export function crashed(url: string, what: string): PagewrightError {
  return new PagewrightError(
    'BROWSER_CRASHED',
    `${what} while ${url} was open in it. The page may need more memory than there is; try again, or use engine: 'http'.`,
    { url },
  );
}

/** Codes that say why a page or a browser is gone. */
const lasting: readonly ErrorCode[] = ['BROWSER_CRASHED', 'PARSE_LIMIT'];

/** Throws the error for work in a browser that failed; `isGone` tells whether its page or browser is gone. */
export async function throwFailure(
  error: unknown,
  { url, signal }: { readonly url: string; readonly signal?: AbortSignal },
  isGone: () => boolean,
): Promise<never> {
  // Playwright rejects calls in progress before it reports that the browser is gone.
  await setImmediate();
  // The page of a session is closed for what it reports.
  const isKnown = error instanceof PagewrightError && lasting.includes(error.code);
  if (isKnown || signal?.aborted === true) throw error;
  throw isGone() ? crashed(url, 'The browser ended') : navigationFailure(error, url);
}

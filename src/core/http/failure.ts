/** Maps the errors of sockets, TLS and the HTTP parser to the table of codes. */
import { type ErrorCode, hookFailed, PagewrightError } from '../runtime/errors.ts';
import { isOutOfDescriptors, tooManyOpenFiles } from '../runtime/file-descriptors.ts';

/**
 * A `PagewrightError` that names the failure, the URL and the remedy. An error from outside the
 * network, such as a bug, is `HOOK_FAILED`, with the error as its cause.
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

/** An early end is not bad HTTP; undici has no code for an unexpected 100 or 101 response. */
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

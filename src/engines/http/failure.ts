/** From what sockets, TLS and the HTTP parser throw to the table of codes. */
import { type ErrorCode, hookFailed, PagewrightError } from '../../errors.ts';

/**
 * A `PagewrightError` that says what failed on which URL and what to change. What did not come from the
 * network, such as a mistake in a program, is `HOOK_FAILED`, with the error as its cause.
 */
export function networkFailure(error: unknown, url: URL): PagewrightError {
  if (error instanceof PagewrightError) return error;
  if (isFetchFailure(error)) return networkFailure(error.cause, url);
  const kind = error instanceof Error ? kinds.find(({ fits }) => fits(error)) : undefined;
  if (kind === undefined) return hookFailed('The code that fetches', url.href, error);
  const { code, what, remedy } = kind;
  const failure = error as NodeJS.ErrnoException;
  const detail = failure.code ?? failure.message;
  return new PagewrightError(code, `${what(url, failure.message.trim())} (${detail}). ${remedy}`, {
    url: url.href,
    cause: error,
  });
}

/** What `fetch` rejects with when there is no answer: a `TypeError` around the error of the network. */
export function isFetchFailure(error: unknown): error is TypeError & { readonly cause: Error } {
  const { message, cause } = (error ?? {}) as Partial<Error>;
  return error instanceof TypeError && message === 'fetch failed' && cause instanceof Error;
}

/** True for what JavaScript itself throws, unlike libraries with errors of their own. */
export function isMistake(error: unknown): boolean {
  return [TypeError, ReferenceError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** True for what a kept-alive connection fails with when its server had closed it before the request. */
export function isDeadConnection(error: unknown): boolean {
  const { code = '' } = error as NodeJS.ErrnoException;
  return /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|ERR_HTTP2_\w+)$/.test(code);
}

/** True when a body stopped because the connection ended, not because its framing makes no sense. */
export function isEarlyEnd(error: Error): boolean {
  // undici compares the length before it looks whether more could have come.
  return (error as NodeJS.ErrnoException).code === lengthMismatch || !isBadHttp(error);
}

interface FailureKind {
  readonly fits: (error: NodeJS.ErrnoException) => boolean;
  readonly code: ErrorCode;
  readonly what: (url: URL, message: string) => string;
  readonly remedy: string;
}

/** The first that fits counts. */
const kinds: readonly FailureKind[] = [
  {
    fits: ({ syscall }) => syscall === 'getaddrinfo',
    code: 'DNS',
    what: ({ hostname, href }) => `The host name "${hostname}" of ${href} was not found`,
    remedy: 'Check its spelling and that DNS works on this machine.',
  },
  {
    fits: withCode(
      'ECONNREFUSED EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN EADDRNOTAVAIL EACCES EPERM EMFILE ENFILE',
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
    // What TLS alerts of a server say about the visitor (RFC 8446, 6.2).
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
    remedy: 'It may do better in HTTP/1.1.',
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

function withCode(codes: string): FailureKind['fits'] {
  const list = codes.split(' ');
  return ({ code = '' }) => list.includes(code);
}

/** OpenSSL names a failed verification by what is wrong with the certificate. */
function isTlsFailure({ code = '', message }: NodeJS.ErrnoException): boolean {
  return (
    /^(?:ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code) ||
    /CERT|SIGNED|SIGNATURE|ISSUER|CRL|HOSTNAME_MISMATCH/.test(code) ||
    /\bssl routines\b/i.test(message)
  );
}

const lengthMismatch = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** An early end is no bad HTTP; an unasked 100 or 101 response has no code of its own in undici. */
function isBadHttp({ name, code, message }: NodeJS.ErrnoException): boolean {
  if (name === 'HTTPParserError') return !message.includes('EOF');
  if (code?.startsWith('HPE_') === true) return code !== 'HPE_INVALID_EOF_STATE';
  return code === lengthMismatch || message === 'bad response' || message === 'bad upgrade';
}

/** Errors of sockets and of what reads them, by their codes; a system call on a socket failed. */
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

/** What nghttp2 does not take; other resets are the server's decision. */
function isBadHttp2({ code, message }: NodeJS.ErrnoException): boolean {
  if (code === 'ERR_HTTP2_ERROR') return true;
  const isReset = code === 'ERR_HTTP2_STREAM_ERROR' || code === 'ERR_HTTP2_SESSION_ERROR';
  return isReset && /NGHTTP2_(?:PROTOCOL|FLOW_CONTROL|FRAME_SIZE|COMPRESSION)_ERROR/.test(message);
}

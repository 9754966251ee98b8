/** Errors of the browser: a navigation that failed, a tab that crashed. */
import { setImmediate } from 'node:timers/promises';
import {
  type ErrorCode,
  hookFailed,
  messageOf,
  PagewrightError,
} from '../../core/runtime/errors.ts';
import { isMistake } from '../../core/http/failure.ts';
import { answerTooLong } from './message-filter.ts';

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
  const detail = name === '' ? (messageOf(error).split('\n')[0] ?? '').slice(0, 200) : name;
  if (kind === undefined) {
    return new PagewrightError(
      'CONNECTION_RESET',
      `The browser did not get an answer for ${url} (${detail}). Try again later.`,
      { url, cause: error },
    );
  }
  const message = `The browser did not open ${url}: ${kind.what} (${detail}). ${kind.remedy}`;
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

/** Codes for a page or browser that is gone. */
const lasting: readonly ErrorCode[] = ['BROWSER_CRASHED', 'PARSE_LIMIT'];

/** Throws the error for failed work in a browser; `isGone` is true if its page or browser is gone. */
export async function throwFailure(
  error: unknown,
  { url, signal }: { readonly url: string; readonly signal?: AbortSignal },
  isGone: () => boolean,
): Promise<never> {
  // Playwright rejects calls in progress before it reports that the browser is gone.
  await setImmediate();
  // The page of a session may be closed for what it reports.
  const isKnown = error instanceof PagewrightError && lasting.includes(error.code);
  if (isKnown || signal?.aborted === true) throw error;
  throw isGone() ? crashed(url, 'The browser ended') : navigationFailure(error, url);
}

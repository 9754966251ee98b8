/** From what impit says to errors as Node has them. */
import { MissingDependencyError, PagewrightError } from '../../../errors.ts';
import { isMistake } from '../failure.ts';

/**
 * An error with the code that Node's sockets, TLS or parser would have, `cause` being impit's own. What
 * is not of impit stays as it is.
 */
export function impitFailure(error: unknown, url: URL): Error {
  if (error instanceof Error && isMistake(error)) return error;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const kind = kinds.find(({ pattern }) => pattern.test(text));
  const message = summary(text);
  if (kind?.code === 'DECOMPRESSION') {
    return new PagewrightError(
      'DECOMPRESSION',
      `The encoded data of ${url.href} is damaged (${message}). Ask for it unencoded with headers: { 'accept-encoding': 'identity' }.`,
      { url: url.href, cause: error },
    );
  }
  return Object.assign(new Error(message, { cause: error }), { code: kind?.code ?? 'ECONNRESET' });
}

/** The error for an impit that cannot be loaded. */
export function impitMissing(cause: unknown): MissingDependencyError {
  return new MissingDependencyError('impit', "The stealth engine with client: 'impit'", cause);
}

/** impit shows errors of its libraries as text. The first that fits counts. */
const kinds: readonly { readonly pattern: RegExp; readonly code: string }[] = [
  { pattern: /^LocalProtocolError|^InvalidURL/, code: 'ERR_INVALID_CHAR' },
  { pattern: /Parse\(\s*TooLarge/, code: 'HPE_HEADER_OVERFLOW' },
  { pattern: /hyper::Error\(\s*(?:Parse|UnexpectedMessage)/, code: 'HPE_INVALID_CONSTANT' },
  { pattern: /hyper::Error\(\s*Body.*chunk/is, code: 'HPE_INVALID_CHUNK_SIZE' },
  { pattern: /hyper::Error\(\s*Body/, code: 'ECONNRESET' },
  {
    pattern: /IncompleteBody|UnexpectedEof|IncompleteMessage|code: 104|BrokenPipe/,
    code: 'ECONNRESET',
  },
  { pattern: /Certificate|UnknownIssuer|NotValidFor/, code: 'ERR_TLS_CERTIFICATE' },
  { pattern: /AlertReceived|HandshakeFailure|InvalidContentType|rustls|tls/i, code: 'EPROTO' },
  { pattern: /kind: Decode/, code: 'DECOMPRESSION' },
  { pattern: /ConnectionRefused|code: 111/, code: 'ECONNREFUSED' },
  { pattern: /^\w*Timeout/, code: 'ETIMEDOUT' },
];

function summary(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, 300);
}

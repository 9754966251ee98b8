/** Builds the headers of a request of the engine `http`: User-Agent, Accept and the like, overridden by the caller's. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import zlib from 'node:zlib';
import { PagewrightError } from '../runtime/errors.ts';

/**
 * The value of Accept-Encoding. Zstandard is decoded everywhere, but offered only if Node decodes
 * it: in JavaScript it takes about four times the CPU of gzip.
 */
export const acceptEncoding: string =
  'createZstdDecompress' in zlib ? 'gzip, deflate, br, zstd' : 'gzip, deflate, br';

/**
 * Completes the caller's headers; without a User-Agent they are only checked. Throws `BAD_REQUEST`
 * for a header that is invalid or frames the message itself.
 */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  userAgent: string | undefined,
): Record<string, string> {
  const headers = userAgent === undefined ? {} : ownHeaders(userAgent);
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (framing.has(key)) {
      throw new PagewrightError(
        'BAD_REQUEST',
        `The header "${name}" belongs to the connection and is set by the engine. Leave it out.`,
      );
    }
    validate(name, value);
    headers[key] = value;
  }
  return headers;
}

/** Not every client validates the headers it sends. */
function validate(name: string, value: string): void {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new PagewrightError(
      'BAD_REQUEST',
      `The header ${JSON.stringify(name)} cannot be sent: ${(error as Error).message}. Correct the headers option.`,
      { cause: error },
    );
  }
}

function ownHeaders(userAgent: string): Record<string, string> {
  return {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en-US,en;q=0.9',
    'accept-encoding': acceptEncoding,
  };
}

/** Headers that the engine sets. */
export const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

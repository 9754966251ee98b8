/** The headers of a page request: what a browser would say, the caller's own words first. */
import { PagewrightError } from '../../errors.ts';
import { acceptEncoding } from './content-codings.ts';

/** Completes the caller's headers. Throws `BAD_REQUEST` for one that frames the message itself. */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  userAgent: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'user-agent': userAgent,
    accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'accept-language': 'en-US,en;q=0.9',
    'accept-encoding': acceptEncoding,
  };
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    if (framing.has(key)) {
      throw new PagewrightError(
        'BAD_REQUEST',
        `The header "${name}" belongs to the connection and is set by the engine. Leave it out.`,
      );
    }
    headers[key] = value;
  }
  return headers;
}

const framing: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'http2-settings', 'keep-alive', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
]);

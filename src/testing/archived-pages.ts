/** Answers from a web archive of another tool: single responses, whose redirects are followed. */
import { BodyReader } from '../engines/http/body/body-reader.ts';
import { redirectTarget } from '../engines/http/redirect.ts';
import { PagewrightError } from '../errors.ts';
import type { PageRequest } from '../model/request.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { ArchivedResponse } from './recording-part.ts';

/** Gives the next response of a URL; throws when there is none. */
export type NextResponse = (url: string) => ArchivedResponse;

/** Answers one request. Rejects as an engine does. */
export async function archivedSnapshot(
  request: Pick<PageRequest, 'url' | 'limits' | 'truncatesBody'>,
  next: NextResponse,
): Promise<Snapshot> {
  const { url: start, limits } = request;
  const redirects: string[] = [];
  let bytes = 0;
  for (let url = new URL(start); ;) {
    const { statusCode, headers, body } = next(url.href);
    bytes += body.length;
    const { location } = headers;
    const locations = location === undefined ? [] : [location];
    const target = redirectTarget({ statusCode, locations }, url);
    if (target === undefined) {
      const unpacked = await unpack(url.href, { headers, body }, request);
      const facts = { url: url.href, statusCode, headers, redirects, bytes };
      return { ...facts, ...unpacked, engine: 'http', requests: redirects.length + 1 };
    }
    redirects.push(url.href);
    if (redirects.length > limits.redirects) {
      const message = `${start} redirects more than ${limits.redirects} times. Raise limits.redirects if it is no loop.`;
      throw new PagewrightError('TOO_MANY_REDIRECTS', message, { url: start });
    }
    url = target;
  }
}

async function unpack(
  url: string,
  { headers, body }: Pick<ArchivedResponse, 'headers' | 'body'>,
  { limits, truncatesBody }: Pick<PageRequest, 'limits' | 'truncatesBody'>,
): Promise<Pick<Snapshot, 'body' | 'warnings' | 'isCut'>> {
  const reader = new BodyReader(
    {
      ...{ url, limits, contentLength: undefined, unpackUndeclared: false },
      truncates: truncatesBody,
      contentEncoding: headers['content-encoding'] ?? '',
    },
    { onStop: () => undefined, onDrain: () => undefined },
  );
  try {
    reader.write(body);
    const { body: unpacked, warnings, truncated } = await reader.end();
    if (!truncated) return { body: unpacked, warnings };
    const warning = `The body of ${url} ends before its end: its packed data was cut.`;
    return { body: unpacked, warnings: [...warnings, warning], isCut: true };
  } finally {
    reader.destroy();
  }
}

/** Content that the caller already holds, as if it had been fetched. */
import { PagewrightError } from '../errors.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Throws `BODY_TOO_LARGE` for more bytes than `limit`. */
export function givenSnapshot(
  url: string,
  content: { readonly body: Uint8Array; readonly contentType: string },
  limit: number,
): Snapshot {
  if (content.body.length > limit) {
    const message = `The content of ${url} has more than ${limit} bytes. Raise limits.bodyBytes to read it.`;
    throw new PagewrightError('BODY_TOO_LARGE', message, { url });
  }
  return {
    url,
    statusCode: 200,
    headers: { 'content-type': content.contentType },
    body: content.body,
    engine: 'none',
    redirects: [],
    warnings: [],
    requests: 0,
    bytes: 0,
  };
}

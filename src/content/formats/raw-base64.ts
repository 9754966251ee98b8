/** rawBase64: the bytes of the response. */
import { readsNothing, type Format } from './format.ts';

/**
 * The body as base64, of any type of file, and as a browser rendered it where one did; or the text that the client's
 * `assets` returned for it. `metadata.contentType` is its type. Where no other format is requested, the page is not
 * parsed: it has only the metadata of the fetch, and a file that no parser reads is not an error. At most
 * `limits.bodyBytes` long.
 */
export const rawBase64: Format<'rawBase64', string, undefined, null, undefined> = {
  ...readsNothing,
  name: 'rawBase64',
  uses: () => ({ onlyBytes: true }),
  async finish(_, __, { body, url, mediaType, visit }) {
    const place = await visit?.files.place({ kind: 'raw', url, mediaType, bytes: body });
    return place ?? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64');
  },
};
